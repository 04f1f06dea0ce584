"""Messages about arguments: which function, which argument, what was expected, what was found."""

from __future__ import annotations

from dialect.shown import shown


def argument_error(function: str, argument: str, expected: str, found: object, hint: str = "") -> TypeError:
    """The error for an argument of the wrong type."""
    return TypeError(f"{function}: argument '{argument}': expected {expected}, found {shown(found)}{hint}")


def value_error(function: str, argument: str, expected: str, found: object, hint: str = "") -> ValueError:
    """The error for an argument of the right type whose value does not fit."""
    return ValueError(f"{function}: argument '{argument}': expected {expected}, found {shown(found)}{hint}")
