"""ATC's flags among the arguments of `tile-opt`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from tools.atc.tables import flags, own_flags

_NOT_TAKEN = frozenset({"target", "help"})
"""Flags of ATC that mean something else in `tile-opt`."""


class _AppendFlag(argparse.Action):
    """Appends a flag's name and its text to the list of all of them."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        taken = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*taken, (str(option_string).removeprefix("--"), values)])


def add_atc_arguments(parser: argparse.ArgumentParser) -> None:
    """Let a parser take ATC's flags by their exact names, and the options that print or check them."""
    names = [f"--{name}" for name in flags() if name not in _NOT_TAKEN]
    parser.add_argument("--ATC_FLAG", dest="atc_flags", action=_AppendFlag, default=[], metavar="VALUE", help=_HELP)
    for name in names:
        parser.add_argument(name, dest="atc_flags", action=_AppendFlag, default=[], help=argparse.SUPPRESS)
    parser.add_argument("--emit", choices=own_flags()["emit"].range, help=own_flags()["emit"].meaning)
    parser.add_argument("--check-only", action="store_true", help=own_flags()["check_only"].meaning)


_HELP = "any flag of ATC by its exact name, such as --raw_ge_options=FILE; 'tile-atc --help' lists them"


def with_bool_values(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments with `=true` behind bool flags of ATC that stand alone, which `argparse` cannot tell."""
    bools = {f"--{name}" for name, flag in flags().items() if flag.type == "bool" and name not in _NOT_TAKEN}
    return [f"{argument}=true" if argument in bools else argument for argument in arguments]
