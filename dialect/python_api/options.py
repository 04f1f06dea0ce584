"""Pass options and labels as programs set and read them (pass options, sections 1, 6 and 7)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import ParamSpec, TypeVar, cast

from dialect.compat import Compat
from dialect.pass_options import (
    OptionValue,
    check_semantic_label,
    find_option,
    option_from_python,
    option_to_python,
)
from dialect.python_api.environment import Environment, environment, leave_scope, set_environment
from dialect.python_api.errors import argument_error, value_error
from dialect.python_api.trace import EventKind, Region, current_trace
from dialect.suggestions import did_you_mean

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

KEYWORDS = (
    "vec_nbuffer_setting",
    "cube_l1_reuse_setting",
    "cube_nbuffer_setting",
    "sg_set_scope",
    "pg_partition_algorithm",
    "auto_mix_partition",
    "enable_slice",
    "sg_set_ooo_scope",
    "ooo_sched_mode",
    "sg_set_tunevf_mode",
)
"""The options that `set_pass_options` takes and `get_pass_options` returns."""


def set_pass_options(
    *,
    vec_nbuffer_setting: Mapping[str, int] | Mapping[int, int] | None = None,
    cube_l1_reuse_setting: Mapping[str, int | tuple[int, str]] | Mapping[int, int | tuple[int, str]] | None = None,
    cube_nbuffer_setting: Mapping[str, int] | Mapping[int, int] | None = None,
    sg_set_scope: int | tuple[int, bool, bool] | None = None,
    pg_partition_algorithm: str | None = None,
    auto_mix_partition: int | None = None,
    enable_slice: bool | None = None,
    sg_set_ooo_scope: int | None = None,
    ooo_sched_mode: str | None = None,
    sg_set_tunevf_mode: int | None = None,
) -> None:
    """Set pass options, from here to the end of the innermost scope; what is None keeps its value.

    Scopes are the process (in fact the thread or task), kernels, loops and `options` blocks. `sg_set_scope` acts on the
    ops that follow, any other option on each function that ends while it holds, as a whole.

    Parameters:
        vec_nbuffer_setting: how many vector subgraphs of a class become one: `{"DEFAULT": 2, "func8_0": 4, "V1": 1}`.
        cube_l1_reuse_setting: how many cube subgraphs that load the same data become one; a count may have a side:
            `{"DEFAULT": (4, "left")}`.
        cube_nbuffer_setting: how many cube subgraphs of a class become one.
        sg_set_scope: a scope id, or (id, allow_parallel_merge, allow_cross_scope_merge); -1 is no scope.
        pg_partition_algorithm: `Iso`, `OspSarkar` or `OspBsp`.
        auto_mix_partition: 1 to merge cube and vector subgraphs on chips with mixed cores, 0 not to.
        enable_slice, sg_set_ooo_scope, ooo_sched_mode, sg_set_tunevf_mode: accepted as in PyPTO and carried along.

    Raises:
        TypeError: an unknown keyword.
        PassOptionError: (a ValueError) a value that an option does not take; nothing is set then.
    """
    given = {
        "vec_nbuffer_setting": vec_nbuffer_setting,
        "cube_l1_reuse_setting": cube_l1_reuse_setting,
        "cube_nbuffer_setting": cube_nbuffer_setting,
        "sg_set_scope": sg_set_scope,
        "pg_partition_algorithm": pg_partition_algorithm,
        "auto_mix_partition": auto_mix_partition,
        "enable_slice": enable_slice,
        "sg_set_ooo_scope": sg_set_ooo_scope,
        "ooo_sched_mode": ooo_sched_mode,
        "sg_set_tunevf_mode": sg_set_tunevf_mode,
    }
    now = environment()
    values = {
        name: option_from_python(name, value, now.scope.compat) for name, value in given.items() if value is not None
    }
    if not values:
        return
    set_environment(replace(now, scope=now.scope.with_values(values)))
    if (trace := current_trace()) is not None:
        trace.add_event(EventKind.SET, values)


def get_pass_options() -> dict[str, object]:
    """The values that hold here, under the keywords of `set_pass_options`.

    A merge setting is one dictionary: integer keys, class names, labels, in this order. `sg_set_scope` is always a
    triple.
    """
    scope = environment().scope
    return {name: option_to_python(scope.value(name)) for name in KEYWORDS}


def reset_options() -> None:
    """Forget what the innermost scope has set, and the label; what held where it begins holds again."""
    now = environment()
    set_environment(Environment(now.scope.emptied()))
    if (trace := current_trace()) is not None:
        trace.add_event(EventKind.RESET)


def set_semantic_label(label: str) -> None:
    """Label the ops that follow, up to the next label or the end of the scope; the empty label ends labelling.

    A label is a key of the merge settings.

    Raises:
        PassOptionError: (a ValueError) no string, or one that settings could not address: of the form
            `func{magic}_{order}`, `DEFAULT`, or beginning with `@` or `~` (the last two only under published rules).
    """
    now = environment()
    checked = check_semantic_label(label, now.scope.compat)
    set_environment(replace(now, label=checked))
    if (trace := current_trace()) is not None:
        trace.add_event(EventKind.LABEL, label=checked)


def get_semantic_label() -> str:
    """The label that ops get here; empty for none."""
    return environment().label


class options:  # noqa: N801  # used like a function, as contextlib.suppress
    """A scope of its own, as a `with` block or as a decorator of a function.

    ```python
    with pypto.options(pass_options={"sg_set_scope": 3}):
        y = pypto.exp(x)
    ```

    A block that ends before the function of the graph ends in which it stands has an effect on ops (`sg_set_scope`, the
    label) and none on merges.

    Parameters:
        pass_options: options that hold in the scope: those of `set_pass_options`, and the numbers that passes read
            (`pg_lower_bound`, …).
        compat: the rules for what is set in the scope, `published` or `pypto`; only outside kernels.

    Raises:
        TypeError: `pass_options` is no dictionary with strings as keys.
        PassOptionError: (a ValueError) an unknown option, or a value that it does not take.
        ValueError: unknown rules.
        RuntimeError: `compat` inside a kernel, where the rules are those of the kernel.
    """

    def __init__(self, *, pass_options: Mapping[str, object] | None = None, compat: Compat | str | None = None):
        self._rules = None if compat is None else rules_argument("options", compat)
        self._given = options_argument("options", pass_options)
        self._values(self._rules or environment().scope.compat)
        self._entered: list[tuple[Environment, Region | None]] = []

    def _values(self, compat: Compat) -> dict[str, OptionValue]:
        mixed_keys = compat is Compat.PYPTO
        return {
            name: option_from_python(name, value, compat, mixed_keys=mixed_keys) for name, value in self._given.items()
        }

    def __enter__(self) -> None:
        before = environment()
        trace = current_trace()
        if trace is not None and self._rules not in (None, before.scope.compat):
            raise RuntimeError("options: argument 'compat': the rules in a kernel are those of the kernel; see jit")
        values = self._values(self._rules or before.scope.compat)
        region = None if trace is None else trace.enter_options(values)
        self._entered.append((before, region))
        set_environment(replace(before, scope=before.scope.opened(values, self._rules)))

    def __exit__(
        self, error: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        before, region = self._entered.pop()
        trace = current_trace()
        if trace is not None and region is not None:
            trace.leave(region)
        leave_scope(before)

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        """`function`, each call of which runs in a scope of its own."""

        @functools.wraps(function)
        def in_scope(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
            with options(pass_options=self._given, compat=self._rules):
                return function(*arguments, **keywords)

        return in_scope


def options_argument(function: str, value: object) -> Mapping[str, object]:
    """The argument `pass_options`, which must be a dictionary of known options.

    Raises:
        TypeError: it is none, or a key is no string.
        PassOptionError: an unknown option.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise argument_error(function, "pass_options", "a dictionary of pass options", value)
    entries = cast("Mapping[object, object]", value)
    for key in entries:
        if not isinstance(key, str):
            raise argument_error(function, "pass_options", "names of pass options as keys", key)
        find_option(key)
    return {str(key): entry for key, entry in entries.items() if entry is not None}


def rules_argument(function: str, value: object) -> Compat:
    """The argument `compat`; raises ValueError."""
    if value not in tuple(Compat):
        hint = did_you_mean(value, tuple(Compat)) if isinstance(value, str) else ""
        raise value_error(function, "compat", "'published' or 'pypto'", value, hint)
    return Compat(str(value))
