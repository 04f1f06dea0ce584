"""The command-line arguments of `tile-opt` beyond those of xDSL's driver, and the page that `--help` shows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from dialect.compat import Compat
from dialect.suggestions import did_you_mean
from tools.driver.atc_arguments import add_atc_arguments, with_bool_values

DESCRIPTION = (
    "Reads a tile graph of an Ascend NPU kernel (MLIR text, or a JSON dump that PyPTO wrote), applies passes, and\n"
    "writes the result as MLIR text or in another format. Works like MLIR's and xDSL's optimizer drivers."
)

EXAMPLES = """\
examples:
  tile-opt kernel.mlir                                       check a file and print it
  tile-opt kernel.json.gz -p graph-partition --explain       partition a dump and see why
  tile-opt kernel.mlir -p 'canonicalize,dce' -o out.mlir     run two passes of xDSL
  cat dump.json | tile-opt -f pypto-json -                   read JSON from a pipe
  tile-opt --help-pass canonicalize                          options of a pass, with an example
  tile-opt compare before.mlir after.mlir                    simulate two results and compare them
  tile-opt what-if kernel.json.gz --set 'pg_lower_bound=0'   simulate what other pass options would make of it

The exit status is 0, or 1 after an error, which is one message on stderr. The environment variable
TILE_OPT_TRACEBACK=1 adds the Python traceback, for reports of internal errors."""

_SECTIONS: Mapping[str, Sequence[str]] = {
    "input and output": ("input_file", "frontend", "target", "output_file"),
    "passes": ("passes", "list_passes", "help_pass", "print_between_passes", "time_passes"),
    "what was decided, and why": ("explain", "remarks"),
    "rules and chip": ("compat", "soc_version"),
    "pass options": ("pass_options", "strict_keys", "translate_keys"),
    "GE and ATC options": ("atc_flags", "emit", "check_only"),
    "tests": ("split_input_file", "verify_diagnostics", "parsing_diagnostics", "shrink"),
    "general": ("help", "version"),
}
"""Arguments by the section of the help that shows them; those that are not here come last."""


class ExactArgumentParser(argparse.ArgumentParser):
    """Argument parser whose errors exit with 1 and that takes exact option names only."""

    def __init__(self, prog: str, usage: str, description: str, epilog: str):
        super().__init__(
            prog=prog,
            usage=f"{prog} {usage}",
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def parse_known_names(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """As `parse_args`, but an unknown argument is refused with the nearest names."""
        parsed, unknown = self.parse_known_args(arguments)
        if unknown:
            self.error(self._describe_unknown(unknown[0]))
        return parsed

    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: error: {message}\nusage: {self.usage}   ('{self.prog} --help' shows the options)\n")

    def _describe_unknown(self, argument: str) -> str:
        if not argument.startswith("-"):
            return f"unexpected argument '{argument}'"
        name = argument.split("=", 1)[0]
        completions = [option for option in self._option_string_actions if option.startswith(name)]
        if completions:
            return f"unknown option '{name}', did you mean {' or '.join(completions)}?"
        return f"unknown option '{name}'{did_you_mean(name, self._option_string_actions)}"


class ArgumentParser(ExactArgumentParser):
    """The argument parser of `tile-opt`, whose help has sections."""

    def __init__(self):
        super().__init__("tile-opt", "[option ...] [input file]", DESCRIPTION, EXAMPLES)

    def format_help(self) -> str:
        actions = {action.dest: action for action in self._actions}
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, destinations in _SECTIONS.items():
            formatter.start_section(title)
            formatter.add_arguments([actions.pop(destination) for destination in destinations])
            formatter.end_section()
        formatter.start_section("reading and printing of MLIR")
        formatter.add_arguments(actions.values())
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def parse_known_names(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        return super().parse_known_names(with_bool_values(sys.argv[1:] if arguments is None else arguments))

    def set_help(self, texts: Mapping[str, str]) -> None:
        """Replace the help of arguments, given by their destination."""
        for action in self._actions:
            action.help = texts.get(action.dest, action.help)

    def _describe_unknown(self, argument: str) -> str:
        told = super()._describe_unknown(argument)
        return told if argument.startswith("-") else f"{told}, one input file is read"


class PrintAndExit(argparse.Action):
    """An option that prints a text, made from its value if it takes one, and exits."""

    def __init__(self, option_strings: Sequence[str], dest: str, text: Callable[[Any], str], **options: Any):
        super().__init__(option_strings, dest, **options)
        self.text = text

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> NoReturn:
        print(self.text(values))
        parser.exit()


def add_arguments(
    parser: argparse.ArgumentParser, list_passes: Callable[[object], str], describe_pass: Callable[[str], str]
) -> None:
    """Add what xDSL's driver does not have; the callables give the texts of `--list-passes` and `--help-pass`."""
    parser.add_argument(
        "--list-passes",
        action=PrintAndExit,
        nargs=0,
        text=list_passes,
        help="print the names of all passes with a line about each",
    )
    parser.add_argument(
        "--help-pass",
        action=PrintAndExit,
        text=describe_pass,
        metavar="NAME",
        help="print what a pass does, its options and an example",
    )
    parser.add_argument(
        "--translate-keys",
        metavar="FILE",
        help="write FILE, a settings file, with names of classes such as func8_0 as stable names, or back",
    )
    parser.add_argument(
        "--strict-keys", action="store_true", help="fail where a key of a merge setting matches nothing"
    )
    parser.add_argument("--explain", action="store_true", help="print the remarks of readers and passes on stderr")
    parser.add_argument("--remarks", metavar="FILE", help="write the remarks as JSON")
    add_rules(parser)
    parser.add_argument(
        "--pass-options",
        action="append",
        default=[],
        metavar="FILE",
        help="JSON file with pass options, stronger than those of the input; may be given several times, later wins",
    )
    add_atc_arguments(parser)


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say by which rules and for which chip modules are treated."""
    parser.add_argument(
        "--compat",
        choices=[rules.value for rules in Compat],
        help="which rules hold where the published ones and the shipped compiler differ; "
        "default: what the input says, else published",
    )
    parser.add_argument(
        "--soc-version",
        type=_soc_version,
        metavar="NAME",
        help="the chip: a SoC name or a family (a2a3, a5, lite); default: what the input says, else a2a3",
    )


def describe_inherited(parser: ArgumentParser, frontends: Sequence[str], targets: Sequence[str]) -> None:
    """Replace the help of the arguments that xDSL's driver registered."""
    texts = {
        "input_file": "file to read; '-' or nothing is stdin. Gzip data is decompressed",
        "frontend": f"format of the input, else the file extension decides: {', '.join(frontends)}",
        "target": f"format of the output, mlir if not given: {', '.join(targets)}",
        "output_file": "file to write, else stdout; it changes only if all succeeds",
        "passes": "pipeline, e.g. 'cse,canonicalize' or 'pass{option=1 other=\"text\"}'",
        "print_between_passes": "print the IR between passes on stderr",
        "time_passes": "print how long each pass takes on stderr",
        "split_input_file": "process the pieces between '// -----' one by one",
        "verify_diagnostics": "print a verifier or pass error on stdout and exit with 0",
        "parsing_diagnostics": "print a parse error on stdout and exit with 0",
        "shrink": "succeed only if a pass raises ShrinkException (for shrinkray)",
        "help": "print this page",
        "version": "print the versions of tile-opt and xDSL",
        "disable_verify": "do not verify the IR",
        "allow_unregistered_dialect": "read operations and types of unknown dialects",
        "no_implicit_module": "the input must be one module",
        "print_op_generic": "print operations in the generic format",
        "print_no_properties": "print properties as attributes",
        "print_debuginfo": "print locations",
        "syntax_highlight": "print in colors",
    }
    parser.set_help(texts)


def _soc_version(name: str) -> str:
    """The chip of a name, for `argparse`."""
    from dialect.targets import resolve_soc

    try:
        return resolve_soc(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
