"""The tensors of a function: their types, and what each carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute

from dialect.attributes import StorageAttr
from dialect.elements import Element
from dialect.types import MEMORY_ATTRS, TensorType, shape_attr, tensor_type
from tools.formats.pypto_json.decoders import Decoders
from tools.formats.pypto_json.places import FunctionPlace
from tools.formats.pypto_json.schema import UNKNOWN_MEMORY, Function, RawTensor, Tensor, TensorMemory

_UNKNOWN = TensorMemory(UNKNOWN_MEMORY, UNKNOWN_MEMORY)


class TensorFacts(NamedTuple):
    """One tensor as the dialect sees it.

    `properties` has everything but the valid shape. `valid` is the dynamic valid shape, the shape itself where the dump
    states none. `name` is the name of its raw tensor, if it has one.
    """

    type: TensorType
    shape: tuple[int, ...]
    element: Element
    properties: dict[str, Attribute]
    valid: tuple[int | str, ...]
    name: str | None


class TensorTable:
    """The tensors of one function by magic; facts are computed when they are first asked for.

    Raises:
        DumpError: a magic or raw magic is repeated, or a tensor has no raw tensor or an offset of another rank.
    """

    def __init__(self, function: Function, place: FunctionPlace, decoders: Decoders):
        self._elements = decoders.elements
        self._interned = decoders.interned
        self._raw_tensors = _by_raw_magic(function.rawtensors, place)
        self._tensors = _by_magic(function.tensors, self._raw_tensors, place)
        self._magics = frozenset(self._tensors)
        self._users_of_raw_tensor = Counter([tensor.rawtensor for tensor in function.tensors])
        self._facts: dict[int, TensorFacts] = {}

    @property
    def magics(self) -> frozenset[int]:
        return self._magics

    def __getitem__(self, magic: int) -> TensorFacts:
        facts = self._facts.get(magic)
        if facts is None:
            facts = self._facts[magic] = self._compute(self._tensors[magic])
        return facts

    def own_properties(self, magic: int) -> dict[str, Attribute]:
        """What an argument or a buffer for this tensor carries."""
        facts = self[magic]
        if facts.valid == facts.shape:
            return facts.properties
        return {**facts.properties, "valid": self._interned.symbolic_list(facts.valid)}

    def _compute(self, tensor: Tensor) -> TensorFacts:
        interned = self._interned
        raw = self._raw_tensors[tensor.rawtensor]
        memory = tensor.mem_type or _UNKNOWN
        element = self._elements[raw.datatype]
        shape = tuple(tensor.shape)
        type = tensor_type(shape, element.number, memory.asis)
        properties: dict[str, Attribute] = {"tensor_magic": interned.integer(tensor.magic)}
        if raw.rawshape != tensor.shape or any(tensor.offset) or self._users_of_raw_tensor[tensor.rawtensor] > 1:
            properties["storage"] = StorageAttr(
                IntAttr(raw.rawmagic), shape_attr(raw.rawshape), element.type, shape_attr(tensor.offset)
            )
        if memory.tobe != memory.asis:
            properties["tobe"] = MEMORY_ATTRS[memory.tobe]
        if tensor.dynoffset:
            offset = interned.symbolic_values(tensor.dynoffset)
            if offset != tuple(tensor.offset):
                properties["dyn_offset"] = interned.symbolic_list(offset)
        valid = interned.symbolic_values(tensor.dynvalidshape) if tensor.dynvalidshape else shape
        return TensorFacts(type, shape, element, properties, valid, raw.symbol)


def _by_raw_magic(raw_tensors: Sequence[RawTensor], place: FunctionPlace) -> dict[int, RawTensor]:
    table: dict[int, RawTensor] = {}
    for index, raw in enumerate(raw_tensors):
        if table.setdefault(raw.rawmagic, raw) is not raw:
            raise place.error(f".rawtensors[{index}]", f"rawmagic {raw.rawmagic} is repeated; expected unique ones")
    return table


def _by_magic(tensors: Sequence[Tensor], raw_tensors: dict[int, RawTensor], place: FunctionPlace) -> dict[int, Tensor]:
    table: dict[int, Tensor] = {}
    for index, tensor in enumerate(tensors):
        if table.setdefault(tensor.magic, tensor) is not tensor:
            raise place.error(f".tensors[{index}]", f"magic {tensor.magic} is repeated; expected unique ones")
        if tensor.rawtensor not in raw_tensors:
            raise place.error(
                f".tensors[{index}].rawtensor",
                f"tensor {tensor.magic} lives in raw tensor {tensor.rawtensor}, which does not exist; "
                "expected the rawmagic of an entry of 'rawtensors'",
            )
        if len(tensor.offset) != len(tensor.shape):
            raise place.error(
                f".tensors[{index}].offset",
                f"expected as many entries as the shape of tensor {tensor.magic} has, {len(tensor.shape)}, "
                f"found {len(tensor.offset)}",
            )
    return table
