"""The text of hints, and which ops speak for a subgraph."""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, IntegerAttr, StringAttr

from dialect.attributes import HashOrderAttr
from transforms.hints import HashOrder, hash_orders_of, hint_text, subgraph_hash_orders


def test_the_text_has_a_line_for_each_merge_in_a_fixed_order() -> None:
    """The exact text of the swimlane, whatever the order of the facts; no line feed at the end."""
    orders = {
        "vec_merge": HashOrder("func8_2", 48),
        "cube_merge": HashOrder("func8_1", 6),
        "l1_reuse": HashOrder("func8_0", 24),
    }
    assert hint_text(orders) == (
        "l1ReuseInfo hashOrder: func8_0, subGraphCount: 24\n"
        "cubeMergeInfo hashOrder: func8_1, subGraphCount: 6\n"
        "vecMergeInfo hashOrder: func8_2, subGraphCount: 48"
    )


def test_merges_without_a_name_have_no_line() -> None:
    """One line for one merge, nothing for none."""
    assert hint_text({"cube_merge": HashOrder("func1_0", 1)}) == "cubeMergeInfo hashOrder: func1_0, subGraphCount: 1"
    assert hint_text({}) == ""


def test_the_first_op_of_each_merge_speaks_for_the_subgraph() -> None:
    """Each merge takes its value from the first op that has one, independently of the others."""
    a, b, c = HashOrder("func8_0", 2), HashOrder("func8_1", 3), HashOrder("func8_2", 4)
    of_operations = [{}, {"vec_merge": a}, {"vec_merge": b, "l1_reuse": c}]
    assert subgraph_hash_orders(of_operations) == {"vec_merge": a, "l1_reuse": c}


def test_hash_orders_are_read_from_the_property() -> None:
    """A dictionary of hash orders; an absent or foreign property has none."""
    attribute = DictionaryAttr({"l1_reuse": HashOrderAttr(StringAttr("func8_3"), IntAttr(7))})
    assert hash_orders_of(attribute) == {"l1_reuse": HashOrder("func8_3", 7)}
    assert hash_orders_of(None) == hash_orders_of(IntegerAttr(1, 64)) == {}
