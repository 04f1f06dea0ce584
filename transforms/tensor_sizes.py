"""How many bytes tensors take."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dialect.elements import ELEMENTS
from dialect.types import MEMORY_NUMBERS, Memory
from transforms.tensor_facts import TensorFacts

_GRANULES = {
    MEMORY_NUMBERS[Memory.UB]: 32,
    MEMORY_NUMBERS[Memory.L0A]: 512,
    MEMORY_NUMBERS[Memory.L0B]: 512,
    MEMORY_NUMBERS[Memory.L0C]: 512,
}


def tensor_bytes(facts: TensorFacts, elements: Sequence[int]) -> list[int]:
    """Per tensor, its bytes, rounded up to what its memory allots; 0 if an extent is dynamic.

    Args:
        facts: shapes, and the memories that the tensors are meant for.
        elements: per tensor, the number of its element type.

    Notes:
        O(tensors). Source: OSP, section 2.3; merge passes, section 4.3.
    """
    known: dict[tuple[tuple[int, ...], int, int], int] = {}
    sizes: list[int] = []
    for key in zip(facts.shapes, elements, facts.target_memories, strict=True):
        size = known.get(key)
        if size is None:
            shape, element, memory = key
            size = 0 if min(shape, default=0) < 0 else prod(shape) * ELEMENTS[element].bytes
            granule = _GRANULES.get(memory, 1)
            size = known[key] = -(-size // granule) * granule
        sizes.append(size)
    return sizes
