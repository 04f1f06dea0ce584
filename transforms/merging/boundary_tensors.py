"""Tensors that pass between subgraphs, as the mixing of cube and vector subgraphs sees them (merge passes, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dialect.types import MEMORY_NUMBERS, Memory
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.tensor_facts import TensorFacts
from transforms.tensor_sizes import tensor_bytes

_DDR = MEMORY_NUMBERS[Memory.DDR]


@dataclass(frozen=True, slots=True)
class BoundaryTensor:
    """A tensor with producers and consumers that are in more than one subgraph.

    Attributes:
        producers, consumers: the distinct subgraphs, ascending.
        producing_operations, consuming_operations: per operation, its subgraph; one subgraph may stand there often.
        bytes: its size, rounded up as its memory wants.
        in_memory: whether it is, or is meant to be, in global memory.
        fusion_id: the CV-fuse id that all its producers and consumers carry; -1 if they do not.
    """

    producers: Sequence[int]
    consumers: Sequence[int]
    producing_operations: Sequence[int]
    consuming_operations: Sequence[int]
    bytes: int
    in_memory: bool
    fusion_id: int

    @property
    def group(self) -> tuple[int, ...]:
        """All its subgraphs, ascending."""
        return tuple(sorted({*self.producers, *self.consumers}))


def boundary_tensors(
    ordered: OrderedGraph, tensors: TensorFacts, subgraphs: Sequence[int], fusion_ids: Sequence[int]
) -> list[BoundaryTensor]:
    """The boundary tensors of a function.

    Args:
        subgraphs, fusion_ids: per index; -1 for no CV-fuse id.

    Notes:
        O(operations + operands).
    """
    sizes = tensor_bytes(tensors, ordered.graph.elements)
    found: list[BoundaryTensor] = []
    for tensor, (writers, readers) in enumerate(zip(ordered.producers, ordered.consumers, strict=True)):
        if not writers or not readers:
            continue
        if len(writers) == 1 and all(subgraphs[index] == subgraphs[writers[0]] for index in readers):
            continue
        producing = [subgraphs[index] for index in writers]
        consuming = [subgraphs[index] for index in readers]
        producers, consumers = sorted(set(producing)), sorted(set(consuming))
        if len(producers) == 1 and producers == consumers:
            continue
        fusion = {fusion_ids[index] for index in (*writers, *readers)}
        found.append(
            BoundaryTensor(
                producers,
                consumers,
                producing,
                consuming,
                sizes[tensor],
                _DDR in (ordered.graph.memories[tensor], tensors.target_memories[tensor]),
                fusion.pop() if len(fusion) == 1 else -1,
            )
        )
    return found
