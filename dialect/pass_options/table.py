"""The table of pass options: names, types, ranges, defaults (pass options, sections 1.1 and 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dialect.compat import Compat
from dialect.pass_options.errors import Mistake, PassOptionError
from dialect.pass_options.keys import DEFAULT_KEY
from dialect.pass_options.settings import NO_SCOPE_SETTING, MergeCount, MergeSetting, OptionValue
from dialect.suggestions import did_you_mean

LARGEST_INTEGER = 2**31 - 1
LARGEST_SIDED_COUNT = 999_999
"""The largest count that may have a side; the shipped compiler packs both into one number."""


class OptionType(StrEnum):
    """What an option takes."""

    MERGE_SETTING = "a dictionary of counts"
    SCOPE = "a scope id, or (id, allow_parallel_merge, allow_cross_scope_merge)"
    INTEGER = "an integer"
    CHOICE = "a string"
    FLAG = "True or False"


@dataclass(frozen=True, slots=True)
class PassOption:
    """One row of the table.

    Attributes:
        name: as PyPTO spells it.
        type: what it takes.
        default: its value where nobody sets it.
        lowest, highest: the range of an integer option.
        excluded: numbers within the range that it does not take.
        choices: the values of a choice.
        lowest_key, lowest_count: the ranges of the integer entries of a merge setting, up to `LARGEST_INTEGER`.
        takes_side: whether counts of a merge setting may have a side.
        on_operations: whether it acts on each op that follows, instead of on the function as a whole.
        is_published: whether the published page or the passes of tile-opt know it; the others are carried for PyPTO
            programs and read by no pass.
    """

    name: str
    type: OptionType
    default: OptionValue
    lowest: int = 0
    highest: int = LARGEST_INTEGER
    excluded: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    lowest_key: int = -1
    lowest_count: int = 0
    takes_side: bool = False
    on_operations: bool = False
    is_published: bool = True


_NO_MERGE = MergeSetting(by_name={DEFAULT_KEY: MergeCount(1)})
_NO_MERGE_OF_PYPTO = MergeSetting(by_integer={-1: MergeCount(1)})

_ROWS = (
    PassOption("vec_nbuffer_setting", OptionType.MERGE_SETTING, MergeSetting(), lowest_key=-2),
    PassOption("cube_l1_reuse_setting", OptionType.MERGE_SETTING, MergeSetting(), takes_side=True),
    PassOption("cube_nbuffer_setting", OptionType.MERGE_SETTING, _NO_MERGE, lowest_count=1),
    PassOption("sg_set_scope", OptionType.SCOPE, NO_SCOPE_SETTING, on_operations=True),
    PassOption("pg_partition_algorithm", OptionType.CHOICE, "Iso", choices=("Iso", "OspSarkar", "OspBsp")),
    PassOption("auto_mix_partition", OptionType.INTEGER, 0, highest=1),
    PassOption("pg_lower_bound", OptionType.INTEGER, 512),
    PassOption("pg_parallel_lower_bound", OptionType.INTEGER, 20),
    PassOption("mg_copyin_upper_bound", OptionType.INTEGER, 104857600),
    PassOption("mg_vec_parallel_lb", OptionType.INTEGER, 48, lowest=1, highest=48),
    PassOption("enable_slice", OptionType.FLAG, False),
    PassOption(
        "sg_set_ooo_scope",
        OptionType.INTEGER,
        -1,
        lowest=-1,
        highest=100_000,
        excluded=(0,),
        on_operations=True,
        is_published=False,
    ),
    PassOption("ooo_sched_mode", OptionType.CHOICE, "", choices=("", "GAPMIN", "HLF"), is_published=False),
    PassOption("sg_set_tunevf_mode", OptionType.INTEGER, 0, highest=2, is_published=False),
    PassOption("copyout_resolve_coalescing", OptionType.INTEGER, 0, highest=1_000_000, is_published=False),
)

PASS_OPTIONS: Mapping[str, PassOption] = {row.name: row for row in _ROWS}
"""All options by name, in the order in which they are printed."""

MERGE_OPTIONS = tuple(row.name for row in _ROWS if row.type is OptionType.MERGE_SETTING)
"""The three options whose value is a `MergeSetting`."""


def find_option(name: str) -> PassOption:
    """The row of an option.

    Raises:
        PassOptionError: there is none of this name; the message names the nearest ones.
    """
    option = PASS_OPTIONS.get(name)
    if option is None:
        hint = did_you_mean(name, PASS_OPTIONS) or f" (there are: {', '.join(PASS_OPTIONS)})"
        raise PassOptionError(Mistake.NAME, name, f"there is no such pass option{hint}")
    return option


def default_of(name: str, compat: Compat) -> OptionValue:
    """The value of an option that nobody has set (row D8 for `cube_nbuffer_setting`)."""
    if name == "cube_nbuffer_setting" and compat is Compat.PYPTO:
        return _NO_MERGE_OF_PYPTO
    return find_option(name).default
