"""Remarks as text and as JSON."""

import json
from types import MappingProxyType

from tools.driver.remark_output import explain, remarks_as_json
from transforms.remarks import Remark

REMARKS = [
    Remark("graph-partition", "class", "class 0 has 4 members", "scale", {"members": (1, 2), "size": None}),
    Remark("pypto-json", "rules", "the rules are pypto's"),
    Remark("n-buffer-merge", "merge", "merged 2\nof 4", "scale", MappingProxyType({"é": MappingProxyType({"a": 1.5})})),
    Remark("graph-partition", "class", "class 0 has 1 member", "other"),
    Remark("graph-partition", "class", "class 1 has 2 members", "scale"),
]


def test_explanation_is_grouped() -> None:
    """Remarks stand under their function, then under their pass, in the order of first appearance."""
    assert explain(REMARKS) == (
        "function @scale:\n"
        "  graph-partition:\n"
        "    class 0 has 4 members\n"
        "    class 1 has 2 members\n"
        "  n-buffer-merge:\n"
        "    merged 2\n"
        "    of 4\n"
        "the module:\n"
        "  pypto-json:\n"
        "    the rules are pypto's\n"
        "function @other:\n"
        "  graph-partition:\n"
        "    class 0 has 1 member"
    )
    assert explain([]) == "no remarks"


def test_json_has_every_field() -> None:
    """One object for each remark, in order, with all its values; tuples are lists."""
    records = json.loads(remarks_as_json(REMARKS))
    assert len(records) == len(REMARKS)
    assert records[0] == {
        "source": "graph-partition",
        "kind": "class",
        "function": "scale",
        "message": "class 0 has 4 members",
        "details": {"members": [1, 2], "size": None},
    }
    assert records[1]["function"] is None
    assert records[2]["details"] == {"é": {"a": 1.5}}
    assert json.loads(remarks_as_json([])) == []
