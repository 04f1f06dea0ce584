"""What outlining makes of a tile function: leaves, and the launches that run them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialect.function import TileFunction
from dialect.function_verifier import verify_body
from dialect.launch_syntax import LaunchParts, launch_text, parse_launch, windows_of
from dialect.operation import INTO, TensorOperation
from dialect.ops import OPERATION_BY_MNEMONIC
from dialect.properties import LAUNCH_DICTIONARY, LAUNCH_WINDOWS, check_into
from dialect.suggestions import did_you_mean
from dialect.syntax import FunctionParts, parse_function, print_function, value_names
from dialect.types import TensorType
from dialect.values import integer_of, integers_of, items_of, string_of


@irdl_op_definition
class LeafOp(TileFunction):
    """A subgraph as a function of its own; all subgraphs that are equal to it launch it.

    An argument is a tensor that the subgraph shares with others, or the window that one of its ops reads or writes in
    such a tensor; the launch says where the window is. `symbols` are the names of what the launch fills in for the
    symbolic values of its subgraph.

    ```mlir
    tile.leaf @leaf_0 ins(%0 : !tile.tensor<64x64xf32, ddr>) outs(%1 : !tile.tensor<64x64xf32, ddr>) {
      %2 = tile.view %0[0, 0] : !tile.tensor<64x64xf32, ub>
      %3 = tile.exp %2 : !tile.tensor<64x64xf32, ub>
      tile.assemble %3 into %1[0, 0]
    }
    ```
    """

    name = "tile.leaf"

    symbols = opt_prop_def(ArrayAttr)

    def __init__(
        self,
        name: str,
        region: Region,
        input_count: int,
        *,
        symbols: Sequence[str] = (),
        tensor_properties: Sequence[Mapping[str, Attribute]] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ):
        properties = {"symbols": ArrayAttr([StringAttr(symbol) for symbol in symbols])} if symbols else None
        super().__init__(
            name, region, input_count, tensor_properties=tensor_properties, properties=properties, attributes=attributes
        )

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The names that stand for what a launch fills in."""
        return tuple([string_of(item) or "" for item in items_of(self.symbols) or ()])

    def verify_(self) -> None:
        names = self.symbol_names
        if not all(names) or len(set(names)) < len(names):
            raise VerifyException(f"property 'symbols': expected a list of different names, found {self.symbols}")
        self.verify_arguments()
        launches = verify_body(self.body.block)
        if launches:
            raise VerifyException("a leaf holds tile ops and buffers, found tile.launch")

    @classmethod
    def parse(cls, parser: Parser) -> LeafOp:
        position = parser.pos
        parsed = parse_function(parser, OPERATION_BY_MNEMONIC)
        if parsed.magic is not None or parsed.pass_options:
            parser.raise_error("a leaf has no magic and no pass_options: these belong to functions", position)
        attributes = dict(parsed.attributes)
        symbols = attributes.pop("symbols", None)
        leaf = cls(
            parsed.name,
            parsed.region,
            parsed.input_count,
            tensor_properties=parsed.tensor_properties,
            attributes=attributes,
        )
        if symbols is not None:
            leaf.properties["symbols"] = symbols
        return leaf

    def print(self, printer: Printer) -> None:
        symbols = {} if self.symbols is None else {"symbols": self.symbols}
        print_function(
            printer,
            FunctionParts(
                self.symbol,
                None,
                self.body,
                self.input_count.value.data,
                self.properties_of_arguments(),
                {},
                {**symbols, **self.attributes},
            ),
        )


@irdl_op_definition
class LaunchOp(TensorOperation):
    """Runs a leaf: one subgraph of the function that it stands in.

    Operands and targets are the leaf's `ins` and `outs` in order, with offsets where the argument is a window. `_` is
    an `outs` that becomes a fresh tensor. `ops` has, for each op and buffer of the leaf, what this one carries beside
    what all of its ops have in common (which stands on the launch) and what is in the leaf.

    ```mlir
    tile.launch @leaf_0(%x[64, 0]) into %y[64, 0] {subgraph = 1, ops = [{magic = 10003}, {magic = 10004}, {}]}
    ```
    """

    name = "tile.launch"

    tensors = var_operand_def(AnyAttr())
    fresh = var_result_def(AnyAttr())
    callee = prop_def(SymbolRefAttr)
    into = opt_prop_def()
    offsets = opt_prop_def(ArrayAttr)
    dyn_offsets = opt_prop_def(ArrayAttr)
    subgraph = opt_prop_def()
    scope_id = opt_prop_def()
    allow_parallel_merge = opt_prop_def()
    allow_cross_scope_merge = opt_prop_def()
    cv_fuse_id = opt_prop_def()
    semantic_label = opt_prop_def()
    loc = opt_prop_def()
    hashorder = opt_prop_def()
    symbols = opt_prop_def()
    ops = opt_prop_def(ArrayAttr)

    traits = traits_def()

    @property
    def leaf_name(self) -> str:
        """The name of the leaf that it runs."""
        return self.callee.root_reference.data

    @property
    def subgraph_id(self) -> int | None:
        """The id of the subgraph, or None."""
        return integer_of(self.properties.get("subgraph"))

    @property
    def display_name(self) -> str:
        return f"the launch of @{self.leaf_name}"

    @property
    def windows(self) -> list[dict[str, Attribute]]:
        """Per operand, its `offsets` and `dyn_offsets`, where it has them."""
        return windows_of(self.properties, len(self.operands))

    @property
    def entries(self) -> list[Mapping[str, Attribute]]:
        """Per op and buffer of the leaf, what `ops` says; nothing at all if it is absent."""
        return [item.data if isinstance(item, DictionaryAttr) else {} for item in items_of(self.ops) or ()]

    def verify_(self) -> None:
        for name, value in self.properties.items():
            check = check_into if name == INTO else LAUNCH_DICTIONARY.get(name)
            if check is not None and (problem := check(value)) is not None:
                raise VerifyException(f"property '{name}': {problem}")
        self.verify_tensors()
        for name in LAUNCH_WINDOWS:
            items = items_of(self.properties.get(name))
            if items is not None and len(items) != len(self.operands):
                raise VerifyException(f"property '{name}': {len(items)} entries for {len(self.operands)} operands")
        for operand, window in zip(self.operands, self.windows, strict=True):
            _verify_window(operand, window)

    def verify_against(self, leaf: LeafOp) -> None:
        """Raises VerifyException unless operands, results, symbols and `ops` fit the leaf."""
        ins, outs = leaf.ins, leaf.outs
        if len(self.inputs) != len(ins) or len(self.outputs) != len(outs):
            raise VerifyException(
                f"{self.display_name} has {len(self.inputs)} inputs and {len(self.outputs)} outputs, "
                f"the leaf {len(ins)} and {len(outs)}"
            )
        operand_windows = iter(self.windows)
        windows = [next(operand_windows) for _ in ins]
        kinds = self.output_kinds
        windows += [next(operand_windows) if into else {} for into in kinds]
        for argument, value, window in zip((*ins, *outs), (*self.inputs, *self.outputs), windows, strict=True):
            self._verify_argument(argument.index, argument.type, value, window)
        values = items_of(self.properties.get("symbols")) or ()
        if len(values) != len(leaf.symbol_names):
            raise VerifyException(
                f"{self.display_name} fills in {len(values)} symbols, the leaf has {len(leaf.symbol_names)}"
            )
        entries = items_of(self.ops)
        count = sum(1 for _ in leaf.body.block.ops)
        if entries is not None and len(entries) != count:
            raise VerifyException(f"{self.display_name} has {len(entries)} entries in 'ops', the leaf has {count} ops")

    def _verify_argument(
        self, index: int, argument: Attribute, value: SSAValue, window: Mapping[str, Attribute]
    ) -> None:
        type = value.type
        assert isinstance(argument, TensorType) and isinstance(type, TensorType)
        if window:
            fits = (argument.rank, argument.element, argument.memory) == (type.rank, type.element, type.memory)
        else:
            fits = argument == type
        if not fits:
            what = "a window of " if window else ""
            raise VerifyException(
                f"{self.display_name} gives {what}{type} to argument {index} of the leaf, which is {argument}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> LaunchOp:
        parts = parse_launch(parser)
        return cls.create(
            operands=parts.operands,
            result_types=parts.result_types,
            properties=dict(parts.properties),
            attributes=dict(parts.attributes),
        )

    def text(self, operand_names: Sequence[str]) -> str:
        """What stands behind the name of the op, beginning with a blank."""
        types = [result.type for result in self.results]
        return launch_text(LaunchParts(self.operands, types, self.properties, self.attributes), operand_names)

    def print(self, printer: Printer) -> None:
        printer.print_string(self.text(value_names(printer, self.operands)))


def _verify_window(tensor: SSAValue, window: Mapping[str, Attribute]) -> None:
    if not window:
        return
    offsets, dynamic = integers_of(window.get("offsets")), window.get("dyn_offsets")
    if offsets is None:
        raise VerifyException("a window has integer offsets, such as [64, 0]")
    assert isinstance(tensor.type, TensorType)
    rank = tensor.type.rank
    for given in (offsets, items_of(dynamic) if dynamic is not None else offsets):
        if given is None or len(given) != rank:
            found = "no list" if given is None else len(given)
            raise VerifyException(f"a window of a tensor of rank {rank} has {rank} offsets, found {found}")


def verify_launches(launches: Iterable[Operation]) -> None:
    """Check the launches of one function against the leaves of its module.

    Raises:
        VerifyException: a launch of a leaf that does not exist, or that does not fit.

    Notes:
        O(launches + ops of the leaves + top-level ops of the module).
    """
    leaves: Mapping[str, LeafOp] | None = None
    for op in launches:
        launch = cast(LaunchOp, op)
        if leaves is None:
            module = _module_of(launch)
            if module is None:
                return
            leaves = leaves_of(module)
        leaf = leaves.get(launch.leaf_name)
        if leaf is None:
            raise VerifyException(f"no leaf @{launch.leaf_name}{did_you_mean(launch.leaf_name, leaves)}")
        launch.verify_against(leaf)


def _module_of(op: Operation) -> ModuleOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ModuleOp):
        parent = parent.parent_op()
    return parent


def leaves_of(module: ModuleOp) -> dict[str, LeafOp]:
    """The leaves of a module by name, in text order."""
    return {op.symbol: op for op in module.ops if isinstance(op, LeafOp)}


def launches_in(function: TileFunction) -> list[LaunchOp]:
    """The launches of a function in text order; none unless it is outlined."""
    return [op for op in function.body.block.ops if isinstance(op, LaunchOp)]
