"""The pass options that hold for a function: given to the pass, else carried by the function, else the default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, cast

from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.ops import FuncOp
from dialect.pass_options import (
    MergeSetting,
    OptionValue,
    PassOptionError,
    default_of,
    option_from_attribute,
    option_to_json,
    setting_from_text,
)
from transforms.remarks import Remark, RemarkValue, emit, is_collecting


class OptionSource(StrEnum):
    """Where the value of an option comes from."""

    PIPELINE = "given to the pass"
    FUNCTION = "carried by the function"
    DEFAULT = "default"


class EffectiveOption(NamedTuple):
    """The value that holds for a function, and where it comes from."""

    value: OptionValue
    source: OptionSource


@dataclass(frozen=True, slots=True)
class EffectiveOptions:
    """What holds for one function of each option that a pass reads.

    The three lookups return the value of an option of that type; a name that the pass did not ask for is a KeyError.
    """

    by_name: Mapping[str, EffectiveOption]

    def integer(self, name: str) -> int:
        value = self.by_name[name].value
        assert isinstance(value, int)
        return value

    def text(self, name: str) -> str:
        value = self.by_name[name].value
        assert isinstance(value, str)
        return value

    def setting(self, name: str) -> MergeSetting:
        value = self.by_name[name].value
        assert isinstance(value, MergeSetting)
        return value

    def flag(self, name: str) -> bool:
        value = self.by_name[name].value
        assert isinstance(value, bool)
        return value

    def is_default(self, name: str) -> bool:
        """Whether nobody has set the option."""
        return self.by_name[name].source is OptionSource.DEFAULT


def effective_options(
    function: FuncOp, pass_name: str, given: Mapping[str, OptionValue | None], compat: Compat
) -> EffectiveOptions:
    """What holds for a function of each option that a pass reads; the pass's remark `options` says it to the user.

    Parameters:
        given: per option that the pass reads, the value on the pipeline, or None.

    Raises:
        PassFailedException: the function carries a value that the option does not take.
    """
    carried: Mapping[str, Attribute] = {} if function.pass_options is None else function.pass_options.data
    effective: dict[str, EffectiveOption] = {}
    for name, value in given.items():
        if value is not None:
            effective[name] = EffectiveOption(value, OptionSource.PIPELINE)
        elif (attribute := carried.get(name)) is not None:
            try:
                value = option_from_attribute(name, attribute, compat, mixed_keys=True)
            except PassOptionError as error:
                raise PassFailedException(f"pass_options of @{function.symbol}: {error}") from error
            effective[name] = EffectiveOption(value, OptionSource.FUNCTION)
        else:
            effective[name] = EffectiveOption(default_of(name, compat), OptionSource.DEFAULT)
    if is_collecting():
        _explain(function, pass_name, effective)
    return EffectiveOptions(effective)


def given_setting(name: str, text: str | None, compat: Compat) -> MergeSetting | None:
    """The merge setting that a pass was given as text on the pipeline, or None.

    Raises:
        PassFailedException: the text is not a setting of the option `name`.
    """
    if text is None:
        return None
    try:
        return setting_from_text(name, text, compat)
    except PassOptionError as error:
        raise PassFailedException(str(error)) from error


def _explain(function: FuncOp, pass_name: str, effective: Mapping[str, EffectiveOption]) -> None:
    texts = [f"{name} = {describe_value(value)} ({source})" for name, (value, source) in effective.items()]
    details: dict[str, RemarkValue] = {
        name: {"value": remark_value(value), "source": str(source)} for name, (value, source) in effective.items()
    }
    emit(Remark(pass_name, "options", "; ".join(texts), function.symbol, details))


def describe_value(value: OptionValue) -> str:
    """A value as a settings file has it."""
    return json.dumps(option_to_json(value), ensure_ascii=False)


def remark_value(value: OptionValue) -> RemarkValue:
    """A value as the details of a remark have it."""
    return cast(RemarkValue, option_to_json(value))
