"""The command `tile-opt what-if`: what other pass options would make of a graph, one line for each setting."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from xdsl.utils.exceptions import DiagnosticException

from tools.driver.arguments import ExactArgumentParser, add_rules
from tools.driver.errors import UserError
from tools.driver.whole_files import check_outputs, written_whole

if TYPE_CHECKING:
    from dialect.compat import Compat
    from tools.simulate.results import ScheduleModel
    from tools.simulate.trial import Setting, Trial, Trials

_EXAMPLES = """\
examples:
  tile-opt what-if kernel.json.gz --set 'vec_nbuffer_setting={"DEFAULT": 4}' --set 'vec_nbuffer_setting={"DEFAULT": 8}'
  tile-opt what-if kernel.json.gz --set 'pg_lower_bound=0; cube_l1_reuse_setting={"DEFAULT": 2}' --json
  tile-opt what-if kernel.mlir --set 'pg_partition_algorithm=OspSarkar' --soc-version=Ascend910B3

A setting is one or more options, NAME=VALUE as JSON, separated by ';'. It replaces what the graph carries. The first
line is the graph with the options that it carries; 'change' compares with it. Differences that the simulator's own
accuracy does not tell apart are marked as ties. Every figure predicts the reference simulator, not silicon. The exit
status is 0, or 1 if a setting cannot be compiled."""

_UNCHANGED = "unchanged"
_HEADINGS = ("setting", "subgraphs", "largest group", "end to end", "change", "utilisation")
_OPTION_NAME = re.compile(r"[\s;]*([A-Za-z_]\w*)\s*=\s*")
_BARE_WORD = re.compile(r"[A-Za-z_]\w*")
_SEPARATOR = re.compile(r"\s*(;|$)")


class _Line(NamedTuple):
    """A setting as it was written, and what it led to: a trial, or why there is none."""

    text: str
    trial: Trial | None
    problem: str


def _argument_parser() -> ExactArgumentParser:
    parser = ExactArgumentParser(
        "tile-opt what-if",
        "[option ...] DUMP",
        "Partitions, merges and simulates a graph (MLIR text or a PyPTO dump) once for each setting.",
        _EXAMPLES,
    )
    parser.add_argument("input_file", metavar="DUMP", help="the graph, as it was before the partition")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SETTING", help="pass options to try; may be given repeatedly"
    )
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")
    parser.add_argument("--machine", metavar="FILE", help="JSON with what is known better than in the table of chips")
    parser.add_argument("--model", default="S", help="how the schedule is made: S, S0 or L; S if not given")
    parser.add_argument(
        "--iterations", type=int, default=1, metavar="N", help="how often each function runs, as the body of a loop"
    )
    parser.add_argument("-f", "--frontend", metavar="NAME", help="format of the input, else the file extension decides")
    parser.add_argument("-o", "--output-file", metavar="FILE", help="file to write, else stdout")
    add_rules(parser)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Try settings as the arguments say.

    Raises:
        UserError and others of `tools.driver.errors`: as `tile-opt`; after the table, if a setting cannot be compiled.
    """
    given = _argument_parser().parse_known_names(arguments)
    check_outputs("-" if given.output_file is None else given.output_file)
    written = [(text, parse_setting(text)) for text in given.set]

    from tools.simulate.request import machine_for, simulation_options
    from tools.simulate.trial import Trials
    from tools.tile_opt import TileOptMain
    from transforms.module_rules import compat_of

    try:
        options = simulation_options(given.model, given.iterations)
    except ValueError as error:
        raise UserError(str(error)) from None
    main = TileOptMain([given.input_file, *_inherited(given)])
    module = main.read_module()
    module.verify()
    compat = compat_of(module)
    settings: list[tuple[str, Setting]] = [(_UNCHANGED, {})]
    settings += [(text, _checked(text, options_of_setting, compat)) for text, options_of_setting in written]
    trials = Trials(main.ctx, module, machine_for(module, given.machine), options)
    lines = _lines(trials, settings)
    with written_whole(given.output_file) as output:
        if given.json:
            _write_json(output, lines, options.model)
        else:
            _write_table(output, lines, options.model)
    failed = [f"{line.text}: {line.problem}" for line in lines if line.trial is None]
    if failed:
        raise UserError("\n".join(failed), main.get_input_name())


def _inherited(given: Namespace) -> list[str]:
    """The arguments that `tile-opt` itself understands."""
    names = {"compat": "--compat", "soc_version": "--soc-version", "frontend": "-f"}
    return [part for name, option in names.items() if (value := getattr(given, name)) for part in (option, value)]


def parse_setting(text: str) -> dict[str, object]:
    """The options of a setting as JSON values; a bare word counts as a string.

    Raises:
        UserError: the text is no list of NAME=VALUE, with the column.
    """
    from tools.driver.settings_files import STRICT_JSON

    options: dict[str, object] = {}
    position = 0
    while position < len(text):
        name = _OPTION_NAME.match(text, position)
        if name is None:
            raise _setting_error(text, position, "expected NAME=VALUE")
        if name[1] in options:
            raise _setting_error(text, name.start(1), f"'{name[1]}' stands twice")
        position = name.end()
        try:
            options[name[1]], end = STRICT_JSON.raw_decode(text, position)
        except json.JSONDecodeError as error:
            word = _BARE_WORD.match(text, position)
            if word is None:
                raise _setting_error(text, error.pos, f"the value of '{name[1]}' is no JSON: {error.msg}") from None
            options[name[1]], end = word[0], word.end()
        except (ValueError, RecursionError) as error:
            raise _setting_error(text, position, f"the value of '{name[1]}': {error}") from None
        separator = _SEPARATOR.match(text, end)
        if separator is None:
            raise _setting_error(text, end, "expected ';' or the end of the setting")
        position = separator.end()
    if not options:
        raise _setting_error(text, 0, "expected NAME=VALUE")
    return options


def _setting_error(text: str, position: int, problem: str) -> UserError:
    return UserError(f"{problem}\n{text}\n{' ' * position}^", f"--set:{position + 1}")


def _checked(text: str, options: Mapping[str, object], compat: Compat) -> Setting:
    """The options of a setting, checked by the rules that hold."""
    from dialect.pass_options import PassOptionError, option_from_json

    values: dict[str, Any] = {}
    for name, value in options.items():
        try:
            values[name] = option_from_json(name, value, compat)
        except PassOptionError as error:
            raise UserError(str(error), f"--set '{text}'") from None
    return values


def _lines(trials: Trials, settings: Sequence[tuple[str, Setting]]) -> list[_Line]:
    from tqdm import tqdm

    lines: list[_Line] = []
    for text, setting in tqdm(settings, desc="what-if", unit="setting", delay=2, leave=False, disable=None):
        try:
            lines.append(_Line(text, trials.run(setting), ""))
        except (DiagnosticException, UserError) as error:
            lines.append(_Line(text, None, str(error)))
    return lines


def _change(first: _Line, line: _Line) -> float | None:
    """The relative change of the end-to-end time against the first line; None where there is nothing to compare."""
    if first.trial is None or line.trial is None or line is first or not first.trial.end_to_end_cycles:
        return None
    return line.trial.end_to_end_cycles / first.trial.end_to_end_cycles - 1


def _is_tie(first: _Line, line: _Line, model: ScheduleModel) -> bool:
    from tools.simulate.results import is_tie

    if first.trial is None or line.trial is None or line is first:
        return False
    return is_tie(model, first.trial.end_to_end_cycles, line.trial.end_to_end_cycles)


def _write_table(output: IO[str], lines: Sequence[_Line], model: ScheduleModel) -> None:
    from tools.simulate.machine import CYCLES_PER_MICROSECOND
    from tools.simulate.results import PREDICTION

    rows: list[Sequence[str]] = [_HEADINGS]
    for line in lines:
        trial = line.trial
        if trial is None:
            rows.append((line.text, "-", "-", "cannot be compiled", "", ""))
            continue
        change = _change(lines[0], line)
        text = "" if change is None else f"{change:+.1%}"
        if change is not None and _is_tie(lines[0], line, model):
            text += " (tie)"
        end_to_end = f"{trial.end_to_end_cycles / CYCLES_PER_MICROSECOND:.2f} us"
        rows.append(
            (line.text, str(trial.subgraphs), str(trial.largest_group), end_to_end, text, f"{trial.utilisation:.1%}")
        )
    functions = [simulation.function for line in lines[:1] if line.trial for simulation in line.trial.simulations]
    together = f"{len(functions)} functions one after another" if len(functions) > 1 else f"@{''.join(functions)}"
    output.write(f"{together}, schedule model {model}; {PREDICTION}\n\n")
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    rows.insert(1, ["-" * width for width in widths])
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        output.write(f"| {' | '.join(cells)} |\n")


def _write_json(output: IO[str], lines: Sequence[_Line], model: ScheduleModel) -> None:
    from tools.simulate.machine import CYCLES_PER_MICROSECOND
    from tools.simulate.results import PREDICTION

    settings: list[dict[str, Any]] = []
    for line in lines:
        trial = line.trial
        if trial is None:
            settings.append({"setting": line.text, "error": line.problem})
            continue
        change = _change(lines[0], line)
        settings.append(
            {
                "setting": line.text,
                "subgraphs": trial.subgraphs,
                "largest_group": trial.largest_group,
                "end_to_end_cycles": trial.end_to_end_cycles,
                "end_to_end_us": round(trial.end_to_end_cycles / CYCLES_PER_MICROSECOND, 2),
                "change": None if change is None else round(change, 6),
                "tie": _is_tie(lines[0], line, model),
                "utilisation": round(trial.utilisation, 6),
            }
        )
    json.dump({"prediction": PREDICTION, "model": model, "settings": settings}, output, indent=1, ensure_ascii=False)
    output.write("\n")
