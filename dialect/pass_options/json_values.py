"""Pass options from the values of a JSON document, and back: as Python values, but all keys are texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from dialect.compat import Compat
from dialect.pass_options.errors import Mistake, PassOptionError
from dialect.pass_options.keys import key_of_text, text_of_key
from dialect.pass_options.python_values import option_from_python
from dialect.pass_options.settings import MergeSetting, OptionValue, ScopeSetting
from dialect.pass_options.table import OptionType, find_option


def option_from_json(name: str, value: object, compat: Compat) -> OptionValue:
    """The value of option `name` that a JSON value means; a key that is a decimal number is an integer key.

    Raises:
        PassOptionError: an unknown option, or a value that it does not take.
    """
    if find_option(name).type is OptionType.MERGE_SETTING and isinstance(value, dict):
        value = keys_from_text(name, cast("dict[str, object]", value))
    return option_from_python(name, value, compat)


def option_to_json(value: OptionValue) -> object:
    """The JSON value that `option_from_json` reads back as `value`."""
    if isinstance(value, MergeSetting):
        return {
            text_of_key(key): count.count if count.side is None else [count.count, count.side.value]
            for key, count in value.entries()
        }
    return list(value) if isinstance(value, ScopeSetting) else value


def keys_from_text(option: str, entries: Mapping[str, object]) -> dict[int | str, object]:
    """The entries of a setting by the keys that their texts mean.

    Raises:
        PassOptionError: a malformed key, or two texts that mean one key.
    """
    by_key: dict[int | str, object] = {}
    for text, value in entries.items():
        try:
            key = key_of_text(text)
        except ValueError as error:
            raise PassOptionError(Mistake.VALUE, option, str(error), text) from None
        if key in by_key:
            raise PassOptionError(Mistake.VALUE, option, "is given twice", key)
        by_key[key] = value
    return by_key
