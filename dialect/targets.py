"""The chips: names, families, core counts, memories.

The facts stand in `targets.tsv`, one row per SoC (cost model, chapter 5; clocks are informative only).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from dialect.suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class Target:
    """A chip. `arch` is the NPU architecture number; sizes are bytes per core; `clock_mhz` is None where unknown.

    `aicpu_cores` is that of the family where a chip's own is unknown.
    """

    name: str
    family: str
    arch: int
    aic_cores: int
    aiv_cores: int
    aicpu_cores: int
    l0a_bytes: int
    l0b_bytes: int
    l0c_bytes: int
    l1_bytes: int
    ub_bytes: int
    clock_mhz: int | None

    @property
    def has_mixed_cores(self) -> bool:
        """Whether cube and vector ops may share a core, so that a scope may hold both (A5)."""
        return self.arch == 3510

    @property
    def is_lite(self) -> bool:
        """Whether a whole function is one subgraph (lite NPUs)."""
        return self.arch in (3003, 3113)


FAMILY_REPRESENTATIVES: Mapping[str, str] = {
    "a2a3": "Ascend910B2",
    "a5": "Ascend950PR_9579",
    "lite": "KirinX90",
}
"""The chip that a family's name stands for."""

DEFAULT_SOC = "a2a3"

_UNKNOWN_A2A3 = re.compile(r"ascend910(b|_93|c)\w*(-\w+)?", re.IGNORECASE)
_UNKNOWN_A5 = re.compile(r"ascend(950|910_95)\w*", re.IGNORECASE)
_A5_CORES = {"7": (28, 56), "8": (32, 64), "9": (36, 72), "a": (36, 72)}
"""Core counts of an A5 chip by the character behind "95" in its suffix."""


@cache
def targets() -> Mapping[str, Target]:
    """All chips of the table by name."""
    rows = files("dialect").joinpath("targets.tsv").read_text(encoding="utf-8").splitlines()
    table: dict[str, Target] = {}
    for row in rows[1:]:
        name, family, *numbers, clock = row.split("\t")
        table[name] = Target(name, family, *map(int, numbers), clock_mhz=int(clock) if clock else None)
    return table


def find_target(soc: str) -> Target:
    """The chip that a SoC name or a family (`a2a3`, `a5`, `lite`) means; upper and lower case are equal.

    A name that is not in the table but has a known prefix gets its family's description (cost model, 5.2).

    Raises:
        ValueError: no chip has this name; the message names the nearest ones.
    """
    table = targets()
    if (representative := FAMILY_REPRESENTATIVES.get(soc.lower())) is not None:
        return table[representative]
    for name, target in table.items():
        if name.lower() == soc.lower():
            return target
    if _UNKNOWN_A2A3.fullmatch(soc):
        return replace(table[FAMILY_REPRESENTATIVES["a2a3"]], name=soc)
    if _UNKNOWN_A5.fullmatch(soc):
        suffix = soc.lower().rpartition("95")[2][:1]
        aic_cores, aiv_cores = _A5_CORES.get(suffix, (28, 56))
        return replace(table[FAMILY_REPRESENTATIVES["a5"]], name=soc, aic_cores=aic_cores, aiv_cores=aiv_cores)
    known = (*FAMILY_REPRESENTATIVES, *table)
    hint = did_you_mean(soc, known) or f" (families: {', '.join(FAMILY_REPRESENTATIVES)}; chips such as Ascend910B2)"
    raise ValueError(f"unknown SoC '{soc}'{hint}")


def resolve_soc(soc: str) -> str:
    """The name under which the module attribute `tile.soc` keeps a chip: a family's name, or the chip's own spelling.

    Raises:
        ValueError: as `find_target`.
    """
    return soc.lower() if soc.lower() in FAMILY_REPRESENTATIVES else find_target(soc).name
