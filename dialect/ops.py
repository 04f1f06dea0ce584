"""The ops of the dialect: functions, buffers, and one class per opcode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute, BlockArgument, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dialect.function_verifier import verify_body
from dialect.opcodes import OPCODES
from dialect.operation import TileOperation, make_operation_class
from dialect.properties import LARGEST_I64, verify_tensor_properties
from dialect.syntax import FunctionParts, buffer_text, parse_buffer, parse_function, print_function
from dialect.types import TensorType
from dialect.values import string_of

OPERATION_CLASSES: tuple[type[TileOperation], ...] = tuple(make_operation_class(opcode) for opcode in OPCODES)
"""The op class of each opcode; the index is the opcode's number."""

OPERATION_BY_MNEMONIC: Mapping[str, type[TileOperation]] = {
    operation_class.opcode.mnemonic: operation_class for operation_class in OPERATION_CLASSES
}


@irdl_op_definition
class BufferOp(IRDLOperation):
    """A tensor that is neither an argument nor the fresh result of one op: several ops write it, or none does.

    ```mlir
    %sum = tile.buffer : !tile.tensor<64x64xf32, l0c>
    ```
    """

    name = "tile.buffer"

    tensor = result_def(TensorType)
    tensor_magic = opt_prop_def(IntegerAttr)
    storage = opt_prop_def()
    tobe = opt_prop_def()
    valid = opt_prop_def()
    dyn_offset = opt_prop_def()

    def __init__(
        self,
        type: TensorType,
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ):
        super().__init__(result_types=[type], properties=dict(properties or {}), attributes=dict(attributes or {}))

    def verify_(self) -> None:
        verify_tensor_properties("buffer", self.properties)

    @classmethod
    def parse(cls, parser: Parser) -> BufferOp:
        type, properties, attributes = parse_buffer(parser)
        return cls(type, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(buffer_text(self.tensor.type, self.properties, self.attributes))


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A tile graph: tensors that come in, tensors that go out, and the ops between them.

    `ins` are the incasts and `outs` the outcasts, in the order of the dump. All writers of a tensor stand before all
    its readers.

    ```mlir
    tile.func @scale magic(8) ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
      %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
      %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
      tile.assemble %1 into %y[0, 0]
    }
    ```
    """

    name = "tile.func"

    sym_name = prop_def(StringAttr)
    magic = opt_prop_def(IntegerAttr)
    input_count = prop_def(IntegerAttr)
    tensor_properties = opt_prop_def(ArrayAttr)
    pass_options = opt_prop_def(DictionaryAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        region: Region,
        input_count: int,
        *,
        magic: int | None = None,
        tensor_properties: Sequence[Mapping[str, Attribute]] | None = None,
        pass_options: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ):
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "input_count": IntegerAttr(input_count, i64),
        }
        if magic is not None:
            properties["magic"] = IntegerAttr(magic, i64)
        if tensor_properties is not None and any(tensor_properties):
            properties["tensor_properties"] = ArrayAttr([DictionaryAttr(dict(entry)) for entry in tensor_properties])
        if pass_options:
            properties["pass_options"] = DictionaryAttr(dict(pass_options))
        super().__init__(regions=[region], properties=properties, attributes=dict(attributes or {}))

    def __post_init__(self) -> None:
        name = self.properties.get("sym_name")
        if isinstance(name, BytesAttr) and (text := string_of(name)) is not None:
            self.properties["sym_name"] = StringAttr(text)
        super().__post_init__()

    @property
    def symbol(self) -> str:
        """The function's name."""
        return self.sym_name.data

    @property
    def arguments(self) -> tuple[BlockArgument, ...]:
        return self.body.block.args

    @property
    def ins(self) -> tuple[BlockArgument, ...]:
        """The incasts."""
        return self.arguments[: self.input_count.value.data]

    @property
    def outs(self) -> tuple[BlockArgument, ...]:
        """The outcasts."""
        return self.arguments[self.input_count.value.data :]

    def operations(self) -> Iterator[TileOperation]:
        """The ops of the graph in text order; buffers are not among them."""
        for op in self.body.block.ops:
            if isinstance(op, TileOperation):
                yield op

    def properties_of_arguments(self) -> Sequence[Mapping[str, Attribute]]:
        """Per argument, what its tensor carries."""
        entries = self.tensor_properties
        if entries is None:
            return [dict[str, Attribute]()] * len(self.arguments)
        return [entry.data if isinstance(entry, DictionaryAttr) else {} for entry in entries]

    def verify_(self) -> None:
        arguments = self.arguments
        if not 0 <= self.input_count.value.data <= len(arguments):
            raise VerifyException(
                f"input_count is {self.input_count.value.data}, found {len(arguments)} arguments in all"
            )
        if self.magic is not None and not 0 <= self.magic.value.data <= LARGEST_I64:
            raise VerifyException(f"magic {self.magic.value.data} is not in the range 0..{LARGEST_I64}")
        for argument in arguments:
            if not isinstance(argument.type, TensorType):
                raise VerifyException(f"arguments are of type !tile.tensor<…>, found {argument.type}")
        entries = self.properties_of_arguments()
        if len(entries) != len(arguments):
            raise VerifyException(f"tensor_properties has {len(entries)} entries for {len(arguments)} arguments")
        for index, entry in enumerate(entries):
            verify_tensor_properties(f"argument {index}", entry)
        verify_body(self.body.block)

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        parsed = parse_function(parser, OPERATION_BY_MNEMONIC)
        return cls(
            parsed.name,
            parsed.region,
            parsed.input_count,
            magic=parsed.magic,
            tensor_properties=parsed.tensor_properties,
            pass_options=parsed.pass_options,
            attributes=parsed.attributes,
        )

    def print(self, printer: Printer) -> None:
        print_function(
            printer,
            FunctionParts(
                self.symbol,
                None if self.magic is None else self.magic.value.data,
                self.body,
                self.input_count.value.data,
                self.properties_of_arguments(),
                {} if self.pass_options is None else self.pass_options.data,
                self.attributes,
            ),
        )


def functions_of(module: ModuleOp) -> Iterator[FuncOp]:
    """The tile functions of a module in text order, those inside kernels and loops included."""
    for op in module.walk():
        if isinstance(op, FuncOp):
            yield op
