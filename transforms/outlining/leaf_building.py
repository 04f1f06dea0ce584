"""Makes a leaf from the description of its first subgraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntAttr, IntegerAttr, i1, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialect.attributes import StorageAttr
from dialect.operation import FIRST_MAGIC, INTO, TileOperation
from dialect.ops import BufferOp
from dialect.outlined import LeafOp
from dialect.properties import MEMBER_PROPERTIES, SYMBOLIC_PROPERTIES
from dialect.types import TensorType, tensor_type
from transforms.outlining.attribute_numbers import with_strings
from transforms.outlining.description import Argument, Description
from transforms.outlining.outlined_graph import OutlinedGraph, joined, per_result, shared_params

_LEFT_OUT = frozenset({*MEMBER_PROPERTIES, "subgraph", INTO})


def build_leaf(name: str, outlined: OutlinedGraph, sequence: Sequence[int], description: Description) -> LeafOp:
    """The leaf of a subgraph; its ops stand in the order of `sequence`, behind its buffers. O(ops + operands)."""
    return _LeafBuilder(outlined, sequence, description).leaf(name)


class _LeafBuilder:
    def __init__(self, outlined: OutlinedGraph, sequence: Sequence[int], description: Description) -> None:
        self._outlined = outlined
        self._sequence = sequence
        self._description = description
        self._symbols = {text: f"s{index}" for index, text in enumerate(description.symbols)}
        self._storages = {number: index for index, number in enumerate(description.storages)}
        self._values: dict[int, SSAValue] = {}
        """The tensors inside, by their number in the function."""
        self._exported: dict[int, dict[str, Attribute]] = {}
        """What the fresh results that others read carry, by the argument that they become."""

    def leaf(self, name: str) -> LeafOp:
        description = self._description
        arguments = (*description.ins, *description.outs)
        block = Block(arg_types=[self._argument_type(argument) for argument in arguments])
        ins, outs = block.args[: len(description.ins)], block.args[len(description.ins) :]
        for tensor in description.buffers:
            buffer = self._buffer(tensor)
            self._values[tensor] = buffer.tensor
            block.add_op(buffer)
        for position, op in enumerate(self._sequence):
            block.add_op(self._operation(position, op, ins, outs))
        carried = [self._carried(argument) for argument in arguments]
        for index, properties in self._exported.items():
            carried[len(description.ins) + index] |= properties
        return LeafOp(
            name,
            Region(block),
            len(description.ins),
            symbols=[*self._symbols.values()],
            tensor_properties=carried,
        )

    def _argument_type(self, argument: Argument) -> TensorType:
        outlined = self._outlined
        type = outlined.values[argument.tensor].type
        assert isinstance(type, TensorType)
        if argument.operation < 0:
            return type
        window = outlined.facts[argument.operation].window
        assert window is not None
        graph = outlined.graph
        return tensor_type(window.extents, graph.elements[argument.tensor], graph.memories[argument.tensor])

    def _carried(self, argument: Argument) -> dict[str, Attribute]:
        tobe = self._outlined.target_memories.get(argument.tensor)
        return {} if tobe is None else {"tobe": tobe}

    def _buffer(self, tensor: int) -> BufferOp:
        op = self._outlined.values[tensor].owner
        assert isinstance(op, BufferOp)
        return BufferOp(op.tensor.type, self._structural(op.properties, 1))

    def _structural(self, properties: Mapping[str, Attribute], result_count: int) -> dict[str, Attribute]:
        kept: dict[str, Attribute] = {}
        for name, value in properties.items():
            if name in SYMBOLIC_PROPERTIES:
                kept[name] = with_strings(value, lambda text: self._symbols[text])
            elif name == "params" and isinstance(value, DictionaryAttr):
                shared = shared_params(value)
                if shared.data:
                    kept[name] = shared
            elif name == "storage":
                renumbered = joined([self._renumbered(storage) for storage in per_result(value, result_count)])
                if renumbered is not None:
                    kept[name] = renumbered
            elif name not in _LEFT_OUT:
                kept[name] = value
        return kept

    def _renumbered(self, storage: Attribute | None) -> Attribute | None:
        """The storage of a tensor inside; that of any other is not the leaf's."""
        if not isinstance(storage, StorageAttr) or storage.number.data not in self._storages:
            return None
        number = IntAttr(self._storages[storage.number.data])
        return StorageAttr(number, storage.extents, storage.element_type, storage.offsets)

    def _operation(self, position: int, index: int, ins: Sequence[SSAValue], outs: Sequence[SSAValue]) -> TileOperation:
        outlined = self._outlined
        op = outlined.operations[index]
        codes = self._description.references[position]
        read, written = outlined.graph.inputs[index], outlined.graph.outputs[index]
        operands = [
            self._values[tensor] if code >= 0 else (ins if code % 2 else outs)[-(code + 1) // 2]
            for tensor, code in zip(read, codes, strict=False)
        ]
        window = outlined.facts[index].window
        stated = {**op.properties}
        if window is not None:
            stated["offsets"] = DenseArrayBase.from_list(i64, [0] * len(window.extents))
            stated.pop("dyn_offsets", None)
        properties = self._structural(stated, len(op.results))
        properties["magic"] = IntegerAttr(FIRST_MAGIC + position, i64)
        kinds: list[int] = []
        fresh: list[int] = []
        exported: list[tuple[int, int]] = []
        result = 0
        for tensor, code, into in zip(written, codes[len(read) :], op.output_kinds, strict=True):
            if code < 0:
                operands.append(outs[-(code + 2) // 2])
                if not into:
                    exported.append((result, -(code + 2) // 2))
            elif into:
                operands.append(self._values[tensor])
            else:
                fresh.append(result)
            kinds.append(code < 0 or into)
            result += not into
        if exported:
            self._export(op, properties, fresh, exported)
        if any(kinds):
            properties[INTO] = DenseArrayBase.from_list(i1, kinds)
        new = type(op).create(
            operands=operands, result_types=[op.results[place].type for place in fresh], properties=properties
        )
        fresh_tensors = [tensor for tensor, kind in zip(written, kinds, strict=True) if not kind]
        self._values.update(zip(fresh_tensors, new.results, strict=True))
        return new

    def _export(
        self,
        op: TileOperation,
        properties: dict[str, Attribute],
        fresh: Sequence[int],
        exported: Sequence[tuple[int, int]],
    ) -> None:
        """Move what results carry that are no results any more to the arguments that they become."""
        for name in op.per_result_checks.keys() & properties.keys():
            stated = per_result(properties.pop(name), len(op.results))
            kept = joined([stated[result] for result in fresh])
            if kept is not None:
                properties[name] = kept
            for result, argument in exported:
                value = stated[result]
                if value is not None and name != "storage":
                    own = "valid" if name == "tensor_valid" else name
                    self._exported.setdefault(argument, {})[own] = value
