"""ATC's command line: rewriting of arguments, `getopt_long`, and what was given (ATC options, a.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tools.atc.messages import AtcError, Message, printable
from tools.atc.tables import Flag, flags
from tools.atc.value_check import TRUE_WORDS, check_value

_SINGLE_DASH = re.compile(r"-[A-Za-z]{2}")
_DOUBLE_DASH = re.compile(r"--[A-Za-z]{2}")


@dataclass(frozen=True)
class CommandLine:
    """The flags that were given, each with its texts in order, and whether `--help` was met."""

    texts: Mapping[str, tuple[str, ...]]
    wants_help: bool = False

    def value(self, name: str) -> str | None:
        """The value of a flag: its last text; None if it was not given."""
        return self.texts[name][-1] if name in self.texts else None

    def is_true(self, name: str) -> bool:
        """Whether a bool flag was given with a word that means true."""
        value = self.value(name)
        return value is not None and value.lower() in TRUE_WORDS


def rewrite_argument(argument: str) -> str:
    """An argument with two dashes in front, and `_` for the other dashes of its name (a.2, 1)."""
    if _SINGLE_DASH.match(argument):
        argument = f"-{argument}"
    if not _DOUBLE_DASH.match(argument):
        return argument
    name, equals, value = argument.partition("=")
    return f"{name[:4]}{name[4:].replace('-', '_')}{equals}{value}"


def parse_command_line(arguments: Sequence[str], own_flags: Mapping[str, Flag] | None = None) -> CommandLine:
    """The flags of a command line without its command.

    `own_flags` are more flags than ATC's; they are taken by exact name only, so that prefixes mean what they mean to
    ATC.

    Raises:
        AtcError: an unknown or ambiguous flag, a missing value, a left-over word, or a value that its flag refuses.
    """
    own = own_flags or {}
    pending = iter([rewrite_argument(argument) for argument in arguments])
    occurrences: list[tuple[Flag, str]] = []
    words: list[str] = []
    for argument in pending:
        if argument == "--":
            words += pending
        elif argument == "-" or not argument.startswith("-"):
            words.append(argument)
        elif not argument.startswith("--"):
            if argument[1] != "h":
                raise _error(f"unknown option '-{argument[1]}', the only short option is -h")
            return command_line_of(occurrences, wants_help=True)
        else:
            name, equals, value = argument[2:].partition("=")
            flag = own[name] if name in own else _find_flag(name, own)
            if not equals and flag.type != "bool":
                following = next(pending, None)
                if following is None:
                    raise _error(f"--{flag.name} needs a value")
                value = following
            check_value(flag, value)
            occurrences.append((flag, value))
            if flag.name == "help" and value.lower() in TRUE_WORDS:
                return command_line_of(occurrences, wants_help=True)
    if words:
        raise _error(f"'{words[0]}' is neither a flag nor the value of one{_hint_of_word(words[0], occurrences)}")
    return command_line_of(occurrences)


def command_line_of(occurrences: Iterable[tuple[Flag, str]], *, wants_help: bool = False) -> CommandLine:
    """The command line with these flags and texts in this order."""
    texts: dict[str, tuple[str, ...]] = {}
    for flag, text in occurrences:
        texts[flag.name] = (*texts.get(flag.name, ()), text)
    return CommandLine(texts, wants_help)


def _find_flag(name: str, own: Mapping[str, Flag]) -> Flag:
    table = flags()
    if name in table:
        return table[name]
    if name == "h":
        return table["help"]
    found = [flag for flag in table if flag.startswith(name)]
    if len(found) == 1:
        return table[found[0]]
    if found:
        shown = ", ".join(f"--{flag}" for flag in found[:8])
        raise _error(f"unknown flag '--{name}': it may mean {shown}{' …' if len(found) > 8 else ''}")
    from dialect.suggestions import did_you_mean

    known = [f"--{flag}" for flag in (*table, *own)]
    raise _error(f"unknown flag '--{name}'{did_you_mean(f'--{name}', known)}")


def _hint_of_word(word: str, occurrences: Sequence[tuple[Flag, str]]) -> str:
    if occurrences and occurrences[-1][0].type == "bool":
        return f"; a bool flag takes its value with '=': --{occurrences[-1][0].name}={word}"
    return ""


def _error(text: str) -> AtcError:
    return AtcError(Message("", printable(text)))
