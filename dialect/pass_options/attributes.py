"""Pass options from IR attributes, and back.

```mlir
vec_nbuffer_setting = {DEFAULT = 2, func8_0 = 1, "-1" = 4, V1 = 3}
cube_l1_reuse_setting = {DEFAULT = [4, "left"]}
sg_set_scope = [1, true, false]
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute

from dialect.compat import Compat
from dialect.pass_options.errors import Mistake, PassOptionError
from dialect.pass_options.json_values import keys_from_text
from dialect.pass_options.keys import text_of_key
from dialect.pass_options.python_values import option_from_python
from dialect.pass_options.settings import MergeCount, MergeSetting, OptionValue, ScopeSetting
from dialect.pass_options.table import OptionType, find_option
from dialect.values import boolean_of, integer_of, items_of, string_of


def option_from_attribute(name: str, attribute: Attribute, compat: Compat, *, mixed_keys: bool = False) -> OptionValue:
    """The value of option `name` that an attribute means.

    Parameters:
        mixed_keys: as for `option_from_python`.

    Raises:
        PassOptionError: an unknown option, or a value that it does not take.
    """
    value = _python_value(name, attribute)
    if find_option(name).type is OptionType.MERGE_SETTING and isinstance(value, dict):
        value = keys_from_text(name, cast("dict[str, object]", value))
    return option_from_python(name, value, compat, mixed_keys=mixed_keys)


def options_from_dictionary(
    entries: Mapping[str, Attribute], compat: Compat, *, mixed_keys: bool = False
) -> dict[str, OptionValue]:
    """The values of a dictionary of options, in its order; raises as `option_from_attribute`."""
    return {name: option_from_attribute(name, entry, compat, mixed_keys=mixed_keys) for name, entry in entries.items()}


def _python_value(option: str, attribute: Attribute) -> object:
    if (flag := boolean_of(attribute)) is not None:
        return flag
    if (number := integer_of(attribute)) is not None:
        return number
    if (text := string_of(attribute)) is not None:
        return text
    if (items := items_of(attribute)) is not None:
        return [_python_value(option, item) for item in items]
    if isinstance(attribute, DictionaryAttr):
        return {key: _python_value(option, entry) for key, entry in attribute.data.items()}
    if isinstance(attribute, FloatAttr):
        return attribute.value.data
    raise PassOptionError(Mistake.TYPE, option, f"a pass option cannot be {attribute}")


def option_to_attribute(value: OptionValue) -> Attribute:
    """The attribute that `option_from_attribute` reads back as `value`."""
    match value:
        case MergeSetting():
            return DictionaryAttr({text_of_key(key): _count_attribute(count) for key, count in value.entries()})
        case ScopeSetting(scope_id, False, False):
            return IntegerAttr(scope_id, i64)
        case ScopeSetting():
            return ArrayAttr([IntegerAttr(value.scope_id, i64), *(IntegerAttr(int(flag), 1) for flag in value[1:])])
        case bool():
            return IntegerAttr(int(value), 1)
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)


def options_to_dictionary(values: Mapping[str, OptionValue]) -> dict[str, Attribute]:
    """The attributes of several options, in the order of `values`."""
    return {name: option_to_attribute(value) for name, value in values.items()}


def _count_attribute(count: MergeCount) -> Attribute:
    number = IntegerAttr(count.count, i64)
    return number if count.side is None else ArrayAttr([number, StringAttr(count.side.value)])
