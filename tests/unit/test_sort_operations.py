"""Laws of the topological orders."""

from hypothesis import given
from hypothesis import strategies as st

from transforms.sort_operations import Order, sorted_operations


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    """Per operation, some of those before it."""
    count = draw(st.integers(0, 12))
    return [
        draw(st.lists(st.integers(0, max(0, op - 1)), max_size=3, unique=True)) if op else [] for op in range(count)
    ]


ORDERS = st.sampled_from(["breadth-first", "depth-first", "reverse-depth-first", "stable"])


@given(graphs(), ORDERS)
def test_orders_are_topological(predecessors: list[list[int]], order: Order) -> None:
    """Each operation stands once, and behind all that it needs."""
    result = sorted_operations(predecessors, order)
    place = {operation: index for index, operation in enumerate(result)}
    assert sorted(result) == list(range(len(predecessors)))
    assert all(place[before] < place[operation] for operation, found in enumerate(predecessors) for before in found)


@given(graphs())
def test_stable_changes_nothing_that_is_sorted(predecessors: list[list[int]]) -> None:
    """An order that is topological already stays as it is."""
    assert sorted_operations(predecessors, "stable") == list(range(len(predecessors)))


def test_a_long_chain() -> None:
    """Depth is no problem, and takes linear time."""
    chain: list[list[int]] = [[], *([op] for op in range(100_000))]
    for order in ("breadth-first", "depth-first", "reverse-depth-first", "stable"):
        assert sorted_operations(chain, order) == list(range(100_001))


def test_ladders() -> None:
    """Two chains: breadth-first takes them in turn, depth-first one behind the other."""
    chains = [[], [], [0], [1], [2], [3]]
    assert sorted_operations(chains, "breadth-first") == [0, 1, 2, 3, 4, 5]
    assert sorted_operations(chains, "depth-first") == [0, 2, 4, 1, 3, 5]
    assert sorted_operations(chains, "reverse-depth-first") == [0, 2, 4, 1, 3, 5]
