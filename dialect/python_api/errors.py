"""Messages about arguments: which function, which argument, what was expected, what was found."""

from __future__ import annotations

_LONGEST_VALUE = 80


def shown(value: object) -> str:
    """A value in a message: its text, cut where it is long, and its type where the text does not tell it."""
    text = " ".join(repr(value).split())
    if len(text) > _LONGEST_VALUE:
        text = f"{text[:_LONGEST_VALUE]}…"
    if isinstance(value, (str, int, float, tuple, list, dict)) or value is None or text.startswith(("Tensor", "DT_")):
        return text
    return f"{text} ({type(value).__name__})"


def argument_error(function: str, argument: str, expected: str, found: object, hint: str = "") -> TypeError:
    """The error for an argument of the wrong type."""
    return TypeError(f"{function}: argument '{argument}': expected {expected}, found {shown(found)}{hint}")


def value_error(function: str, argument: str, expected: str, found: object, hint: str = "") -> ValueError:
    """The error for an argument of the right type whose value does not fit."""
    return ValueError(f"{function}: argument '{argument}': expected {expected}, found {shown(found)}{hint}")
