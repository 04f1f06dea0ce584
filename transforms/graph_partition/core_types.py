"""Core types as bit masks, and which of them may meet in one set (graph partition, section 5.3)."""

from __future__ import annotations

from dialect.opcodes import OPCODES, CoreType

AIC, AIV, ANY, AICPU, HUB = 1, 2, 4, 8, 16
BOTH_SIDES = AIC | AIV

_BIT = {
    CoreType.AIC: AIC,
    CoreType.AIV: AIV,
    CoreType.ANY: ANY,
    CoreType.AICPU: AICPU,
    CoreType.HUB: HUB,
    CoreType.GMATOMIC: 32,
}
_CORE_TYPE = {bit: core_type for core_type, bit in _BIT.items()}

CORE_BITS: tuple[int, ...] = tuple(_BIT[opcode.core] for opcode in OPCODES)
"""Per opcode number, the bit of its core type."""


def core_type_of(bit: int) -> CoreType:
    """The core type that `bit` stands for."""
    return _CORE_TYPE[bit]


def core_types_of(mask: int) -> str:
    """The core types in `mask`, such as `AIC+AIV`."""
    return "+".join(core_type for bit, core_type in _CORE_TYPE.items() if mask & bit)


def _is_compatible(mask: int) -> bool:
    if mask & (AICPU | HUB):
        return False
    return mask.bit_count() == 1 or (mask.bit_count() == 2 and bool(mask & ANY))


def _is_compatible_on_mixed_cores(mask: int) -> bool:
    return mask.bit_count() > 1 or not mask & (AICPU | HUB)


COMPATIBLE: tuple[bool, ...] = tuple(_is_compatible(mask) for mask in range(64))
"""Per mask of core types, whether they may meet in one set: one type, or one type and ANY; never AICPU nor HUB."""

COMPATIBLE_ON_MIXED_CORES: tuple[bool, ...] = tuple(_is_compatible_on_mixed_cores(mask) for mask in range(64))
"""The same where OspSarkar and OspBsp mix cores: all types may meet, but not AICPU or HUB alone (OSP, section 1)."""
