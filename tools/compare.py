"""The command `tile-opt compare`: what two results of the same functions cost, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import basename
from typing import IO, Any

from tools.driver.arguments import ExactArgumentParser, add_rules
from tools.driver.whole_files import check_outputs, written_whole

_EXAMPLES = """\
examples:
  tile-opt compare before.mlir after.mlir                                a table
  tile-opt compare before.mlir after.mlir -t report -o report.html       one page with both swimlanes
  tile-opt compare k.json.gz k.json.gz -p graph-partition --then 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=4"}'

Every figure predicts the reference simulator, not silicon. The exit status is 0, or 1 after an error."""


def _argument_parser() -> ExactArgumentParser:
    parser = ExactArgumentParser(
        "tile-opt compare",
        "[option ...] BEFORE AFTER",
        "Simulates two partitioned modules (MLIR text or PyPTO dumps) and compares the functions that both have.",
        _EXAMPLES,
    )
    parser.add_argument("before", metavar="BEFORE", help="the module to compare with")
    parser.add_argument("after", metavar="AFTER", help="the module that it is compared with")
    parser.add_argument("-p", "--passes", default="", metavar="PIPELINE", help="passes to run on both modules first")
    parser.add_argument("--then", default="", metavar="PIPELINE", help="more passes, to run on AFTER only")
    parser.add_argument(
        "-t", "--target", choices=("table", "report"), default="table", help="format of the output, table if not given"
    )
    parser.add_argument("-o", "--output-file", metavar="FILE", help="file to write, else stdout")
    add_rules(parser)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Compare as the arguments say.

    Raises:
        UserError and others of `tools.driver.errors`: as `tile-opt` for either input.
    """
    given = _argument_parser().parse_known_names(arguments)
    check_outputs("-" if given.output_file is None else given.output_file)

    from tools.formats.report.results import NamedModule, results_of
    from tools.tile_opt import TileOptMain

    rules: list[str] = []
    for option in ("compat", "soc_version"):
        if (value := getattr(given, option)) is not None:
            rules += [f"--{option.replace('_', '-')}", value]

    def read(name: str, path: str, *pipelines: str) -> NamedModule:
        passes = ",".join(pipeline for pipeline in pipelines if pipeline)
        return NamedModule(name, TileOptMain([path, "-p", passes, *rules]).read_module())

    names = [basename(given.before), basename(given.after)]
    if names[0] == names[1]:
        names = ["before", "after"]
    results = results_of(
        [read(names[0], given.before, given.passes), read(names[1], given.after, given.passes, given.then)]
    )
    with written_whole(given.output_file) as output:
        if given.target == "report":
            from tools.formats.report.page_text import report_text

            output.write(report_text(f"{names[0]} and {names[1]}", results))
        else:
            for function in results:
                _write_table(output, names, function["name"], *function["results"])


def _write_table(output: IO[str], names: Sequence[str], function: str, before: Any, after: Any) -> None:
    rows = [["", *names, "change"]]
    for first, second in zip(before["numbers"], after["numbers"], strict=True):
        change = (second["value"] - first["value"]) / first["value"] if first["value"] else None
        rows.append([first["name"], first["text"], second["text"], "" if not change else f"{change:+.1%}"])
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rows.insert(1, ["-" * width for width in widths])
    from tools.simulate.results import PREDICTION

    output.write(f"### @{function} ({PREDICTION})\n\n")
    for label, *values in rows:
        cells = [label.ljust(widths[0]), *(value.rjust(width) for value, width in zip(values, widths[1:], strict=True))]
        output.write(f"| {' | '.join(cells)} |\n")
    output.write("\n")
