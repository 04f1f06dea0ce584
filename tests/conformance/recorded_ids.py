"""Ids for the ops that the merge passes deleted as duplicates, so that a graph from before the passes can be simulated.

A deleted op stands for a survivor: an op with an id that has the same opcode, reads the same tensors (once the readers
of deleted ops read those of the survivors), and has the same attributes, output shape and memory. Given the survivor's
subgraph, it is a duplicate there, and the simulator leaves it out (cost model, section 6.1, step 0).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from transforms.graph_of_function import FunctionGraph

_WINDOW_PROPERTIES = ("offsets", "dyn_offsets", "valid")


def completed_ids(function_graph: FunctionGraph, ids: Sequence[int | None]) -> list[int]:
    """The ids with those of survivors in the place of None."""
    graph, operations, values = function_graph
    readers: list[list[int]] = [[] for _ in values]
    for number, inputs in enumerate(graph.inputs):
        for tensor in inputs:
            readers[tensor].append(number)
    kept_by_kind: dict[Hashable, list[int]] = {}
    kinds = [
        (
            op.opcode.number,
            tuple(str(op.properties.get(name)) for name in _WINDOW_PROPERTIES),
            "" if op.opcode.is_windowed else str(op.properties.get("params")),
            tuple(str(value.type) for value in op.outputs),
        )
        for op in operations
    ]
    for number, subgraph in enumerate(ids):
        if subgraph is not None:
            kept_by_kind.setdefault(kinds[number], []).append(number)
    stands_for: dict[int, int] = {}
    completed = list(ids)
    open_numbers = [number for number, subgraph in enumerate(ids) if subgraph is None]
    while open_numbers:
        left: list[int] = []
        for number in open_numbers:
            read = [stands_for.get(tensor, tensor) for tensor in graph.inputs[number]]
            survivors = [
                kept
                for kept in kept_by_kind.get(kinds[number], [])
                if [stands_for.get(tensor, tensor) for tensor in graph.inputs[kept]] == read
            ]
            if not survivors:
                left.append(number)
                continue
            wanted = {ids[reader] for tensor in graph.outputs[number] for reader in readers[tensor]}
            survivor = next((kept for kept in survivors if ids[kept] in wanted), survivors[0])
            completed[number] = ids[survivor]
            stands_for.update(zip(graph.outputs[number], graph.outputs[survivor], strict=True))
        if len(left) == len(open_numbers):
            raise ValueError(f"no op stands for {operations[left[0]].display_name}, which was deleted")
        open_numbers = left
    return [subgraph for subgraph in completed if subgraph is not None]
