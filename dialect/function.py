"""What functions and leaves have in common: a symbol name, tensors that come in and go out, and ops between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, BlockArgument, Region
from xdsl.irdl import IRDLOperation, opt_prop_def, prop_def, region_def, traits_def
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dialect.operation import TileOperation
from dialect.properties import verify_tensor_properties
from dialect.types import TensorType
from dialect.values import string_of


class TileFunction(IRDLOperation):
    """A graph of tile ops with a name; `ins` are the tensors that come in, `outs` those that it writes."""

    sym_name = prop_def(StringAttr)
    input_count = prop_def(IntegerAttr)
    tensor_properties = opt_prop_def(ArrayAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        region: Region,
        input_count: int,
        *,
        tensor_properties: Sequence[Mapping[str, Attribute]] | None = None,
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ):
        own: dict[str, Attribute] = {"sym_name": StringAttr(name), "input_count": IntegerAttr(input_count, i64)}
        if tensor_properties is not None and any(tensor_properties):
            own["tensor_properties"] = ArrayAttr([DictionaryAttr(dict(entry)) for entry in tensor_properties])
        super().__init__(regions=[region], properties={**own, **(properties or {})}, attributes=dict(attributes or {}))

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
        """The tensors that come in."""
        return self.arguments[: self.input_count.value.data]

    @property
    def outs(self) -> tuple[BlockArgument, ...]:
        """The tensors that the ops write for others."""
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

    def verify_arguments(self) -> None:
        """Raises VerifyException unless the arguments are tensors that carry what tensors may carry."""
        arguments = self.arguments
        if not 0 <= self.input_count.value.data <= len(arguments):
            raise VerifyException(
                f"input_count is {self.input_count.value.data}, found {len(arguments)} arguments in all"
            )
        for argument in arguments:
            if not isinstance(argument.type, TensorType):
                raise VerifyException(f"arguments are of type !tile.tensor<…>, found {argument.type}")
        entries = self.properties_of_arguments()
        if len(entries) != len(arguments):
            raise VerifyException(f"tensor_properties has {len(entries)} entries for {len(arguments)} arguments")
        for index, entry in enumerate(entries):
            verify_tensor_properties(f"argument {index}", entry)
