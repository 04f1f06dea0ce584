"""Element types as programs name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dialect.elements import ELEMENTS, Element
from dialect.python_api.errors import argument_error
from dialect.suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class DataType:
    """An element type: its name in programs and its row in the table of elements."""

    name: str
    element: Element

    def __repr__(self) -> str:
        return self.name

    @property
    def is_float(self) -> bool:
        return str(self.element.type).startswith(("f", "bf", "!tile.float"))

    @property
    def is_bool(self) -> bool:
        return str(self.element.type) == "i1"


_NAMES = (
    "INT4 INT8 INT16 INT32 INT64 FP8 FP16 FP32 BF16 HF4 HF8 UINT8 UINT16 UINT32 UINT64 BOOL DOUBLE FP8E4M3 FP8E5M2 "
    "FP8E8M0 FP4_E2M1X2 FP4_E1M2X2 FP4_E2M1 FP4_E1M2"
)

DATA_TYPES: tuple[DataType, ...] = tuple(
    DataType(f"DT_{name}", element) for name, element in zip(_NAMES.split(), ELEMENTS, strict=True)
)
"""All element types; the index is the number in dumps (JSON format, section 8)."""

DATA_TYPE_BY_NAME: Mapping[str, DataType] = {data_type.name: data_type for data_type in DATA_TYPES}

_BY_ARRAY_NAME: Mapping[str, DataType] = {
    array_name: DATA_TYPE_BY_NAME[name]
    for array_name, name in (
        ("bool", "DT_BOOL"),
        ("int8", "DT_INT8"),
        ("int16", "DT_INT16"),
        ("int32", "DT_INT32"),
        ("int64", "DT_INT64"),
        ("uint8", "DT_UINT8"),
        ("uint16", "DT_UINT16"),
        ("uint32", "DT_UINT32"),
        ("uint64", "DT_UINT64"),
        ("float16", "DT_FP16"),
        ("bfloat16", "DT_BF16"),
        ("float32", "DT_FP32"),
        ("float64", "DT_DOUBLE"),
        ("float8_e4m3fn", "DT_FP8E4M3"),
        ("float8_e5m2", "DT_FP8E5M2"),
    )
}
"""Names that array libraries give to their types, without the library's own prefix."""


def data_type_of(value: object, function: str, argument: str) -> DataType:
    """The element type that `value` means: a `DT_…` constant, or the dtype of an array library.

    Raises:
        TypeError: it means none; the message names `function`, `argument` and the nearest names.
    """
    if isinstance(value, DataType):
        return value
    text = value if isinstance(value, str) else str(getattr(value, "name", value))
    name = text.rpartition(".")[2]
    found = _BY_ARRAY_NAME.get(name) or DATA_TYPE_BY_NAME.get(name)
    if found is None:
        hint = did_you_mean(name, (*DATA_TYPE_BY_NAME, *_BY_ARRAY_NAME))
        raise argument_error(function, argument, "a data type such as DT_FP32", value, hint)
    return found
