"""Remarks as text for people (`--explain`) and as JSON for programs (`--remarks`)."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.remarks import Remark


def explain(remarks: Sequence[Remark]) -> str:
    """The remarks grouped by function, then by the pass that made them, each group where it first appears."""
    groups: dict[str | None, dict[str, list[str]]] = {}
    for remark in remarks:
        groups.setdefault(remark.function, {}).setdefault(remark.source, []).append(remark.message)
    lines: list[str] = []
    for function, by_source in groups.items():
        lines.append("the module:" if function is None else f"function @{function}:")
        for source, messages in by_source.items():
            lines.append(f"  {source}:")
            lines.extend("    " + message.replace("\n", "\n    ") for message in messages)
    return "\n".join(lines) if lines else "no remarks"


def remarks_as_json(remarks: Sequence[Remark]) -> str:
    """A JSON list with one object for each remark, in the order in which they were made."""
    import json

    records = [
        {
            "source": remark.source,
            "kind": remark.kind,
            "function": remark.function,
            "message": remark.message,
            "details": remark.details,
        }
        for remark in remarks
    ]
    return json.dumps(records, indent=1, ensure_ascii=False, default=dict) + "\n"
