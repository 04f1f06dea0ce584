"""Copies of one tile within one subgraph: the first stays (merge passes, section 3.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.copy_ins import CopyIns
from transforms.tensor_facts import TensorFacts


@dataclass(frozen=True, slots=True)
class DuplicateCopies:
    """Copies that are not needed.

    Attributes:
        kept: per index of a copy that is gone, the index of the copy that stays for it.
        inputs: per index of an operation that reads another tensor now, all its inputs.
    """

    kept: Mapping[int, int]
    inputs: Mapping[int, tuple[int, ...]]


def duplicate_copies(
    ordered: OrderedGraph, tensors: TensorFacts, subgraphs: Sequence[int], copy_ins: CopyIns, compat: Compat
) -> DuplicateCopies:
    """Find the copies of a tile that the same subgraph has copied before, and let their readers read the first copy.

    With published rules a copy is a duplicate only if nothing else writes its tile; with pypto rules all that shares a
    raw tensor with a duplicate goes with it.

    Raises:
        PassFailedException: with pypto rules, another operation writes the raw tensor of a duplicate, and that of the
            kept copy has another type or size.

    Notes:
        O(operations + operands).
    """
    if compat is Compat.PYPTO:
        return _by_raw_tensor(ordered, tensors, subgraphs, copy_ins)
    kept: dict[int, int] = {}
    first: dict[tuple[int, int], int] = {}
    for index, feature in copy_ins.features.items():
        key = subgraphs[index], feature
        if len(ordered.producers[ordered.outputs[index][0]]) > 1:
            continue
        if first.setdefault(key, index) != index and _same_type(ordered, index, first[key]):
            kept[index] = first[key]
    return DuplicateCopies(kept, _readers_of_kept(ordered, kept))


def _readers_of_kept(ordered: OrderedGraph, kept: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    instead = {ordered.outputs[index][0]: ordered.outputs[stays][0] for index, stays in kept.items()}
    return {
        index: tuple([instead.get(tensor, tensor) for tensor in ordered.inputs[index]])
        for tile in instead
        for index in ordered.consumers[tile]
    }


def _same_type(ordered: OrderedGraph, one: int, other: int) -> bool:
    elements = ordered.graph.elements
    return elements[ordered.outputs[one][0]] == elements[ordered.outputs[other][0]]


def _by_raw_tensor(
    ordered: OrderedGraph, tensors: TensorFacts, subgraphs: Sequence[int], copy_ins: CopyIns
) -> DuplicateCopies:
    first: dict[tuple[int, int], int] = {}
    kept_of_storage: dict[tuple[int, int], int] = {}
    for index, feature in copy_ins.features.items():
        subgraph = subgraphs[index]
        stays = first.setdefault((subgraph, feature), index)
        if stays != index:
            kept_of_storage[subgraph, tensors.storages[ordered.outputs[index][0]]] = stays
    if not kept_of_storage:
        return DuplicateCopies({}, {})
    kept: dict[int, int] = {}
    inputs: dict[int, tuple[int, ...]] = {}
    for index, (read, written) in enumerate(zip(ordered.inputs, ordered.outputs, strict=True)):
        subgraph = subgraphs[index]
        if index in copy_ins.features:
            stays = kept_of_storage.get((subgraph, tensors.storages[written[0]]))
            if stays == index:
                raise PassFailedException(
                    f"{ordered.describe(index)} and a copy that it makes needless fill one raw tensor; the shipped "
                    "compiler deletes both"
                )
            if stays is not None:
                kept[index] = stays
            continue
        moved: list[int] = []
        for tensor in read:
            stays = kept_of_storage.get((subgraph, tensors.storages[tensor]))
            moved.append(tensor if stays is None else ordered.outputs[stays][0])
        if tuple(moved) != read:
            inputs[index] = tuple(moved)
        for tensor in written:
            stays = kept_of_storage.get((subgraph, tensors.storages[tensor]))
            if stays is not None:
                _check_same_raw_tensor(ordered, tensors, index, tensor, stays)
    return DuplicateCopies(kept, {**_readers_of_kept(ordered, kept), **inputs})


def _check_same_raw_tensor(ordered: OrderedGraph, tensors: TensorFacts, index: int, tensor: int, stays: int) -> None:
    tile, elements = ordered.outputs[stays][0], ordered.graph.elements
    if elements[tensor] != elements[tile] or tensors.storage_bytes[tensor] != tensors.storage_bytes[tile]:
        raise PassFailedException(
            f"{ordered.describe(index)} writes the tile of a copy that {ordered.describe(stays)} makes needless, and "
            "the tile that stays has another type or size"
        )
