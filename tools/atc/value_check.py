"""The check of one value, for the command line and the raw file alike (ATC options, a.3)."""

from __future__ import annotations

from tools.atc.messages import AtcError, failure
from tools.atc.tables import Flag

TRUE_WORDS = frozenset({"", "1", "t", "true", "y", "yes"})
"""The words that set a bool flag, in lower case; no value counts as true."""

FALSE_WORDS = frozenset({"0", "f", "false", "n", "no"})

_LARGEST_INT32 = 2**31 - 1


def check_value(flag: Flag, text: str) -> None:
    """Raise `AtcError` if `text` is no value of the flag: not in its range, or not of its type."""
    if flag.range and text not in flag.range:
        raise _out_of_range(flag, text)
    if flag.type == "bool" and text.lower() not in TRUE_WORDS | FALSE_WORDS:
        raise failure("E10003", text, f"--{flag.name}", "expected a bool, such as true or false")
    if flag.type == "int32" and not (text.isascii() and text.isdigit() and int(text[:20]) <= _LARGEST_INT32):
        raise failure("E10003", text, f"--{flag.name}", "expected an int32 of digits only")


def _out_of_range(flag: Flag, text: str) -> AtcError:
    members = ", ".join(flag.range)
    match flag.range_code:
        case "E10006":
            return failure("E10006", text, f"--{flag.name}", " or ".join(flag.range))
        case "E10010":
            return failure("E10010", text)
        case "E10007":
            return failure("E10007", f"--{flag.name}", f"{members}, not '{text}'")
        case _:
            return failure("E10001", text, f"--{flag.name}", f"expected one of {', '.join(sorted(flag.range))}")
