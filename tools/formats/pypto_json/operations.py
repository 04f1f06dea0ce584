"""From an op of a dump to an op of the dialect."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue

from dialect.latency import latency
from dialect.opcodes import Opcode, opcode_of_dump
from dialect.operation import INTO, TileOperation
from dialect.ops import OPERATION_CLASSES
from dialect.types import MEMORY_ATTRS, MemoryAttr
from tools.formats.pypto_json.decoders import Decoders
from tools.formats.pypto_json.errors import FormError
from tools.formats.pypto_json.interned import Interned
from tools.formats.pypto_json.places import FunctionPlace
from tools.formats.pypto_json.schema import UNKNOWN_MEMORY, Operation
from tools.formats.pypto_json.tensors import TensorTable
from tools.formats.pypto_json.windows import Window

_UNIT = UnitAttr()
_UNKNOWN_MEMORY = MEMORY_ATTRS[UNKNOWN_MEMORY]


class OperationBuilder:
    """Builds the ops of one function, writers before readers.

    Parameters:
        values: by tensor magic, the arguments and buffers; the results of the ops that are built are added.
    """

    def __init__(
        self,
        place: FunctionPlace,
        tensors: TensorTable,
        values: dict[int, SSAValue],
        decoders: Decoders,
    ):
        self._place = place
        self._tensors = tensors
        self._values = values
        self._interned = decoders.interned
        self._decoders = decoders
        self._classes: dict[str, type[TileOperation]] = {}
        self._latencies: dict[tuple[int, ...], int | None] = {}

    def build(self, index: int, operation: Operation) -> TileOperation:
        """The op for `operation`, which stands at `index` in its function.

        Raises:
            DumpError: an unknown opcode, or an attribute of the wrong form.
        """
        values = self._values
        operation_class = self._classes.get(operation.opcode) or self._find_class(index, operation)
        opcode = operation_class.opcode
        operands = [values[magic] for magic in operation.ioperands]
        properties: dict[str, Attribute] = {"magic": self._interned.integer(operation.opmagic)}
        fresh = [magic for magic in operation.ooperands if magic not in values]
        if len(fresh) < len(operation.ooperands):
            operands += [values[magic] for magic in operation.ooperands if magic in values]
            properties[INTO] = self._interned.into(tuple([magic in values for magic in operation.ooperands]))
        self._add_plain_properties(operation, opcode, properties)
        window_valid: tuple[int | str, ...] | None = None
        try:
            _add_scope(operation, self._interned, properties)
            self._add_named_attributes(operation, properties)
            if opcode.is_windowed:
                window_valid = self._add_window(operation, opcode, properties)
            elif opcode.name == "CONVERT":
                self._add_conversion(operation, properties)
            elif attr := bytes(operation.attr):
                properties["attr"] = self._decoders.attributes.uninterpreted(attr)
        except FormError as error:
            raise self._place.operation_error(index, operation, error.path, error.reason) from None
        if fresh:
            self._add_tensor_properties(fresh, opcode, window_valid, properties)
        op = operation_class.create(
            operands=operands, result_types=[self._tensors[magic].type for magic in fresh], properties=properties
        )
        for magic, result in zip(fresh, op.results, strict=True):
            values[magic] = result
        return op

    def _find_class(self, index: int, operation: Operation) -> type[TileOperation]:
        try:
            opcode = opcode_of_dump(operation.opcode)
        except KeyError as error:
            raise self._place.operation_error(index, operation, ".opcode", f"{error.args[0]}") from None
        found = self._classes[operation.opcode] = OPERATION_CLASSES[opcode.number]
        return found

    def _add_plain_properties(self, operation: Operation, opcode: Opcode, properties: dict[str, Attribute]) -> None:
        interned = self._interned
        if operation.subgraphid >= 0:
            properties["subgraph"] = interned.integer(operation.subgraphid)
        if operation.semantic_label is not None:
            properties["semantic_label"] = interned.string(operation.semantic_label.label)
        if operation.file is not None:
            location = operation.file if operation.line is None else f"{operation.file}:{operation.line}"
            properties["loc"] = interned.string(location)
        if operation.latency != self._computed_latency(operation, opcode):
            properties["latency"] = interned.integer(operation.latency)

    def _computed_latency(self, operation: Operation, opcode: Opcode) -> int | None:
        inputs = [self._tensors[magic] for magic in operation.ioperands]
        outputs = [self._tensors[magic] for magic in operation.ooperands]
        key = (opcode.number, *[id(facts.type) for facts in inputs], -1, *[id(facts.type) for facts in outputs])
        if key not in self._latencies:
            self._latencies[key] = latency(
                opcode,
                [(facts.shape, facts.element) for facts in inputs],
                [(facts.shape, facts.element) for facts in outputs],
            )
        return self._latencies[key]

    def _add_named_attributes(self, operation: Operation, properties: dict[str, Attribute]) -> None:
        text = bytes(operation.op_attr)
        if not text:
            return
        named = self._decoders.attributes.named(text)
        if named.is_cube is not None:
            properties["is_cube"] = named.is_cube
        if named.hashorder is not None:
            properties["hashorder"] = named.hashorder
        if named.params is not None:
            properties["params"] = named.params

    def _add_window(
        self, operation: Operation, opcode: Opcode, properties: dict[str, Attribute]
    ) -> tuple[int | str, ...] | None:
        """Add the offsets and, if it differs from the shape of the window's tensor, the valid shape, which is returned.

        The window of a view-like op is its output in its input, that of an assemble-like op its input in its output.
        """
        text = bytes(operation.attr)
        if not text:
            return None
        window = self._decoders.windows.decode(text)
        source, part = (
            (operation.ioperands, operation.ooperands)
            if opcode.is_view_like
            else (operation.ooperands, operation.ioperands)
        )
        self._check_rank(window, source, "input" if opcode.is_view_like else "output")
        properties["offsets"] = self._interned.offsets(window.offsets)
        if window.dynamic_offsets and window.dynamic_offsets != window.offsets:
            properties["dyn_offsets"] = self._interned.symbolic_list(window.dynamic_offsets)
        if not window.valid or (part and window.valid == self._tensors[part[0]].shape):
            return None
        properties["valid"] = self._interned.symbolic_list(window.valid)
        return window.valid

    def _check_rank(self, window: Window, source: Sequence[int], side: str) -> None:
        if not source:
            raise FormError(".attr", f"offsets need an {side} tensor that they are in, found none")
        rank = len(self._tensors[source[0]].shape)
        if len(window.offsets) != rank:
            raise FormError(
                ".attr[1]",
                f"expected {rank} offsets, one for each dimension of the {side}, found {len(window.offsets)}",
            )

    def _add_conversion(self, operation: Operation, properties: dict[str, Attribute]) -> None:
        """State the memories of a CONVERT where they are not those of its operands; unknown ones for no attribute."""
        text = bytes(operation.attr)
        conversion = self._decoders.attributes.conversion(text) if text else (_UNKNOWN_MEMORY, _UNKNOWN_MEMORY)
        if conversion != (self._memory(operation.ioperands), self._memory(operation.ooperands)):
            properties["from"], properties["to"] = conversion

    def _memory(self, magics: Sequence[int]) -> MemoryAttr | None:
        return self._tensors[magics[0]].type.memory_attr if magics else None

    def _add_tensor_properties(
        self,
        fresh: Sequence[int],
        opcode: Opcode,
        window_valid: tuple[int | str, ...] | None,
        properties: dict[str, Attribute],
    ) -> None:
        """Add what the results of an op carry: plain values for one result, lists for several."""
        valid_name = "tensor_valid" if opcode.is_windowed else "valid"
        per_result: list[dict[str, Attribute]] = []
        for magic in fresh:
            facts = self._tensors[magic]
            implied = facts.shape if window_valid is None or not opcode.is_view_like else window_valid
            carried = facts.properties
            if facts.valid != implied:
                carried = {**carried, valid_name: self._interned.symbolic_list(facts.valid)}
            per_result.append(carried)
        if len(per_result) == 1:
            properties |= per_result[0]
            return
        for name in dict.fromkeys([name for carried in per_result for name in carried]):
            properties[name] = ArrayAttr([carried.get(name, _UNIT) for carried in per_result])


def _add_scope(operation: Operation, interned: Interned, properties: dict[str, Attribute]) -> None:
    if operation.scope is None:
        return
    number, parallel, cross = operation.scope
    if number == -1:
        if parallel or cross:
            raise FormError(
                ".scope", "flags need a scope; expected an id from 0 or no flags, found scope -1 with flags"
            )
        return
    properties["scope_id"] = interned.integer(number)
    if parallel:
        properties["allow_parallel_merge"] = _UNIT
    if cross:
        properties["allow_cross_scope_merge"] = _UNIT
