"""The base of all tile ops: what they carry, and the checks that concern one op alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.ir import OpTraits, SSAValue
from xdsl.irdl import AnyAttr, IRDLOperation, OpDef, OptPropertyDef, RangeOf, VarOperandDef, VarResultDef
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialect.elements import Element
from dialect.latency import latency
from dialect.opcodes import Opcode
from dialect.properties import (
    CONVERT_PROPERTIES,
    HAS_PLACE_OF_ITS_OWN,
    INTO,
    OPERATION_PROPERTIES,
    TENSOR_PROPERTIES,
    WINDOW_PROPERTIES,
    Check,
    check_into,
    check_per_result,
)
from dialect.suggestions import did_you_mean
from dialect.types import TensorType
from dialect.values import integer_of, integers_of, string_of

FIRST_MAGIC = 10000
"""The magic of the first op of a function whose text states none."""


class TensorOperation(IRDLOperation):
    """An operation that reads tensors and writes tensors.

    Operands are the inputs, then the destinations; results are the outputs that are fresh. The property `into` says
    which of the ordered outputs go into destinations.
    """

    @property
    def display_name(self) -> str:
        """How messages call the op."""
        return self.name

    def text(self, operand_names: Sequence[str]) -> str:
        """What the custom syntax writes behind the name of the op, beginning with a blank."""
        raise NotImplementedError

    @property
    def output_kinds(self) -> tuple[bool, ...]:
        """Per output, in order, whether it is written into a destination."""
        into = integers_of(self.properties.get(INTO), i1)
        return (False,) * len(self.results) if into is None else tuple([bool(flag) for flag in into])

    @property
    def inputs(self) -> tuple[SSAValue, ...]:
        """The tensors that the op reads, in operand order."""
        if INTO not in self.properties:
            return tuple(self.operands)
        return tuple(self.operands)[: len(self.operands) - sum(self.output_kinds)]

    @property
    def destinations(self) -> tuple[SSAValue, ...]:
        """The existing tensors that the op writes into, in output order."""
        if INTO not in self.properties:
            return ()
        return tuple(self.operands)[len(self.operands) - sum(self.output_kinds) :]

    @property
    def outputs(self) -> tuple[SSAValue, ...]:
        """The tensors that the op writes, in order: destinations and results."""
        if INTO not in self.properties:
            return tuple(self.results)
        destinations: Iterator[SSAValue] = iter(self.destinations)
        results: Iterator[SSAValue] = iter(self.results)
        return tuple(next(destinations) if into else next(results) for into in self.output_kinds)

    def verify_tensors(self) -> None:
        """Raises VerifyException unless all operands and results are tensors and `into` fits them."""
        for value in (*self.operands, *self.results):
            if not isinstance(value.type, TensorType):
                raise VerifyException(f"operands and results are of type !tile.tensor<…>, found {value.type}")
        if INTO not in self.properties:
            return
        kinds = self.output_kinds
        if not any(kinds):
            raise VerifyException("property 'into' must name at least one destination, or be absent")
        if len(kinds) - sum(kinds) != len(self.results):
            raise VerifyException(
                f"property 'into' leaves {len(kinds) - sum(kinds)} outputs to be results, "
                f"found {len(self.results)} results"
            )
        if sum(kinds) > len(self.operands):
            raise VerifyException(
                f"property 'into' names {sum(kinds)} destinations, found {len(self.operands)} operands"
            )


class TileOperation(TensorOperation):
    """An operation on tensors of a tile graph; one subclass per opcode."""

    traits = OpTraits(tuple)

    opcode: ClassVar[Opcode]
    property_checks: ClassVar[Mapping[str, Check]]
    """The checks of properties that concern the op as a whole."""
    per_result_checks: ClassVar[Mapping[str, Check]]
    """The checks of properties that have one value for each result."""
    dictionary_properties: ClassVar[frozenset[str]]
    """The properties that the custom syntax writes in the dictionary."""

    def __post_init__(self) -> None:
        pass

    @property
    def magic(self) -> int | None:
        """The op's unique number, or None where the text states none (then 10000 + position counts)."""
        return integer_of(self.properties.get("magic"))

    @property
    def subgraph(self) -> int | None:
        """The id of the op's subgraph, or None before the partition."""
        return integer_of(self.properties.get("subgraph"))

    @property
    def semantic_label(self) -> str | None:
        return string_of(self.properties.get("semantic_label"))

    @property
    def latency(self) -> int:
        """Cycles: as stated, else by the table formula (opcodes, section 4)."""
        stated = integer_of(self.properties.get("latency"))
        if stated is not None:
            return stated
        computed = self.computed_latency()
        assert computed is not None, "verified: an op on a scalar states its latency"
        return computed

    def computed_latency(self) -> int | None:
        """The table formula's latency, or None where it has no value (first operand of rank 0)."""
        return latency(self.opcode, _shapes(self.inputs), _shapes(self.outputs))

    @property
    def display_name(self) -> str:
        """How messages call the op: its opcode and, where stated, its magic."""
        magic = self.magic
        return self.opcode.name if magic is None else f"{self.opcode.name} {magic}"

    @classmethod
    def parse(cls, parser: Parser) -> TileOperation:
        from dialect.syntax import parse_operation

        return parse_operation(parser, cls)

    def print(self, printer: Printer) -> None:
        from dialect.syntax import AttributeTexts, operation_text, value_names

        printer.print_string(operation_text(self, value_names(printer, self.operands), AttributeTexts()))

    def verify_(self) -> None:
        properties = self.properties
        result_count = len(self.results)
        for name, value in properties.items():
            check = self.property_checks.get(name)
            if check is not None:
                problem = check(value)
            elif (check := self.per_result_checks.get(name)) is not None:
                problem = check_per_result(check, value, result_count)
            else:
                known = (*self.property_checks, *self.per_result_checks)
                raise VerifyException(f"unknown property '{name}' of {self.name}{did_you_mean(name, known)}")
            if problem is not None:
                raise VerifyException(f"property '{name}': {problem}")
        self.verify_tensors()
        if ("from" in properties) != ("to" in properties):
            raise VerifyException("a conversion has both 'from' and 'to', or neither")
        if integer_of(properties.get("scope_id")) in (None, -1):
            for flag in ("allow_parallel_merge", "allow_cross_scope_merge"):
                if flag in properties:
                    raise VerifyException(f"flag '{flag}' needs a scope_id other than -1")
        if "offsets" in properties or "dyn_offsets" in properties:
            self._verify_window()
        if "latency" not in properties and self.computed_latency() is None:
            raise VerifyException("latency must be stated: the formula has no value for a first operand of rank 0")

    @property
    def window_tensor(self) -> SSAValue | None:
        """The tensor that the offsets of a view-like (assemble-like) op are in: its first input (output)."""
        candidates = self.inputs if self.opcode.is_view_like else self.outputs
        return candidates[0] if candidates else None

    def _verify_window(self) -> None:
        offsets = integers_of(self.properties.get("offsets"))
        if offsets is None:
            raise VerifyException("property 'dyn_offsets' needs 'offsets'")
        tensor = self.window_tensor
        side = "input" if self.opcode.is_view_like else "output"
        if tensor is None:
            raise VerifyException(f"offsets need an {side} tensor that they are in")
        assert isinstance(tensor.type, TensorType)
        if len(offsets) != tensor.type.rank:
            raise VerifyException(
                f"{len(offsets)} offsets for an {side} of rank {tensor.type.rank}: there must be one for each dimension"
            )


def _shapes(values: tuple[SSAValue, ...]) -> list[tuple[tuple[int, ...], Element]]:
    return [(value.type.shape, value.type.element) for value in values if isinstance(value.type, TensorType)]


def make_operation_class(opcode: Opcode) -> type[TileOperation]:
    """The op class of an opcode."""
    checks = dict(OPERATION_PROPERTIES)
    checks[INTO] = check_into
    per_result = dict(TENSOR_PROPERTIES)
    if opcode.is_windowed:
        checks["valid"] = per_result.pop("valid")
        checks |= {name: WINDOW_PROPERTIES[name] for name in ("offsets", "dyn_offsets")}
        per_result["tensor_valid"] = WINDOW_PROPERTIES["tensor_valid"]
    elif opcode.name == "CONVERT":
        checks |= CONVERT_PROPERTIES
    definition = OpDef(
        f"tile.{opcode.mnemonic}",
        operands=[("tensors", VarOperandDef(RangeOf(AnyAttr())))],
        results=[("fresh", VarResultDef(RangeOf(AnyAttr())))],
        properties={name: OptPropertyDef(AnyAttr()) for name in (*checks, *per_result)},
    )

    def get_definition(cls: type[TileOperation]) -> OpDef:
        return definition

    return type(
        "".join(part.capitalize() for part in opcode.mnemonic.split("_")) + "Op",
        (TileOperation,),
        {
            "__doc__": f"The opcode {opcode.name}.",
            "__module__": "dialect.ops",
            "name": definition.name,
            "opcode": opcode,
            "property_checks": checks,
            "per_result_checks": per_result,
            "dictionary_properties": frozenset({*checks, *per_result} - HAS_PLACE_OF_ITS_OWN),
            "get_irdl_definition": classmethod(get_definition),
        },
    )
