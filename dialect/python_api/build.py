"""From the recording of a kernel to its module.

What the program did to its options stands in the graph where the program did it, as directives and scopes. Where a
scope of the program does not fit the functions — an `options` block that begins in one function and ends in another,
labels that outlive their scope under the rules of the shipped compiler — the directives that are needed are added, so
that every op and every function gets what it had when it was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntAttr, IntegerAttr, ModuleOp, StringAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dialect.attributes import StorageAttr
from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.directives import BeginOptionsOp, EndOptionsOp, ResetOptionsOp, SetPassOptionsOp, SetSemanticLabelOp
from dialect.operation import FIRST_MAGIC, INTO
from dialect.ops import OPERATION_CLASSES, BufferOp, FuncOp
from dialect.pass_options import PASS_OPTIONS, MergeSetting, OptionValue, options_to_dictionary
from dialect.python_api import trace as recording
from dialect.python_api.environment import Environment, OptionScope
from dialect.python_api.placement import settled
from dialect.python_api.symbols import Extent, extent_at_zero
from dialect.python_api.tensors import StorageTensor, Tensor
from dialect.python_api.trace import Event, EventKind, RecordedOperation, Segment, Trace
from dialect.scopes import KernelOp, LoopOp, OptionsOp
from dialect.types import MEMORY_NUMBERS, TensorType, shape_attr, tensor_type

_OF_OPERATIONS = tuple(name for name, option in PASS_OPTIONS.items() if option.on_operations)
_OF_FUNCTIONS = tuple(name for name, option in PASS_OPTIONS.items() if not option.on_operations)


def build_module(trace: Trace, around: Environment, compat: Compat, soc: str) -> ModuleOp:
    """The module of a kernel, verified.

    Parameters:
        around: the environment in which the kernel was called.

    Raises:
        VerifyException: the module is not legal, which is a mistake of the API and not of the program.
    """
    with paused_collection():
        block = _module_block(trace, around, compat)
    module = ModuleOp(Region(block), {"tile.compat": StringAttr(compat), "tile.soc": StringAttr(soc)})
    module.verify()
    return module


def _module_block(trace: Trace, around: Environment, compat: Compat) -> Block:
    outer = OptionScope(compat)
    block = Block()
    for name, value in sorted(around.scope.values_set().items()):
        for assignment in _assignments(value):
            block.add_op(SetPassOptionsOp({name: assignment}))
            outer = outer.with_values({name: assignment})
    state = _State(outer, around.label)
    if around.label:
        block.add_op(SetSemanticLabelOp(around.label))
    _add_region(trace, trace.kernel, block, state)
    return block


def _assignments(value: OptionValue) -> Sequence[OptionValue]:
    """Assignments after which an option has a value, where it had its default.

    No single one may hold integer keys and class names, which inheritance brings together in the shipped compiler.
    """
    if isinstance(value, MergeSetting) and value.by_integer and value.by_name:
        return (
            MergeSetting(by_name=value.by_name, by_label=value.by_label, by_stable_name=value.by_stable_name),
            MergeSetting(by_integer=value.by_integer),
        )
    return (value,)


class _State:
    """What the directives written so far say: the options and the label that hold."""

    def __init__(self, scope: OptionScope, label: str):
        self.scope = scope
        self.label = label

    def opened(self, values: Mapping[str, OptionValue]) -> _State:
        return _State(self.scope.opened(values), self.label)

    def apply(self, event: Event) -> Operation:
        """The directive of an event, which holds from here on."""
        if event.kind is EventKind.SET:
            self.scope = self.scope.with_values(event.values)
            return SetPassOptionsOp(event.values)
        if event.kind is EventKind.LABEL:
            self.label = event.label
            return SetSemanticLabelOp(event.label)
        self.scope, self.label = self.scope.emptied(), ""
        return ResetOptionsOp()

    def corrections(self, operation: RecordedOperation) -> list[Operation]:
        """The directives without which an op would not get the options and the label that it was recorded with."""
        directives: list[Operation] = []
        values = {name: operation.scope.value(name) for name in _OF_OPERATIONS}
        values = {name: value for name, value in values.items() if value != self.scope.value(name)}
        if values:
            self.scope = self.scope.with_values(values)
            directives.append(SetPassOptionsOp(values))
        if operation.label != self.label:
            self.label = operation.label
            directives.append(SetSemanticLabelOp(operation.label))
        return directives


def _add_region(trace: Trace, region: recording.Region, parent: Block, around: _State) -> None:
    block = Block()
    state = around.opened(region.values)
    if region.kind is recording.RegionKind.KERNEL and region.values:
        block.add_op(SetPassOptionsOp(region.values))
    for entry in region.entries:
        if isinstance(entry, Event):
            block.add_op(state.apply(entry))
        elif isinstance(entry, Segment):
            block.add_op(_Function(trace, region, entry, state).build())
        else:
            _add_region(trace, entry, block, state)
    body = Region(block)
    if region.kind is recording.RegionKind.OPTIONS:
        parent.add_op(OptionsOp(region.values, body))
    elif region.kind is recording.RegionKind.LOOP:
        parent.add_op(LoopOp(region.name, body, _loop_attributes(region)))
    else:
        parent.add_op(KernelOp(region.name, body))


def _loop_attributes(region: recording.Region) -> dict[str, Attribute]:
    assert region.bounds is not None
    return {
        "frontend.index": StringAttr(region.index_name),
        "frontend.range": ArrayAttr([_extent_attribute(extent) for extent in region.bounds]),
    }


def _extent_attribute(extent: Extent) -> Attribute:
    return IntegerAttr(extent, i64) if isinstance(extent, int) else StringAttr(extent.text)


class _Function:
    """The making of one function from its segment."""

    def __init__(self, trace: Trace, region: recording.Region, segment: Segment, state: _State):
        self._trace = trace
        self._region = region
        self._segment = segment
        self._around = state
        self._states = [state]
        self._block = Block()
        self._incoming: dict[StorageTensor, SSAValue] = {}
        self._written: dict[StorageTensor, SSAValue] = {}
        self._filled: set[StorageTensor] = set()
        self._results: dict[Tensor, SSAValue] = {}
        self._types: dict[Tensor, TensorType] = {}
        self._position = 0

    def build(self) -> FuncOp:
        """The function; the state then is what its directives make of it."""
        operations = self._operations()
        properties, input_count = self._add_arguments(operations)
        read = {tensor for operation in operations for tensor in operation.inputs}
        for entry in self._segment.entries:
            if isinstance(entry, Event):
                self._add_event(entry)
            elif not entry.is_superseded or any(output in read for output in entry.outputs):
                self._block.add_ops(self._states[-1].corrections(entry))
                self._add_operation(entry)
                for store in entry.stores:
                    self._add_operation(store)
        return FuncOp(
            self._segment.name,
            Region(self._block),
            input_count,
            tensor_properties=properties,
            pass_options=options_to_dictionary(self._options_not_said()),
        )

    def _options_not_said(self) -> Mapping[str, OptionValue]:
        """The options of the function that differ from what the scopes and directives of the graph say."""
        scope, said = self._segment.scope, self._around.scope
        assert scope is not None
        return {name: scope.value(name) for name in _OF_FUNCTIONS if scope.value(name) != said.value(name)}

    def _operations(self) -> list[RecordedOperation]:
        return [
            operation
            for entry in self._segment.entries
            if isinstance(entry, RecordedOperation)
            for operation in (entry, *entry.stores)
        ]

    def _add_event(self, event: Event) -> None:
        if event.region is not self._region and event.region.is_open:
            return
        if event.kind is EventKind.BEGIN:
            self._block.add_op(BeginOptionsOp(event.region.values))
            self._states.append(self._states[-1].opened(event.region.values))
        elif event.kind is EventKind.END:
            self._block.add_op(EndOptionsOp())
            self._states.pop()
        else:
            self._block.add_op(self._states[-1].apply(event))

    def _add_arguments(self, operations: Sequence[RecordedOperation]) -> tuple[list[dict[str, Attribute]], int]:
        """Make the arguments: incasts, then outcasts, each in the order of the kernel's tensors."""
        incoming: set[StorageTensor] = set()
        written: set[StorageTensor] = set()
        for operation in operations:
            incoming.update(
                t for t in map(self._actual, operation.inputs) if isinstance(t, StorageTensor) and t not in written
            )
            written.update(tensor for tensor in operation.outputs if isinstance(tensor, StorageTensor))
        outgoing = [tensor for tensor in written if self._trace.is_shared(tensor)]
        properties: list[dict[str, Attribute]] = []
        for tensors, values in ((incoming, self._incoming), (outgoing, self._written)):
            for tensor in sorted(tensors, key=lambda tensor: tensor.number):
                argument = self._block.insert_arg(self._type(tensor), len(self._block.args))
                argument.name_hint = tensor.name or f"t{tensor.number}"
                values[tensor] = argument
                is_in_place = tensor in incoming and tensor in written
                properties.append({"storage": _storage(tensor)} if is_in_place else {})
        return properties, len(incoming)

    def _add_operation(self, operation: RecordedOperation) -> None:
        operands = [self._read(tensor) for tensor in operation.inputs]
        properties = dict(operation.properties)
        into = [isinstance(output, StorageTensor) for output in operation.outputs]
        if any(into):
            operands += [self._destination(output) for output in operation.outputs if isinstance(output, StorageTensor)]
            properties[INTO] = DenseArrayBase.from_list(i1, into)
        fresh = [output for output in operation.outputs if not isinstance(output, StorageTensor)]
        if operation.offsets is not None:
            _add_window(properties, operation)
        elif len(fresh) == 1 and fresh[0].valid_shape is not None:
            properties["valid"] = _extents_attribute(fresh[0].valid_shape)
        properties["magic"] = IntegerAttr(FIRST_MAGIC + self._next_position(), i64)
        properties["loc"] = StringAttr(operation.location)
        made = OPERATION_CLASSES[operation.opcode.number].create(
            operands=operands, result_types=[self._type(tensor) for tensor in fresh], properties=properties
        )
        for tensor, result in zip(fresh, made.results, strict=True):
            self._results[tensor] = result
        self._block.add_op(made)

    def _next_position(self) -> int:
        self._position += 1
        return self._position - 1

    def _actual(self, tensor: Tensor) -> Tensor:
        return self._trace.aliases.get(tensor, tensor)

    def _read(self, tensor: Tensor) -> SSAValue:
        tensor = self._actual(tensor)
        if isinstance(tensor, StorageTensor):
            return self._written[tensor] if tensor in self._filled else self._incoming[tensor]
        return self._results[tensor]

    def _destination(self, tensor: StorageTensor) -> SSAValue:
        self._filled.add(tensor)
        if tensor not in self._written:
            buffer = BufferOp(self._type(tensor))
            self._block.add_op(buffer)
            self._written[tensor] = buffer.tensor
        return self._written[tensor]

    def _type(self, tensor: Tensor) -> TensorType:
        found = self._types.get(tensor)
        if found is None:
            memory = settled(self._trace, tensor)
            found = tensor_type(tensor.shape, tensor.dtype.element.number, MEMORY_NUMBERS[memory])
            self._types[tensor] = found
        return found


def _storage(tensor: StorageTensor) -> StorageAttr:
    return StorageAttr(
        IntAttr(tensor.number), shape_attr(tensor.shape), tensor.dtype.element.type, shape_attr([0] * tensor.ndim)
    )


def _extents_attribute(extents: Sequence[Extent]) -> Attribute:
    return ArrayAttr([_extent_attribute(extent) for extent in extents])


def _add_window(properties: dict[str, Attribute], operation: RecordedOperation) -> None:
    assert operation.offsets is not None
    properties["offsets"] = DenseArrayBase.from_list(i64, [extent_at_zero(offset) for offset in operation.offsets])
    if any(not isinstance(offset, int) for offset in operation.offsets):
        properties["dyn_offsets"] = _extents_attribute(operation.offsets)
    if operation.valid is not None:
        properties["valid"] = _extents_attribute(operation.valid)
