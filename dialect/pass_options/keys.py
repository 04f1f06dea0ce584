"""The keys of merge settings: their kinds, and their text.

A *class name* is `DEFAULT` or `func{magic}_{order}`. A *stable name* begins with `@` or `~`. An integer key is the
older form of a class name: the order of a class in every function, or a negative special value. Anything else is a
label.
"""

from __future__ import annotations

import re
from enum import StrEnum

from dialect.compat import Compat

DEFAULT_KEY = "DEFAULT"
"""The class name that means every class without an entry of its own."""

CLASS_NAME_FORM = "func{magic}_{order} with decimal numbers, such as func8_0"

_CLASS_NAME = re.compile(r"func[0-9]+_[0-9]+")
_NATIVE_CLASS_NAME = re.compile(r"func[0-9]+_[0-9]*")
"""The shipped compiler takes an empty order for a class name too, which then names no class."""
_NEARLY_CLASS_NAME = re.compile(r"func[0-9_]*", re.IGNORECASE)
_INTEGER = re.compile(r"-?[0-9]+")
_NEEDS_QUOTES_IN_PIPELINE = re.compile(r"[,=:\"\\'\s]")

_LONGEST_INTEGER = 20


class KeyKind(StrEnum):
    """What a string key names."""

    CLASS = "class"
    LABEL = "label"
    STABLE = "stable name"


def kind_of_key(key: str, compat: Compat) -> KeyKind:
    """What a string key names.

    Raises:
        ValueError: a key that is not valid Unicode text; under the published rules, one that is nearly a class name, or
            empty.
    """
    if not is_text(key):
        raise ValueError("is not valid Unicode text")
    if key == DEFAULT_KEY or _CLASS_NAME.fullmatch(key):
        return KeyKind.CLASS
    if compat is Compat.PYPTO and _NATIVE_CLASS_NAME.fullmatch(key):
        return KeyKind.CLASS
    if is_stable_name(key):
        return KeyKind.STABLE
    if compat is Compat.PUBLISHED:
        if not key:
            raise ValueError("an empty label matches no op")
        if _NEARLY_CLASS_NAME.fullmatch(key):
            raise ValueError(f"looks like the name of a class and is not one; expected {CLASS_NAME_FORM}")
    return KeyKind.LABEL


def is_text(key: str) -> bool:
    """Whether `key` is valid Unicode text, which the IR can hold; Python's strings may have lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in key)


def is_class_name(key: str) -> bool:
    """Whether `key` is of the form `func{magic}_{order}`."""
    return _CLASS_NAME.fullmatch(key) is not None


def is_stable_name(key: str) -> bool:
    """Whether `key` is a name of a class that does not move when the program changes elsewhere."""
    return key.startswith(("@", "~"))


def key_of_text(text: str) -> int | str:
    """The key that a text means in JSON, in IR and in a pipeline: a decimal number is an integer key.

    A text in single quotes is a string key whatever it looks like; a quote in it is written twice.

    Raises:
        ValueError: a text that begins with a quote and is not of this form, or a number of more than 20 digits.
    """
    if text.startswith("'"):
        inner = text[1:-1]
        if len(text) < 2 or not text.endswith("'") or "'" in inner.replace("''", ""):
            raise ValueError("a key that begins with a quote is written in single quotes, with '' for a quote in it")
        return inner.replace("''", "'")
    if _INTEGER.fullmatch(text):
        if len(text) > _LONGEST_INTEGER:
            raise ValueError(f"is a number of {len(text)} digits")
        return int(text)
    return text


def text_of_key(key: int | str, *, in_pipeline: bool = False) -> str:
    """The text of a key that `key_of_text` reads back; a pipeline needs quotes around more of them."""
    if isinstance(key, int):
        return str(key)
    needs_quotes = key.startswith("'") or _INTEGER.fullmatch(key) is not None
    if in_pipeline:
        needs_quotes = needs_quotes or not key or _NEEDS_QUOTES_IN_PIPELINE.search(key) is not None
    return "'" + key.replace("'", "''") + "'" if needs_quotes else key
