"""Makes ops of a launch again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntegerAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from dialect.operation import INTO, TileOperation
from dialect.ops import BufferOp
from dialect.outlined import LaunchOp, LeafOp
from dialect.properties import MEMBER_PROPERTIES, SYMBOLIC_PROPERTIES
from dialect.types import TensorType
from dialect.values import integers_of, items_of
from transforms.outlining.attribute_numbers import with_strings
from transforms.outlining.outlined_graph import joined, per_result

_PER_TENSOR = ("tensor_magic", "storage")
_SHARED = tuple(name for name in MEMBER_PROPERTIES if name not in ("magic", *_PER_TENSOR))


def inline_launch(launch: LaunchOp, leaf: LeafOp, values: dict[SSAValue, SSAValue], magics: Iterator[int]) -> None:
    """Put the ops of a verified launch before it, as they were before outlining.

    Args:
        values: what fresh tensors of earlier launches have become; those of this one are added.
        magics: for ops of which the launch states none.

    Raises:
        PassFailedException: an op uses a window otherwise than outlining makes it.

    Notes:
        O(ops + operands).
    """
    _Inliner(launch, leaf, values, magics).run()


class _Inliner:
    def __init__(self, launch: LaunchOp, leaf: LeafOp, values: dict[SSAValue, SSAValue], magics: Iterator[int]) -> None:
        self._launch = launch
        self._leaf = leaf
        self._outer = values
        self._magics = magics
        self._values: dict[SSAValue, SSAValue] = {}
        """What arguments and tensors of the leaf are outside."""
        self._windows: dict[SSAValue, Mapping[str, Attribute]] = {}
        """The windows of the arguments that are some."""
        self._fresh: dict[SSAValue, SSAValue] = {}
        """The arguments that are the fresh result of one op, and the launch's result."""
        self._carried: dict[SSAValue, Mapping[str, Attribute]] = dict(
            zip(leaf.arguments, leaf.properties_of_arguments(), strict=True)
        )
        self._symbols = dict(zip(leaf.symbol_names, items_of(launch.properties.get("symbols")) or (), strict=True))

    def run(self) -> None:
        launch, body = self._launch, list(self._leaf.body.block.ops)
        entries: Sequence[Mapping[str, Attribute]] = launch.entries or [{} for _ in body]
        listed = {name for entry in entries for name in entry}
        common = {name: launch.properties[name] for name in _SHARED if name in launch.properties and name not in listed}
        if "subgraph" in launch.properties:
            common["subgraph"] = launch.properties["subgraph"]
        self._bind_arguments()
        for op, entry in zip(body, entries, strict=True):
            if isinstance(op, TileOperation):
                self._insert_operation(op, {**common, **entry})
            elif isinstance(op, BufferOp):
                properties = {**self._filled_in(op.properties), **_undotted(entry)}
                self._insert(BufferOp(op.tensor.type, properties, {**op.attributes, **_dotted(entry)}), [op.tensor])

    def _bind_arguments(self) -> None:
        launch, leaf = self._launch, self._leaf
        writer_counts: dict[SSAValue, int] = {}
        for op in leaf.operations():
            for value in op.destinations:
                writer_counts[value] = writer_counts.get(value, 0) + 1
        windows = iter(launch.windows)
        kinds = (True,) * len(leaf.ins) + launch.output_kinds
        for argument, value, given in zip(leaf.arguments, (*launch.inputs, *launch.outputs), kinds, strict=True):
            if given:
                self._values[argument] = self._outer.get(value, value)
                if window := next(windows):
                    self._windows[argument] = window
            elif writer_counts.get(argument) == 1:
                self._fresh[argument] = value
            else:
                assert isinstance(value.type, TensorType)
                buffer = BufferOp(value.type, self._filled_in(self._carried[argument]))
                self._insert(buffer, [argument])
                self._outer[value] = buffer.tensor

    def _filled_in(self, properties: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """Properties with the launch's values for the symbols of the leaf."""
        if not self._symbols:
            return dict(properties)
        return {
            name: with_strings(value, lambda text: self._symbols.get(text, text))
            if name in SYMBOLIC_PROPERTIES
            else value
            for name, value in properties.items()
        }

    def _insert(self, op: TileOperation | BufferOp, inner: list[SSAValue]) -> None:
        block = self._launch.parent
        assert block is not None
        block.insert_op_before(op, self._launch)
        self._values.update(zip(inner, op.results, strict=True))

    def _insert_operation(self, op: TileOperation, stated: Mapping[str, Attribute]) -> None:
        """Insert an op of the leaf with what the launch states of it."""
        kinds = [into and value not in self._fresh for value, into in zip(op.outputs, op.output_kinds, strict=True)]
        results = [value for value, into in zip(op.outputs, kinds, strict=True) if not into]
        destinations = [value for value, into in zip(op.outputs, kinds, strict=True) if into]
        properties = self._filled_in({name: value for name, value in op.properties.items() if name != "magic"})
        self._restore_results(op, properties, results)
        self._restore_window(op, properties)
        properties.pop(INTO, None)
        if any(kinds):
            properties[INTO] = DenseArrayBase.from_list(i1, [int(into) for into in kinds])
        properties |= _undotted(stated)
        if "params" in stated and isinstance(shared := op.properties.get("params"), DictionaryAttr):
            own = stated["params"]
            assert isinstance(own, DictionaryAttr)
            properties["params"] = DictionaryAttr({**shared.data, **own.data})
        if "magic" not in properties:
            properties["magic"] = IntegerAttr(next(self._magics), i64)
        new = type(op).create(
            operands=[self._values[value] for value in (*op.inputs, *destinations)],
            result_types=[value.type for value in results],
            properties=properties,
            attributes={**op.attributes, **_dotted(stated)},
        )
        self._insert(new, results)
        for value in results:
            if (outer := self._fresh.get(value)) is not None:
                self._outer[outer] = self._values[value]
                self._values[value].name_hint = outer.name_hint

    def _restore_results(self, op: TileOperation, properties: dict[str, Attribute], results: list[SSAValue]) -> None:
        """Give the results that are arguments of the leaf what these carry."""
        if len(results) == len(op.results):
            return
        carried = {value: self._filled_in(self._carried[value]) for value in results if value in self._fresh}
        for name in op.per_result_checks:
            of_leaf: dict[SSAValue, Attribute | None] = dict(
                zip(op.results, per_result(properties.pop(name, None), len(op.results)), strict=True)
            )
            of_argument = "valid" if name == "tensor_valid" else name
            restored = joined(
                [carried[value].get(of_argument) if value in carried else of_leaf.get(value) for value in results]
            )
            if restored is not None:
                properties[name] = restored

    def _restore_window(self, op: TileOperation, properties: dict[str, Attribute]) -> None:
        """Move an op that reads or writes a window to where the launch says that the window is."""
        tensor = op.window_tensor if op.opcode.is_windowed else None
        for position, value in enumerate(op.operands):
            if value in self._windows and (value is not tensor or "offsets" not in op.properties):
                raise PassFailedException(
                    f"{op.opcode.name} of leaf @{self._leaf.symbol} uses operand {position} as a whole, "
                    "but a launch gives a window: only view-like and assemble-like ops can use windows"
                )
        window = None if tensor is None else self._windows.get(tensor)
        if window is None:
            return
        inner = integers_of(properties["offsets"]) or ()
        if (any(inner) and "dyn_offsets" in window) or "dyn_offsets" in properties:
            raise PassFailedException(
                f"{op.opcode.name} of leaf @{self._leaf.symbol} has offsets in a window: these cannot be added to "
                "offsets that are symbolic"
            )
        outer = integers_of(window["offsets"]) or ()
        properties["offsets"] = DenseArrayBase.from_list(i64, [a + b for a, b in zip(inner, outer, strict=True)])
        if "dyn_offsets" in window:
            properties["dyn_offsets"] = window["dyn_offsets"]


def _undotted(entries: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {name: value for name, value in entries.items() if "." not in name}


def _dotted(entries: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {name: value for name, value in entries.items() if "." in name}
