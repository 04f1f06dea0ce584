"""The checks of the modes that convert or display a model: 1, 5 and 6 (ATC options, e.11)."""

from __future__ import annotations

from tools.atc.entry_checks import DISPLAY, DUMP_TO_JSON, UNSET_FRAMEWORK
from tools.atc.flag_values import FlagValues
from tools.atc.messages import AtcError, failure, message
from tools.atc.paths import check_input_path, check_output_path


def check_conversion(flags: FlagValues) -> None:
    """Raise `AtcError` unless the parameters of the mode are there and their paths are good."""
    if flags["mode"] == DISPLAY:
        check_input_path(flags["om"], "om")
        if flags["framework"] != UNSET_FRAMEWORK:
            raise failure("E10057", "--framework", "--mode=6")
        return
    if flags["mode"] == DUMP_TO_JSON:
        if not flags["om"]:
            raise failure("E10004", "om")
        if flags["om"].rpartition(".")[2] != "txt":
            raise failure("E10001", flags["om"], "--om", "with --mode=5 expected a file that ends with .txt")
    missing = [message("E10004", name) for name in ("om", "json") if not flags[name]]
    if missing:
        raise AtcError(*missing)
    check_input_path(flags["om"], "om")
    check_output_path(flags["json"], "--json")
