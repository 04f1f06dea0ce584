"""The types of options in the words of the command line."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

_NAMES = {int: "an integer", float: "a number", str: "a string", bool: "true or false"}


def describe_type(expected: Any) -> str:
    """An option's type in words: `an integer`, `iso | osp-sarkar`, `a list (a string each)`; `None` is left out."""
    if expected in _NAMES:
        return _NAMES[expected]
    arguments = get_args(expected)
    origin = get_origin(expected)
    if origin is Literal:
        return " | ".join(str(choice) for choice in arguments)
    if origin in (Union, UnionType):
        return " or ".join(describe_type(member) for member in arguments if member is not NoneType)
    if origin is tuple:
        return f"a list ({describe_type(arguments[0])} each)" if arguments else "a list"
    return getattr(expected, "__name__", str(expected))
