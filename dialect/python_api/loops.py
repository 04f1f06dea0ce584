"""Loops that run on the device."""

from __future__ import annotations

from collections.abc import Iterator

from dialect.python_api.environment import Environment, environment, leave_scope, set_environment
from dialect.python_api.errors import value_error
from dialect.python_api.recording import integer_argument, string_argument, tracing
from dialect.python_api.symbols import Extent, SymbolicScalar
from dialect.python_api.trace import current_trace


def loop(*bounds: Extent, name: str | None = None, idx_name: str | None = None) -> Iterator[SymbolicScalar]:
    """A loop that the device runs: `for i in pypto.loop(4): …`, with the bounds of Python's `range`.

    The body is traced once, with an index that stands for all its values. It becomes functions of its own and is a
    scope: what it sets ends with it, what was set before the loop holds in it.

    Parameters:
        bounds: end, or start and end, or start, end and step.
        name: the loop's name in the graph; `loop`, if not given.
        idx_name: the index's name in expressions; `loop_idx_` and the loop's name, if not given.

    Raises:
        RuntimeError: outside a kernel.
        TypeError: a bound that is neither an integer nor an expression of loop indices, or none or more than three.
        ValueError: a step that is not positive, or a name that is no identifier.
    """
    function = "loop"
    trace = tracing(function)
    if not 1 <= len(bounds) <= 3:
        raise TypeError(f"{function}: expected end; start, end; or start, end, step; found {len(bounds)} numbers")
    numbers = [
        bound if isinstance(bound, SymbolicScalar) else integer_argument(function, "bounds", bound)
        for bound in (bounds if len(bounds) > 1 else (0, *bounds))
    ]
    start, end, step = (*numbers, 1) if len(numbers) == 2 else numbers
    if isinstance(step, int) and step < 1:
        raise value_error(function, "step", "a number of at least 1", step)
    for argument, text in (("name", name), ("idx_name", idx_name)):
        if text is not None and not string_argument(function, argument, text).isidentifier():
            raise value_error(function, argument, "an identifier", text)
    loop_name = trace.unique_name(name or "loop")
    return _body(loop_name, idx_name or f"loop_idx_{loop_name}", (start, end, step))


def _body(name: str, index_name: str, bounds: tuple[Extent, Extent, Extent]) -> Iterator[SymbolicScalar]:
    trace = tracing("loop")
    before = environment()
    region = trace.enter_loop(name, index_name, bounds)
    set_environment(Environment(before.scope.opened(), before.label))
    try:
        yield SymbolicScalar.symbol(index_name)
    except GeneratorExit:
        # Whoever drops the loop early may do so long after its kernel, or in another thread.
        if current_trace() is trace:
            trace.unfinished_loop = name
        raise
    trace.leave(region)
    leave_scope(before)
