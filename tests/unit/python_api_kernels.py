"""Shorthand for tests that trace kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from dialect import frontend as pypto
from dialect.compat import Compat
from dialect.frontend import Tensor
from dialect.operation import TileOperation
from dialect.ops import FuncOp, functions_of
from dialect.pass_options import OptionValue, option_to_python, options_from_dictionary
from dialect.tile import TILE
from transforms.resolve_pass_options.resolve_pass_options_pass import ResolvePassOptionsPass

SQUARE = pypto.tensor((64, 64), pypto.DT_FP32)
HALF = pypto.tensor((64, 64), pypto.DT_FP16)


@contextmanager
def rules(compat: Compat) -> Iterator[None]:
    """A process of its own, whose rules are `compat`."""
    with pypto.options(compat=compat):
        yield


def traced(
    body: Callable[..., object], *arguments: Tensor, compat: Compat | None = None, soc: str = "a2a3", **options: object
) -> ModuleOp:
    """The module of a kernel with this body; without arguments it gets two square tensors of FP32."""
    kernel = pypto.jit(pass_options=options or None, compat=compat, soc=soc)(body)
    return kernel(*(arguments or (SQUARE, pypto.tensor((64, 64), pypto.DT_FP32))))


def parsed(text: str) -> ModuleOp:
    """The module that a text means, verified."""
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(TILE)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def resolved(module: ModuleOp) -> ModuleOp:
    """What `resolve-pass-options` makes of a copy of a module, verified."""
    copy = module.clone()
    ResolvePassOptionsPass().apply(Context(), copy)
    copy.verify()
    return copy


def only_function(module: ModuleOp) -> FuncOp:
    (function,) = functions_of(module)
    return function


def operations(module: ModuleOp) -> list[TileOperation]:
    """The ops of all functions, in text order."""
    return [op for function in functions_of(module) for op in function.operations()]


def mnemonics(module: ModuleOp) -> list[str]:
    """The names of all ops, in text order."""
    return [op.opcode.mnemonic for op in operations(module)]


def captured(function: FuncOp, compat: Compat = Compat.PUBLISHED) -> dict[str, object]:
    """What a resolved function carries, as a program writes it."""
    return {name: option_to_python(value) for name, value in captured_values(function, compat).items()}


def captured_values(function: FuncOp, compat: Compat) -> Mapping[str, OptionValue]:
    """What a resolved function carries."""
    entries = {} if function.pass_options is None else function.pass_options.data
    return options_from_dictionary(entries, compat, mixed_keys=True)
