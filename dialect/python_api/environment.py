"""The options in force: a stack of scopes that nobody can change, and the label (pass options, sections 2 and 6).

A scope knows what held where it began and what was set in it. Setting makes a new scope in its place, so what a
finished loop or an inner scope holds stays as it was. Each thread and each asynchronous task has its own stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from dialect.compat import Compat
from dialect.pass_options import OptionValue, assigned, default_of


@dataclass(frozen=True, slots=True, eq=False)
class OptionScope:
    """A scope of pass options.

    Attributes:
        inherited: what was set where the scope began.
        own: what has been set in it.
    """

    compat: Compat = Compat.PUBLISHED
    inherited: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    own: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])

    def value(self, name: str) -> OptionValue:
        """The value of an option as seen in this scope."""
        if name in self.own:
            return self.own[name]
        return self.inherited[name] if name in self.inherited else default_of(name, self.compat)

    def values_set(self) -> dict[str, OptionValue]:
        """The options that somebody has set, here or around, by name."""
        return {**self.inherited, **self.own}

    def with_values(self, values: Mapping[str, OptionValue]) -> OptionScope:
        """This scope after `values` are set in it."""
        new = {name: assigned(self.value(name), value, self.compat) for name, value in values.items()}
        return replace(self, own={**self.own, **new})

    def emptied(self) -> OptionScope:
        """This scope after everything that it sets itself is forgotten."""
        return replace(self, own={})

    def opened(self, values: Mapping[str, OptionValue] | None = None, compat: Compat | None = None) -> OptionScope:
        """A scope inside this one, with `values` set in it."""
        inner = OptionScope(self.compat if compat is None else compat, self.values_set())
        return inner.with_values(values) if values else inner


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """What holds where a program stands: the top scope and the semantic label."""

    scope: OptionScope = OptionScope()
    label: str = ""


_ENVIRONMENT: ContextVar[Environment] = ContextVar("tile-opt pass options", default=Environment())  # noqa: B039  # it cannot be changed


def environment() -> Environment:
    """The environment of the current thread or task."""
    return _ENVIRONMENT.get()


def set_environment(new: Environment) -> None:
    """Replace the environment of the current thread or task."""
    _ENVIRONMENT.set(new)


def leave_scope(before: Environment) -> None:
    """End the top scope: what held before it holds again.

    Labels are scoped like options; those of the shipped compiler are not (row L1).
    """
    now = _ENVIRONMENT.get()
    label = now.label if before.scope.compat is Compat.PYPTO else before.label
    _ENVIRONMENT.set(replace(before, label=label))
