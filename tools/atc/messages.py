"""Errors and warnings with ATC's codes."""

from __future__ import annotations

from typing import NamedTuple

from tools.atc.tables import message_texts


class Message(NamedTuple):
    """What is told to the user; the code is empty where ATC has none."""

    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.code}: {self.text}" if self.code else f"ERROR: {self.text}"


class AtcError(Exception):
    """A failure that ATC reports, with one or more messages."""

    def __init__(self, *messages: Message):
        super().__init__("\n".join(map(str, messages)))
        self.messages = messages


def message(code: str, *arguments: object) -> Message:
    """The message of a code; the arguments are in the order of the table."""
    text, names = message_texts()[code]
    texts = [printable(str(argument)) for argument in arguments]
    return Message(code, text.format(**dict(zip(names, texts, strict=True))))


def failure(code: str, *arguments: object) -> AtcError:
    """The error with one message of a code."""
    return AtcError(message(code, *arguments))


_SHOWN = 300


def printable(text: str) -> str:
    """A text that a terminal can show: shortened, control characters and bytes that are not UTF-8 escaped."""
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}… ({len(text)} characters)"
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
