"""OspBsp and the schedulers of the bulk-synchronous-parallel model."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_osp_dag import ELEVEN, dags

from transforms.graph_partition.osp import bsp
from transforms.graph_partition.osp.bsp import bsp_partition
from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule, is_valid, lazy_cost, work_cost
from transforms.graph_partition.osp.component_packing import packed_components, weak_components
from transforms.graph_partition.osp.copy_maps import presumed_map, verified_map
from transforms.graph_partition.osp.copy_trimming import trim_copies
from transforms.graph_partition.osp.dag import Dag, dag_of_edges, renumber_topologically
from transforms.graph_partition.osp.greedy_children import greedy_children
from transforms.graph_partition.osp.group_schedule import best_schedule
from transforms.graph_partition.osp.grow_local import grow_local
from transforms.graph_partition.osp.orbit_merging import symmetry_levels
from transforms.graph_partition.osp.orbits import orbits
from transforms.graph_partition.osp.part_metrics import makespan, volume
from transforms.graph_partition.osp.processor_shares import share_processors
from transforms.graph_partition.osp.schedule_annealing import annealed
from transforms.graph_partition.osp.schedule_state import ScheduleState
from transforms.graph_partition.osp.serial_schedule import serial_schedule

THREE = BspMachine((0, 0, 0), value_cost=1, step_cost=2)


def one_type(dag: Dag) -> Dag:
    return Dag(dag.work, dag.communication, [0] * dag.vertex_count, dag.scopes, dag.children, dag.parents)


@pytest.mark.parametrize("schedule_of", [serial_schedule, greedy_children, grow_local, packed_components])
@settings(deadline=None)
@given(dag=dags())
def test_schedules_are_valid(schedule_of: Callable[[Dag, BspMachine], BspSchedule], dag: Dag) -> None:
    """Whatever the scheduler, values are there in time."""
    dag = one_type(dag)
    assert is_valid(dag, THREE, schedule_of(dag, THREE))


@settings(deadline=None, max_examples=30)
@given(dags())
def test_annealed_schedules_are_valid_and_no_worse(dag: Dag) -> None:
    """The search keeps what it began with unless it finds a cheaper schedule, and finds the same one again."""
    dag = one_type(dag)
    start = greedy_children(dag, THREE)
    found = annealed(dag, THREE, start, 300)
    assert is_valid(dag, THREE, found)
    assert lazy_cost(dag, THREE, found) <= lazy_cost(dag, THREE, start)
    assert annealed(dag, THREE, start, 300) == found


def test_annealing_improves() -> None:
    """Six vertices of work 10 in four supersteps of one processor get cheaper on three."""
    dag = dag_of_edges([10] * 6, [(0, 2), (1, 2), (2, 3), (2, 4), (3, 5), (4, 5)], communication=[2] * 6)
    start = BspSchedule([0] * 6, [0, 0, 1, 2, 2, 3])
    assert lazy_cost(dag, THREE, annealed(dag, THREE, start, 2000)) < lazy_cost(dag, THREE, start)
    one = BspMachine((0,), 1, 2)
    assert annealed(dag, one, start, 2000) is start


@settings(deadline=None)
@given(dags(8), st.randoms(use_true_random=False))
def test_cost_is_kept_up_to_date(dag: Dag, random) -> None:  # pyright: ignore
    """After any moves, the cost that was kept equals the cost computed anew."""
    dag = one_type(dag)
    state = ScheduleState(dag, THREE, greedy_children(dag, THREE))
    for _ in range(12):
        if dag.vertex_count:
            vertex = random.randrange(dag.vertex_count)
            places = state.places(vertex)
            if places:
                state.move_if(vertex, random.choice(places), random.choice([-1, 5, 1000]))
    assert is_valid(dag, THREE, state.schedule())
    assert state.cost == lazy_cost(dag, THREE, state.schedule())


def test_serial_with_two_types() -> None:
    """One processor of each type; the second vertex runs a superstep later."""
    dag = dag_of_edges([1, 1], [(0, 1)], types=[0, 1])
    schedule = serial_schedule(dag, BspMachine((0, 1), 1, 2))
    assert (schedule.processors, schedule.steps) == ([0, 1], [0, 1])
    with pytest.raises(ValueError, match="type without processors"):
        serial_schedule(dag, THREE)
    with pytest.raises(ValueError, match="type without processors"):
        greedy_children(dag, THREE)


def test_lazy_cost() -> None:
    """Work 1 + 2, one value of 4 at 3 cycles each to the other processor, and a synchronisation."""
    dag = dag_of_edges([1, 1, 1], [(0, 1), (0, 2)], communication=[4, 0, 0])
    machine = BspMachine((0, 0), value_cost=3, step_cost=5)
    schedule = BspSchedule([0, 1, 1], [0, 1, 1])
    assert work_cost(dag, schedule) == 3
    assert lazy_cost(dag, machine, schedule) == 3 + 3 * 4 + 5


@pytest.mark.parametrize(
    "schedule",
    [BspSchedule([0, 1], [0, 0]), BspSchedule([0, 0], [1, 0]), BspSchedule([0, 2], [0, 1])],
    ids=["same step, two processors", "backwards", "other type"],
)
def test_invalid_schedules(schedule: BspSchedule) -> None:
    """A value is not there in time, or the processor has another type."""
    dag = dag_of_edges([1, 1], [(0, 1)])
    assert not is_valid(dag, BspMachine((0, 0, 1), 1, 2), schedule)


def test_schedulers_on_eleven_vertices() -> None:
    """GrowLocal takes all in one superstep, since there are less than 20; GreedyChildren spreads them."""
    assert grow_local(ELEVEN, THREE).step_count == 1
    assert len(set(greedy_children(ELEVEN, THREE).processors)) == 3


def test_packing_of_components() -> None:
    """Three equal chains run side by side; the best schedule is no search."""
    dag = dag_of_edges([3000] * 6, [(0, 1), (2, 3), (4, 5)], communication=[100] * 6)
    assert weak_components(dag) == [[0, 1], [2, 3], [4, 5]]
    schedule = best_schedule(dag, BspMachine((0, 0, 0), 1, 8000))
    assert schedule.steps == [0] * 6
    assert work_cost(dag, schedule) == 6000


def test_orbits() -> None:
    """The vertices of two equal chains are in common orbits, sinks first; labels tell vertices apart."""
    dag = dag_of_edges([1] * 4, [(0, 1), (2, 3)])
    assert orbits(dag, [0] * 4) == [[1, 3], [0, 2]]
    assert orbits(dag, [0, 0, 0, 1]) == [[3], [2], [1], [0]]


def test_symmetry_levels() -> None:
    """Sizes that a tenth of the orbits have, largest first; 2 if no orbit has two vertices."""
    assert symmetry_levels([[0], [1]]) == [2]
    assert symmetry_levels([[0, 1, 2], [3, 4, 5], [6, 7]]) == [3, 2]


def test_trimming() -> None:
    """Six copies on four processors become two; on one processor they are joined only when healed."""
    copies = [[vertex] for vertex in range(6)]
    assert trim_copies(copies, [0] * 6, [4], heals=False) == [[0, 1, 2], [3, 4, 5]]
    assert trim_copies(copies, [0] * 6, [1], heals=False) == copies
    assert trim_copies(copies, [0] * 6, [1], heals=True) == [[0, 1, 2, 3, 4, 5]]
    assert trim_copies(copies, [7] * 6, [4], heals=True) == copies


def test_shares_without_work_or_processors() -> None:
    """Where the reference divides by zero or never ends, an error says so; healed, the job runs."""
    dag = dag_of_edges([0, 0], [])
    with pytest.raises(ValueError, match="without any latency"):
        share_processors(dag, [[[0], [1]]], [[]], [24], heals=False)
    assert share_processors(dag, [[[0], [1]]], [[]], [24], heals=True).by_type == [[1]]
    busy = dag_of_edges([4000, 4000], [])
    with pytest.raises(ValueError, match="more copies than there are processors"):
        share_processors(busy, [[[0], [1]]], [[]], [1], heals=False)
    assert share_processors(busy, [[[0], [1]]], [[]], [1], heals=True).by_type == [[1]]


def test_verified_map_of_crossed_copies() -> None:
    """Two chains within one copy, numbered crosswise in the other: ascending order would join the wrong ends."""
    dag = dag_of_edges([1] * 9, [(8, 0), (8, 1), (0, 2), (1, 3), (4, 7), (5, 6)])
    mapping = verified_map(dag, [0] * 9, [0, 1, 2, 3], [4, 5, 6, 7])
    assert mapping is not None
    assert {(mapping[0], mapping[2]), (mapping[1], mapping[3])} == {(4, 7), (5, 6)}
    assert presumed_map(dag, [0, 1, 2, 3], [4, 5, 6, 7]) == {4: 0, 5: 1, 6: 2, 7: 3}


def test_verified_map_refuses_what_is_unlike() -> None:
    """Other labels, other sizes, other edges."""
    dag = dag_of_edges([1] * 7, [(0, 1), (1, 2), (3, 4), (3, 5)])
    assert verified_map(dag, [0] * 7, [0, 1, 2], [3, 4, 5]) is None
    assert verified_map(dag, [0] * 7, [0, 1], [3, 4, 5]) is None
    assert verified_map(dag, [0, 0, 0, 1, 0, 0, 0], [0], [3]) is None


@settings(deadline=None)
@given(dags(), st.booleans())
def test_partition_law(dag: Dag, mixes_types: bool) -> None:
    """Parts are numbered topologically without gaps, of one type and one scope at most, and come out alike again."""
    labels = list(zip(dag.work, dag.types, strict=True))
    parts = bsp_partition(dag, labels, (2, 3), mixes_types=mixes_types).part_of
    count = 1 + max(parts, default=-1)
    assert sorted(set(parts)) == list(range(count))
    assert renumber_topologically(dag, parts, count) == parts
    for part in range(count):
        members = [vertex for vertex, other in enumerate(parts) if other == part]
        assert len({dag.types[vertex] for vertex in members}) == 1
        assert len({dag.scopes[vertex] for vertex in members} - {0}) <= 1
    assert bsp_partition(dag, labels, (2, 3), mixes_types=mixes_types).part_of == parts


CROSSED_COPIES = dag_of_edges(
    [1500] * 10 + [3000] * 5 + [1500] * 5,
    [(2, 19), (1, 18), (3, 15), (0, 17), (4, 16), (9, 10), (6, 11), (7, 12), (8, 13), (5, 14)],
    communication=[50] * 20,
)
"""Five copies of two pairs each, whose vertices are numbered in different orders."""


def test_presumed_copies_close_a_cycle() -> None:
    """Copies that are matched by position only are cut in the wrong places, so that parts wait for one another."""
    parts = bsp_partition(CROSSED_COPIES, [0] * 20, (24, 48, 6), heals=False).part_of
    assert renumber_topologically(CROSSED_COPIES, parts, 1 + max(parts)) is None


def test_verified_copies_do_not() -> None:
    """The same graph, with copies matched by isomorphisms; none has to be scheduled by itself."""
    found = bsp_partition(CROSSED_COPIES, [0] * 20, (24, 48, 6))
    assert found.unlike_copy_count == 0
    assert renumber_topologically(CROSSED_COPIES, found.part_of, 1 + max(found.part_of)) == found.part_of


def test_own_types_stay_alone() -> None:
    """A vertex of a type that the machine does not list is a part of its own."""
    dag = dag_of_edges([100] * 3, [(0, 1), (1, 2)], types=[0, 9, 0])
    assert bsp_partition(dag, [0, 1, 0], (24, 48, 6)).part_of == [0, 1, 2]


def test_type_without_processor() -> None:
    """The machine has none for it: an error, not an endless loop."""
    with pytest.raises(ValueError, match="no processor"):
        bsp_partition(dag_of_edges([100], [], types=[2]), [0], (24, 48, 0))


def test_fallbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """If parts formed a cycle, copies would be parts; if those did too, OspSarkar would decide."""
    dag = dag_of_edges([3000] * 4, [(0, 1), (2, 3)])
    calls: list[int] = []
    renumber = bsp.renumber_topologically

    def failing(times: int) -> Callable[..., list[int] | None]:
        def renumbered(*arguments: object) -> list[int] | None:
            calls.append(1)
            return None if len(calls) <= times else renumber(*arguments)  # pyright: ignore

        return renumbered

    monkeypatch.setattr(bsp, "renumber_topologically", failing(1))
    assert bsp_partition(dag, [0] * 4, (24, 48, 6)).part_of == [0, 0, 1, 1]
    calls.clear()
    monkeypatch.setattr(bsp, "renumber_topologically", failing(2))
    assert bsp_partition(dag, [0] * 4, (24, 48, 6)).part_of == [0, 0, 1, 1]
    assert len(calls) == 2


def test_part_metrics() -> None:
    """Two parts read one vertex: its communication counts twice; two units run two parts at once."""
    dag = dag_of_edges([10, 20, 30], [(0, 1), (0, 2)], communication=[7, 0, 0])
    assert volume(dag, [0, 1, 2]) == 14
    assert volume(dag, [0, 1, 1]) == 7
    assert makespan(dag, (2,), 5) == 15 + 35
    assert makespan(dag, (1,), 5) == 15 + 35 + 25
    assert makespan(dag, (), 5) == 15 + 35
