"""Values of programs in messages."""

from __future__ import annotations

_WIDTH = 80
_PLAIN_TYPES = (str, int, float, tuple, list, dict, type(None))


def shown(value: object) -> str:
    """A value in a message: on one line, shortened, and with its type where the text does not show it.

    Whatever the value is, this does not fail: also not for a number of more digits than Python prints.
    """
    kind = type(value).__name__
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return f"an integer of {value.bit_length()} bits" if isinstance(value, int) else f"a value of type {kind}"
    if len(text) > _WIDTH:
        text = f"{text[: _WIDTH - 3]}..."
    if isinstance(value, _PLAIN_TYPES) or text.startswith(tuple(base.__name__ for base in type(value).__mro__)):
        return text
    return f"{text} ({kind})"
