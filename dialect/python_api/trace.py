"""What a kernel does, recorded while its Python function runs.

A kernel is a tree of *regions*: the kernel itself, loops, and `options` blocks. Ops are recorded in *segments*; a
segment becomes a function. It ends where a loop begins or ends and where the kernel ends (pass options, section 4), and
belongs to the region in which it ends. An `options` block becomes a region of the graph only when a segment or a loop
ends up in it; otherwise it stands in the middle of a function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from xdsl.ir import Attribute

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME, Opcode
from dialect.pass_options import PASS_OPTIONS, OptionValue
from dialect.python_api.environment import OptionScope, environment
from dialect.python_api.symbols import Extent
from dialect.python_api.tensors import StorageTensor, Tensor
from dialect.targets import Target
from dialect.types import Memory


class RegionKind(StrEnum):
    """What opens a scope in a kernel."""

    KERNEL = "kernel"
    LOOP = "loop"
    OPTIONS = "options"


@dataclass(slots=True, eq=False)
class Region:
    """A scope of a kernel and what it holds, in program order.

    Attributes:
        name: of a kernel or a loop; the name of the loop's index is in `index_name`.
        values: the options that an `options` block or a decorator gives.
        is_open: whether something of the graph is in it.
    """

    kind: RegionKind
    name: str = ""
    index_name: str = ""
    bounds: tuple[Extent, Extent, Extent] | None = None
    values: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    entries: list[RegionEntry] = field(default_factory=list["RegionEntry"])
    is_open: bool = False


class EventKind(StrEnum):
    """What a program does to the options and the label in force."""

    SET = "set_pass_options"
    RESET = "reset_options"
    LABEL = "set_semantic_label"
    BEGIN = "begin of an options block"
    END = "end of an options block"


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Something that happens to the options of a region: `values` are set, or `label`."""

    kind: EventKind
    region: Region
    values: Mapping[str, OptionValue]
    label: str = ""


@dataclass(slots=True, eq=False)
class RecordedOperation:
    """An op of a segment; outputs that are storage tensors are written into, the others are fresh results.

    Attributes:
        offsets: where the window of a view-like or assemble-like op begins.
        valid: how much of that window holds data, if not all.
        scope, label: the options and the label in force.
        location: `file:line` of the call.
        is_superseded: whether other windows were taken in its place, so that it is dropped unless something reads it.
        stores: ops right behind it that store its results for later functions.
    """

    opcode: Opcode
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    properties: Mapping[str, Attribute]
    offsets: tuple[Extent, ...] | None
    valid: tuple[Extent, ...] | None
    scope: OptionScope
    label: str
    location: str
    is_superseded: bool = False
    stores: list[RecordedOperation] = field(default_factory=list["RecordedOperation"])


@dataclass(slots=True, eq=False)
class Segment:
    """A run of ops that becomes one function; `scope` holds the options at its end."""

    name: str = ""
    entries: list[RecordedOperation | Event] = field(default_factory=list["RecordedOperation | Event"])
    scope: OptionScope | None = None
    read: set[StorageTensor] = field(default_factory=set[StorageTensor])
    """The storage tensors that some op has read, in the state in which they came in."""
    written: set[StorageTensor] = field(default_factory=set[StorageTensor])
    read_again: set[StorageTensor] = field(default_factory=set[StorageTensor])
    """The written storage tensors that some op has read since."""


class _Home(NamedTuple):
    """Where a result is made: in which segment, by which op, in which loops; and how often its source was written."""

    segment: Segment
    maker: RecordedOperation
    loops: frozenset[Region]
    source_writes: int


RegionEntry: TypeAlias = "Region | Segment | Event"


class Trace:
    """The recording of one kernel.

    Attributes:
        kernel: the outermost region.
        target: the chip.
        storages: all storage tensors; the arguments of the kernel come first.
        aliases: results in DDR that became storage tensors because later functions read them.
    """

    def __init__(self, name: str, target: Target, values: Mapping[str, OptionValue]):
        self.kernel = Region(RegionKind.KERNEL, name, values=values, is_open=True)
        self.target = target
        self.storages: list[StorageTensor] = []
        self.aliases: dict[Tensor, StorageTensor] = {}
        self.unfinished_loop: str | None = None
        """The name of a loop whose body was left early."""
        self._regions = [self.kernel]
        self._segment = Segment()
        self._homes: dict[Tensor, _Home] = {}
        self._writes: dict[StorageTensor, int] = {}
        self._users: dict[StorageTensor, set[Segment]] = {}
        self._copies: dict[Tensor, StorageTensor] = {}
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}

    def add_storage(self, tensor: StorageTensor) -> StorageTensor:
        """Take a storage tensor in; it gets its number."""
        tensor.number = len(self.storages)
        self.storages.append(tensor)
        return tensor

    def owns(self, tensor: Tensor) -> bool:
        """Whether a tensor belongs to this kernel."""
        if isinstance(tensor, StorageTensor):
            return 0 <= tensor.number < len(self.storages) and self.storages[tensor.number] is tensor
        return tensor in self._homes

    def is_here(self, tensor: Tensor) -> bool:
        """Whether an op of the current segment makes a tensor."""
        return tensor in self._homes and self._homes[tensor].segment is self._segment

    def maker(self, tensor: Tensor) -> RecordedOperation:
        """The op whose result a tensor is."""
        return self._homes[tensor].maker

    def can_take_again(self, window: Tensor) -> bool:
        """Whether a tensor is a window of a storage tensor that, taken again now, would hold the same.

        So it is if nothing has written the tensor since, and the loops are still running on whose indices it depends.
        """
        if window not in self._homes:
            return False
        home = self._homes[window]
        source = home.maker.inputs[0] if home.maker.opcode.is_view_like else None
        return (
            isinstance(source, StorageTensor)
            and home.source_writes == self._writes.get(source, 0)
            and home.loops <= self._loops()
        )

    def is_shared(self, tensor: StorageTensor) -> bool:
        """Whether a tensor is seen outside the function that writes it."""
        return tensor.is_argument or len(self._users.get(tensor, ())) > 1

    def is_local(self, tensor: StorageTensor) -> bool:
        """Whether only ops of the current segment use a tensor."""
        return self._users.get(tensor, set()) <= {self._segment}

    def is_written(self, tensor: StorageTensor) -> bool:
        """Whether anything has written a tensor, or it comes from outside."""
        return tensor.is_argument or tensor in self._users

    def record(
        self,
        function: str,
        opcode: Opcode,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        properties: Mapping[str, Attribute],
        location: str,
        offsets: tuple[Extent, ...] | None = None,
        valid: tuple[Extent, ...] | None = None,
    ) -> RecordedOperation:
        """Record an op in the current segment.

        Raises:
            ValueError: it writes a tensor that an op of the segment has read since it was written.
        """
        now = environment()
        operation = RecordedOperation(
            opcode, tuple(inputs), tuple(outputs), properties, offsets, valid, now.scope, now.label, location
        )
        segment = self._segment
        self._check_order(function, segment, operation)
        segment.entries.append(operation)
        for tensor in inputs:
            if isinstance(tensor, StorageTensor):
                self._users.setdefault(tensor, set()).add(segment)
                (segment.read_again if tensor in segment.written else segment.read).add(tensor)
        for tensor in outputs:
            if isinstance(tensor, StorageTensor):
                self._users.setdefault(tensor, set()).add(segment)
                self._writes[tensor] = self._writes.get(tensor, 0) + 1
                segment.written.add(tensor)
            else:
                source = inputs[0] if inputs else None
                writes = self._writes.get(source, 0) if isinstance(source, StorageTensor) else 0
                self._homes[tensor] = _Home(segment, operation, self._loops(), writes)
        return operation

    def _check_order(self, function: str, segment: Segment, operation: RecordedOperation) -> None:
        for tensor in operation.outputs:
            if isinstance(tensor, StorageTensor) and tensor in segment.read_again:
                raise ValueError(
                    f"{function}: {tensor!r} is written after it has been read again: within one function all writes "
                    "of a tensor come before the reads of what was written; write to another tensor(…), or read it in "
                    "another loop"
                )

    def stored(self, tensor: Tensor) -> StorageTensor:
        """The storage tensor by which later functions read a result of an earlier one: stored where it is made."""
        if tensor in self._copies:
            return self._copies[tensor]
        segment, maker = self._homes[tensor].segment, self._homes[tensor].maker
        copy = self.add_storage(StorageTensor(tensor.shape, tensor.dtype, name=tensor.name))
        copy.valid_shape = tensor.valid_shape
        if tensor.memory is Memory.DDR:
            maker.outputs = tuple(copy if output is tensor else output for output in maker.outputs)
            self.aliases[tensor] = copy
        else:
            maker.stores.append(
                RecordedOperation(
                    OPCODE_BY_NAME["ASSEMBLE"],
                    (tensor,),
                    (copy,),
                    {},
                    (0,) * tensor.ndim,
                    tensor.valid_shape,
                    maker.scope,
                    maker.label,
                    maker.location,
                )
            )
        segment.written.add(copy)
        self._users[copy] = {segment}
        self._copies[tensor] = copy
        return copy

    def add_event(self, kind: EventKind, values: Mapping[str, OptionValue] | None = None, label: str = "") -> None:
        """Record something that happens to the options of the innermost region."""
        self._segment.entries.append(Event(kind, self._regions[-1], values or {}, label))

    def enter_options(self, values: Mapping[str, OptionValue]) -> Region:
        """Begin an `options` block."""
        region = Region(RegionKind.OPTIONS, values=values)
        self._regions.append(region)
        self.add_event(EventKind.BEGIN)
        return region

    def enter_loop(self, name: str, index_name: str, bounds: tuple[Extent, Extent, Extent]) -> Region:
        """Begin the body of a loop; the segment before it ends."""
        self._end_segment()
        self._open_regions()
        region = Region(RegionKind.LOOP, name, index_name, bounds, is_open=True)
        self._regions[-1].entries.append(region)
        self._regions.append(region)
        return region

    def leave(self, region: Region) -> None:
        """End a region, and with a loop or the kernel its last segment.

        Regions in it that are still open, because an exception has left them, end too.

        Raises:
            RuntimeError: the region has ended already, with one around it.
        """
        if region not in self._regions:
            raise RuntimeError(f"{region.kind} {region.name!r} ends after one around it: scopes end in reverse order")
        del self._regions[self._regions.index(region) + 1 :]
        if region.kind is RegionKind.OPTIONS:
            self.add_event(EventKind.END)
        else:
            self._end_segment()
        if region is self.kernel and environment().scope.compat is Compat.PYPTO:
            self._give_final_options(region)
        self._regions.pop()

    def _give_final_options(self, region: Region) -> None:
        """Give functions outside loops the options at the kernel's end, as PyPTO does (pass options, section 4)."""
        for entry in region.entries:
            if isinstance(entry, Segment):
                entry.scope = environment().scope
            elif isinstance(entry, Region) and entry.kind is RegionKind.OPTIONS:
                self._give_final_options(entry)

    def _loops(self) -> frozenset[Region]:
        return frozenset(region for region in self._regions if region.kind is RegionKind.LOOP)

    def unique_name(self, name: str) -> str:
        """`name`, or if it is taken the first free one of `name_1`, `name_2`, …"""
        candidate = name
        while candidate in self._names:
            self._numbers[name] = self._numbers.get(name, 0) + 1
            candidate = f"{name}_{self._numbers[name]}"
        self._names.add(candidate)
        return candidate

    def _open_regions(self, last: Region | None = None) -> None:
        """Make the regions that are entered, up to `last`, regions of the graph."""
        for outer, inner in pairwise(self._regions):
            if outer is last:
                break
            if not inner.is_open:
                inner.is_open = True
                outer.entries.append(inner)

    def _end_segment(self) -> None:
        """Make the segment a function of the innermost region.

        What happens to the options of regions around it before its first op stands before the function. So does what
        happens later to those of a region around the region in which it ends; what that means for ops is left to the
        corrections of `build`.
        """
        segment, self._segment = self._segment, Segment()
        here = self._regions[-1]
        entered = set(self._regions)
        kept: list[RecordedOperation | Event] = []
        has_operations = False
        for entry in segment.entries:
            if isinstance(entry, RecordedOperation):
                kept.append(entry)
                has_operations = True
            elif entry.region not in entered:
                kept.append(entry)
            elif entry.kind is EventKind.BEGIN:
                continue
            elif entry.region is here and has_operations:
                kept.append(entry)
            elif (event := _without_operations(entry) if has_operations else entry) is not None:
                self._open_regions(event.region)
                event.region.entries.append(event)
        if has_operations:
            self._open_regions()
            segment.entries = kept
            segment.scope = environment().scope
            segment.name = self.unique_name("_".join(region.name for region in self._regions if region.name))
            here.entries.append(segment)


def _without_operations(event: Event) -> Event | None:
    """What of an event does not act on ops, or None."""
    if event.kind is EventKind.SET:
        values = {name: value for name, value in event.values.items() if not PASS_OPTIONS[name].on_operations}
        return replace(event, values=values) if values else None
    return event if event.kind is EventKind.RESET else None


_TRACE: ContextVar[Trace | None] = ContextVar("tile-opt kernel", default=None)


def current_trace() -> Trace | None:
    """The kernel that the current thread or task is tracing, if any."""
    return _TRACE.get()


def set_current_trace(trace: Trace | None) -> Trace | None:
    """Begin or end the tracing of a kernel; returns the one that was traced before."""
    before = _TRACE.get()
    _TRACE.set(trace)
    return before
