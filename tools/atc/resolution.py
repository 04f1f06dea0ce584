"""From a command line and its raw file to the option map: the order of a whole run (ATC options, 0 and d.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tools.atc.check_flags import check_flags
from tools.atc.command_line import CommandLine
from tools.atc.entry_checks import (
    MODEL_MODES,
    MODEL_TO_JSON,
    check_framework_and_chip,
    check_global_flags,
    check_known_format,
    fill_host,
    fill_input_format,
    local_host,
    place_check_report,
)
from tools.atc.flag_values import FlagValues, apply_raw_options
from tools.atc.messages import Message
from tools.atc.option_map import OptionMap, build_option_map
from tools.atc.output_selection import check_outputs
from tools.atc.provenance import Given, Source
from tools.atc.raw_file import RawOptions, Skipped, load_raw_options
from tools.atc.shapes import check_static_shapes, dynamic_flags_of, parse_indexed_ranges
from tools.atc.tables import raw_keys


@dataclass(frozen=True)
class RawStage:
    """The state after the raw file was applied (steps 1 to 3 of a run)."""

    flags: FlagValues
    raw: RawOptions
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True)
class Resolution:
    """The outcome: the option map with sources, what was skipped, the flags as they are then, and what to report.

    The map is empty in the modes that have none (1, 5 and 6). `lost` are the values that the raw file gave in vain, by
    flag, best first.
    """

    options: OptionMap
    skipped: tuple[Skipped, ...]
    lost: Mapping[str, tuple[Given, ...]]
    flags: FlagValues
    raw: RawOptions
    reported: tuple[Message, ...]

    def as_json(self) -> Mapping[str, object]:
        """What `--emit=ge-options` prints."""
        options = {
            key: {
                "value": entry.value,
                "source": str(entry.source),
                "overrides": [{"value": given.value, "source": str(given.source)} for given in entry.overrides],
            }
            for key, entry in self.options.items()
        }
        skipped = [
            {"key": entry.key, "value": entry.value, "source": str(entry.source), "reason": entry.reason}
            for entry in self.skipped
        ]
        return {"options": options, "skipped": skipped}


def apply_raw_file(command_line: CommandLine) -> RawStage:
    """Steps 1 to 3: the raw file that the command line names, validated and applied to the flags.

    Raises:
        AtcError: the first failure.
    """
    path = command_line.value("raw_ge_options") or ""
    ignore = command_line.is_true("raw_ge_options_ignore_unsupported")
    raw = load_raw_options(path, ignore_unsupported=ignore)
    flags, lost = apply_raw_options(command_line, raw.options)
    return RawStage(flags, raw, tuple(sorted((*raw.skipped, *lost))))


def resolve(
    stage: RawStage, environment: Mapping[str, str], *, needs_required: bool = True, written: str = ""
) -> Resolution:
    """Steps 5 to 8: all checks of the entry in their order, then the option map.

    The texts of static shapes, index ranges and outputs, which the model's parser reads, are checked too; what GE's
    core checks is not (`tools.atc.core_checks`). Without `needs_required` model, output, framework and chip may be
    absent; `written` is then the output that the option map knows.

    Raises:
        AtcError: the first failure.
    """
    flags = stage.flags
    check_global_flags(flags)
    if flags["singleop"]:
        from tools.atc.single_operator import check_single_operator

        return _with_map(check_single_operator(flags), stage, (), environment, single_operator=True)
    check_framework_and_chip(flags, needs_required=needs_required)
    flags = place_check_report(flags, environment)
    mode = flags["mode"]
    if mode not in MODEL_MODES:
        from tools.atc.other_modes import check_conversion

        if mode == MODEL_TO_JSON and flags["dump_mode"] == "1":
            flags = fill_input_format(flags)
        check_conversion(flags)
        return Resolution({}, stage.skipped, _lost(stage), flags, stage.raw, ())
    flags = fill_input_format(flags)
    host = local_host(environment)
    flags = fill_host(flags, host)
    flags, reported = check_flags(flags, host, needs_required=needs_required)
    _check_texts_for_parser(flags, needs_framework=needs_required)
    if written and not flags["output"]:
        flags = flags.with_changed("output", written, Source.COMMAND_LINE)
    return _with_map(flags, stage, reported, environment, single_operator=False)


def _check_texts_for_parser(flags: FlagValues, *, needs_framework: bool) -> None:
    check_known_format(flags)
    shape_range = flags["input_shape_range"]
    if flags["input_shape"] and not dynamic_flags_of(flags):
        check_static_shapes(flags["input_shape"])
    elif shape_range and ":" not in shape_range:
        parse_indexed_ranges(shape_range)
    check_outputs(flags, needs_framework=needs_framework)


def _with_map(
    flags: FlagValues,
    stage: RawStage,
    reported: tuple[Message, ...],
    environment: Mapping[str, str],
    *,
    single_operator: bool,
) -> Resolution:
    lost = _lost(stage)
    options = build_option_map(flags, lost, environment, single_operator=single_operator)
    return Resolution(options, stage.skipped, lost, flags, stage.raw, reported)


def _lost(stage: RawStage) -> Mapping[str, tuple[Given, ...]]:
    """By flag, the values that lost against the one that counts, best first."""
    lost: dict[str, tuple[Given, ...]] = {}
    for option in reversed(stage.raw.options):
        flag = raw_keys()[option.key]
        own = () if stage.flags.raw.get(flag) is option else (Given(option.source, option.value),)
        lost[flag] = (*lost.get(flag, ()), *own, *option.overridden)
    return lost
