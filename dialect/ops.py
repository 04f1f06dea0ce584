"""The ops of the dialect: functions, buffers, and one class per opcode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialect.directives import verify_carried_options
from dialect.function import TileFunction
from dialect.function_verifier import verify_body
from dialect.opcodes import OPCODES
from dialect.operation import TileOperation, make_operation_class
from dialect.properties import LARGEST_I64, verify_tensor_properties
from dialect.syntax import FunctionParts, buffer_text, parse_buffer, parse_function, print_function
from dialect.types import TensorType

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
class FuncOp(TileFunction):
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

    magic = opt_prop_def(IntegerAttr)
    pass_options = opt_prop_def(DictionaryAttr)

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
        properties: dict[str, Attribute] = {}
        if magic is not None:
            properties["magic"] = IntegerAttr(magic, i64)
        if pass_options:
            properties["pass_options"] = DictionaryAttr(dict(pass_options))
        super().__init__(
            name, region, input_count, tensor_properties=tensor_properties, properties=properties, attributes=attributes
        )

    @property
    def argument_names(self) -> Sequence[str | None]:
        """Per argument, its name in the text or dump that the function was read from, else its name hint.

        The names are not part of the IR, and clones lose them; hints lose a suffix such as `_1`.
        """
        names: Sequence[str | None] = getattr(self, "_read_argument_names", ())
        arguments = self.arguments
        return names if len(names) == len(arguments) else tuple(argument.name_hint for argument in arguments)

    @argument_names.setter
    def argument_names(self, names: Sequence[str | None]) -> None:
        self._read_argument_names = names

    def verify_(self) -> None:
        if self.magic is not None and not 0 <= self.magic.value.data <= LARGEST_I64:
            raise VerifyException(f"magic {self.magic.value.data} is not in the range 0..{LARGEST_I64}")
        self.verify_arguments()
        if self.pass_options is not None:
            verify_carried_options(self, self.pass_options.data)
        launches = verify_body(self.body.block)
        if launches:
            from dialect.outlined import verify_launches

            verify_launches(launches)

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        parsed = parse_function(parser, OPERATION_BY_MNEMONIC)
        function = cls(
            parsed.name,
            parsed.region,
            parsed.input_count,
            magic=parsed.magic,
            tensor_properties=parsed.tensor_properties,
            pass_options=parsed.pass_options,
            attributes=parsed.attributes,
        )
        function.argument_names = parsed.argument_names
        return function

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
    """The tile functions of a module in text order, those inside kernels and loops included.

    Notes:
        O(functions and ops around them): ops of functions are not visited.
    """
    open_blocks: list[Iterator[Operation]] = [iter(module.body.block.ops)]
    while open_blocks:
        op = next(open_blocks[-1], None)
        if op is None:
            open_blocks.pop()
        elif isinstance(op, FuncOp):
            yield op
        elif op.regions:
            open_blocks.append(
                op_of_block for region in op.regions for block in region.blocks for op_of_block in block.ops
            )
