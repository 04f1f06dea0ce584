"""Kernels: Python functions that are traced into a module."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from xdsl.dialects.builtin import ModuleOp

from dialect.compat import Compat
from dialect.pass_options import OptionValue, option_from_python
from dialect.python_api.build import build_module
from dialect.python_api.data_types import data_type_of
from dialect.python_api.environment import Environment, environment, leave_scope, set_environment
from dialect.python_api.errors import argument_error
from dialect.python_api.options import KEYWORDS, options_argument, rules_argument
from dialect.python_api.recording import shape_argument
from dialect.python_api.tensors import StorageTensor, Tensor
from dialect.python_api.trace import Trace, current_trace, set_current_trace
from dialect.suggestions import did_you_mean
from dialect.targets import DEFAULT_SOC, find_target, resolve_soc

Body = Callable[..., object]


class Kernel:
    """A kernel: what `jit` makes of a function.

    Calling it traces the function and returns the module; there is no device here that could run it. Parameters that
    are tensors are declared by annotations (`x: pypto.tensor((128, 64), pypto.DT_FP32)`) or taken from the arguments
    of the call: tensors, or arrays of which only shape and element type are read. All other arguments reach the
    function as they are.
    """

    def __init__(self, body: Body, values: Mapping[str, object], compat: Compat | None, soc: str):
        functools.update_wrapper(self, body)
        self._name = str(getattr(body, "__name__", "kernel"))
        self._body = body
        self._given = values
        self._compat = compat
        self._soc = soc
        self._signature = _signature(body)
        self._last: _Traced | None = None

    def __call__(self, *arguments: object, **keywords: object) -> ModuleOp:
        """Trace the function with arguments; returns the module, which also is `module` from now on.

        Raises:
            TypeError: arguments that do not fit the function, or a tensor without shape and type.
            RuntimeError: inside another kernel, or the body of a loop is left early.
        """
        try:
            bound = self._signature.bind_partial(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{self._name}: {error}") from None
        return self._trace(self._arguments(bound.arguments))

    @property
    def module(self) -> ModuleOp:
        """The module of the last call; before any, of the declared arguments.

        The kernel is traced anew when the options around it have changed since, and only then.

        Raises: as a call.
        """
        last = self._last
        if last is not None and last.around == _key(environment()):
            return last.module
        return self._trace(self._arguments({}) if last is None else last.arguments)

    def _arguments(self, given: Mapping[str, object]) -> dict[str, object]:
        """Per parameter a declaration of a tensor, or the value that is passed on."""
        arguments: dict[str, object] = {}
        missing: list[str] = []
        for name, parameter in self._signature.parameters.items():
            declared = parameter.annotation
            if name in given:
                arguments[name] = self._argument(name, given[name], declared)
            elif isinstance(declared, Tensor):
                arguments[name] = declared
            elif parameter.default is not inspect.Parameter.empty:
                arguments[name] = parameter.default
            else:
                missing.append(name)
        if missing:
            names = ", ".join(f"'{name}'" for name in missing)
            raise TypeError(
                f"{self._name}: no shape and element type for {names}: annotate them, such as "
                f"{missing[0]}: pypto.tensor((128, 64), pypto.DT_FP32), or call the kernel with tensors"
            )
        return arguments

    def _argument(self, name: str, value: object, declared: object) -> object:
        if isinstance(value, Tensor):
            if not isinstance(value, StorageTensor) or value.number >= 0:
                raise argument_error(
                    self._name, name, "a declared tensor; in a kernel call plain functions, not kernels", value
                )
            tensor = value
        elif hasattr(value, "shape") and hasattr(value, "dtype"):
            shape = shape_argument(self._name, name, list(getattr(value, "shape")))  # noqa: B009  # of any array
            tensor = StorageTensor(shape, data_type_of(getattr(value, "dtype"), self._name, name))  # noqa: B009
        else:
            if isinstance(declared, Tensor):
                raise argument_error(self._name, name, f"a tensor such as {declared!r}", value)
            return value
        if isinstance(declared, Tensor):
            fits = declared.dtype == tensor.dtype and len(declared.shape) == len(tensor.shape)
            if not fits or any(old not in (-1, new) for old, new in zip(declared.shape, tensor.shape, strict=True)):
                raise argument_error(self._name, name, f"{declared!r}, as it is annotated", tensor)
        return tensor

    def _trace(self, arguments: Mapping[str, object]) -> ModuleOp:
        name = self._name
        if (outer := current_trace()) is not None:
            raise RuntimeError(
                f"{name}: is a kernel and cannot be called while kernel {outer.kernel.name} is traced; "
                "call a plain function"
            )
        around = environment()
        compat = self._compat or around.scope.compat
        values: dict[str, OptionValue] = {
            option: option_from_python(option, value, compat) for option, value in self._given.items()
        }
        trace = Trace(name, find_target(self._soc), values)
        passed = {
            parameter: trace.add_storage(StorageTensor(value.shape, value.dtype, name=parameter, is_argument=True))
            if isinstance(value, Tensor)
            else value
            for parameter, value in arguments.items()
        }
        set_environment(Environment(around.scope.opened(values, compat), around.label))
        set_current_trace(trace)
        try:
            self._run(passed)
            if trace.unfinished_loop is not None:
                raise RuntimeError(
                    f"{name}: the body of loop '{trace.unfinished_loop}' was left early; the loop runs on the device, "
                    "so break and return cannot end it"
                )
            trace.leave(trace.kernel)
        finally:
            set_current_trace(None)
            leave_scope(around)
        module = build_module(trace, around, compat, resolve_soc(self._soc))
        self._last = _Traced(arguments, _key(around), module)
        return module

    def _run(self, arguments: Mapping[str, object]) -> None:
        bound = inspect.BoundArguments(self._signature, dict(arguments))  # pyright: ignore[reportArgumentType]
        self._body(*bound.args, **bound.kwargs)


def _signature(body: Body) -> inspect.Signature:
    """The signature of a function; annotations in quotes are evaluated where their names can be found."""
    try:
        signature = inspect.signature(body, eval_str=True)
    except NameError:
        signature = inspect.signature(body)
    for parameter in signature.parameters.values():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise TypeError(f"jit: the parameters of a kernel have names of their own, found '{parameter}'")
    return signature


class _Traced(NamedTuple):
    """What a kernel was traced with, in which environment, and what came out."""

    arguments: Mapping[str, object]
    around: tuple[object, ...]
    module: ModuleOp


def _key(around: Environment) -> tuple[object, ...]:
    """What of an environment a kernel in it depends on."""
    return around.scope.compat, around.label, around.scope.values_set()


def jit(
    function: Body | None = None,
    *,
    pass_options: Mapping[str, object] | None = None,
    compat: Compat | str | None = None,
    soc: str = DEFAULT_SOC,
) -> Kernel | Callable[[Body], Kernel]:
    """Make a kernel of a function: `@pypto.jit` or `@pypto.jit(pass_options={…})`.

    Parameters:
        pass_options: options that are set in the kernel, those of `set_pass_options`.
        compat: `published` or `pypto`: the rules for what the kernel sets and for the passes on its module; those of
            the surrounding scope, if not given.
        soc: the chip, or a family of chips: `a2a3`, `a5`, `lite`.

    Raises:
        TypeError: an unknown keyword or option, or `function` is none.
        ValueError: unknown rules or an unknown chip.
        PassOptionError: (a ValueError) a value that an option does not take.
    """
    if function is not None and not callable(function):
        raise argument_error("jit", "function", "a function", function)
    if isinstance(pass_options, Mapping):
        for name in cast("Mapping[object, object]", pass_options):
            if name not in KEYWORDS:
                hint = did_you_mean(name, KEYWORDS) if isinstance(name, str) else ""
                raise TypeError(f"jit: argument 'pass_options': unexpected option {name!r}{hint}")
    values = options_argument("jit", pass_options)
    rules = None if compat is None else rules_argument("jit", compat)
    for name, value in values.items():
        option_from_python(name, value, rules or environment().scope.compat)
    find_target(soc)

    def decorate(body: Body) -> Kernel:
        return Kernel(body, values, rules, soc)

    return decorate if function is None else decorate(function)
