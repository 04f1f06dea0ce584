"""What GE's core, its engines and the build check later than ATC's entry (ATC options, c.3 and e.9)."""

from __future__ import annotations

import re

from tools.atc.aipp import configured_inputs
from tools.atc.config_files import check_config_files
from tools.atc.entry_checks import OM2, UNSET_FRAMEWORK
from tools.atc.flag_values import FlagValues
from tools.atc.messages import AtcError, Message, failure, message
from tools.atc.shapes import dynamic_flags_of, gears_of
from tools.atc.tables import registry

_STREAM_MODE = re.compile(r"(LoadBalance|MainStream|WeightedLoadBalance):([0-9]+)")
_MOST_STREAMS = 64

_CANONICAL = re.compile(r"0|[1-9][0-9]*")
_DIGITS = 18
"""Digits that a count may have; no chip comes near."""

_MAKE_CHARACTERS = re.compile(r"[A-Za-z0-9 _\-./+,:=@%'\"]*")
_MAKE_VARIABLES = ("CXX", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS")


def check_later(flags: FlagValues) -> tuple[Message, ...]:
    """Check what a build would find, and return what would only be a warning.

    Raises:
        AtcError: the first failure.
    """
    check_core_counts(flags["aicore_num"])
    check_config_files(flags)
    _check_half_inputs(flags)
    if flags["mode"] == OM2 and flags["framework"] == UNSET_FRAMEWORK:
        raise failure("E19999", "--mode=7 without --framework: there is no parser for the model")
    _check_optimization(flags)
    if dynamic_flags_of(flags):
        gears_of(flags)
    check_stream_mode(flags)
    if flags["build_config"] and flags["mode"] == OM2:
        check_build_config(flags["build_config"])
    return _hints_of_shapes(flags["input_hint_shape"])


def check_core_counts(text: str, limits: tuple[int, int] | None = None) -> tuple[int, int]:
    """The cube and vector core counts of `n`, `n|` or `cube|vector`; 0 is no change.

    Parameters:
        limits: the counts of the chip, if it is known.

    Raises:
        AtcError: E10001, a part is no plain decimal number; E10060, it is more than the chip has.
    """
    cube, _, vector = text.partition("|")
    counts: list[int] = []
    for index, (kind, part) in enumerate((("cube", cube), ("vector", vector))):
        if part and (_CANONICAL.fullmatch(part) is None or len(part) > _DIGITS):
            reason = f"expected n, n| or cube|vector with plain decimal numbers, found '{part}'"
            raise failure("E10001", text, "--aicore_num", reason)
        counts.append(int(part or 0))
        if limits is not None and counts[-1] > limits[index]:
            reason = f"the chip has {limits[index]} {kind} cores, found {part}"
            raise AtcError(
                message("E10060", f"--aicore_num: {reason}"), message("E10001", text, "--aicore_num", reason)
            )
    return counts[0], counts[1]


def _check_half_inputs(flags: FlagValues) -> None:
    if not flags["insert_op_conf"] or not flags["input_fp16_nodes"]:
        return
    configured = configured_inputs(flags["insert_op_conf"])
    for name in flags["input_fp16_nodes"].split(";"):
        if name in configured:
            raise failure("E10034", name)


def _check_optimization(flags: FlagValues) -> None:
    if flags["oo_level"] not in ("O1", "O3"):
        raise failure("E10001", flags["oo_level"], "--oo_level", "expected O1 or O3")
    for option in registry().values():
        for text in flags.explicit.texts.get(option.flag, ())[:1]:
            if option.members is not None and text not in option.members:
                members = ", ".join(member or "nothing" for member in option.members)
                raise failure("E10001", text, f"--{option.flag}", f"expected one of {members}")


def check_stream_mode(flags: FlagValues) -> None:
    """Raise `AtcError` for a malformed multi-stream mode, or one together with a single stream."""
    name = "multi_stream_parallel_mode"
    if not flags.is_given(name):
        return
    text = flags.explicit.texts.get(name, (flags[name],))[0]
    match = _STREAM_MODE.fullmatch(text)
    count = 1 if match is None else int(match[2][:_DIGITS])
    if text not in ("", "cv") and (match is None or not 1 <= count <= _MOST_STREAMS):
        reason = "expected nothing, cv, or LoadBalance:N, MainStream:N or WeightedLoadBalance:N with N in 1..64"
        raise failure("E10001", text, f"--{name}", reason)
    if text and flags["enable_single_stream"] == "true":
        raise failure("E10056", f"--{name}", "--enable_single_stream")


def check_build_config(text: str) -> None:
    """Raise `AtcError` unless the text is a make command with variables that it may set."""

    def refused(reason: str) -> AtcError:
        return failure("E10001", text, "build_config", reason)

    if not _MAKE_CHARACTERS.fullmatch(text):
        raise refused("it holds characters other than letters, digits, blanks and _-./+,:=@%'\"")
    words = _words(text)
    if words is None:
        raise refused("a quote is not closed")
    command = words[0] if words else ""
    if command != "make" and not command.endswith("/make"):
        raise refused("the first word must be make or a path to it")
    for word in words[1:]:
        if word.startswith(("-f", "--file", "--makefile")):
            raise refused("the makefile cannot be chosen")
        variable, equals, _ = word.partition("=")
        if not word.startswith("-") and not (equals and variable in _MAKE_VARIABLES):
            raise refused(f"'{word}' is not VAR=value with VAR one of {', '.join(_MAKE_VARIABLES)}")


def _words(text: str) -> list[str] | None:
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return None


def _hints_of_shapes(text: str) -> tuple[Message, ...]:
    """Warnings about malformed shape hints; only automatic fusion reads them."""
    seen = set[int]()
    for piece in text.split(";") if text else ():
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*:\s*\[([0-9,\s]*)\]\s*", piece)
        if match is None or int(match[1]) in seen:
            return (message("E10014", piece, "--input_hint_shape"),)
        seen.add(int(match[1]))
    return ()
