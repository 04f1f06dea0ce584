"""The stack of scopes: which options and label hold at the place that a walk has reached (pass options, section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Attribute, Operation

from dialect.compat import Compat
from dialect.pass_options import NO_SCOPE_SETTING, OptionValue, ScopeSetting, assigned, default_of, option_to_attribute


@dataclass(eq=False)
class Assignment:
    """One option that one op has set.

    Attributes:
        option: the option's name.
        written: the value that the op gives it.
        value: the value that holds from there on; under the rules of PyPTO it may have entries of earlier assignments.
        setter: the op.
        is_captured: whether it is what some function was left with.
    """

    option: str
    written: OptionValue
    value: OptionValue
    setter: Operation
    is_captured: bool = False

    @cached_property
    def attribute(self) -> Attribute:
        """The value in force, as a function carries it."""
        return option_to_attribute(self.value)


@dataclass(slots=True)
class _Frame:
    held_before: dict[str, Assignment]
    label_before: str
    held: dict[str, Assignment]
    label: str


@dataclass(slots=True)
class VisibleOptions:
    """The scopes that are open, innermost last, and all assignments so far."""

    compat: Compat
    assignments: list[Assignment] = field(default_factory=list[Assignment])
    _frames: list[_Frame] = field(default_factory=lambda: [_Frame({}, "", {}, "")])

    def begin_scope(self) -> None:
        """Open a scope, in which all holds that holds now."""
        outer = self._frames[-1]
        self._frames.append(_Frame(outer.held, outer.label, dict(outer.held), outer.label))

    def end_scope(self) -> None:
        """Close the innermost scope; what held before it began holds again."""
        self._frames.pop()

    def assign(self, option: str, value: OptionValue, setter: Operation) -> Assignment:
        """Set an option in the innermost scope (pass options, section 3)."""
        held = self._frames[-1].held
        before = held[option].value if option in held else default_of(option, self.compat)
        assignment = Assignment(option, value, assigned(before, value, self.compat), setter)
        held[option] = assignment
        self.assignments.append(assignment)
        return assignment

    def set_label(self, label: str) -> None:
        """Set the label in the innermost scope."""
        self._frames[-1].label = label

    def reset(self) -> None:
        """Forget what was set in the innermost scope, and the label."""
        frame = self._frames[-1]
        frame.held = dict(frame.held_before)
        frame.label = ""

    @property
    def label(self) -> str:
        """The label that holds now; empty for none."""
        return self._frames[-1].label

    @property
    def scope(self) -> ScopeSetting:
        """What `sg_set_scope` is now."""
        held = self._frames[-1].held.get("sg_set_scope")
        if held is None:
            return NO_SCOPE_SETTING
        assert isinstance(held.value, ScopeSetting)
        return held.value

    def held(self) -> Iterable[Assignment]:
        """The assignment in force of each option that somebody has set."""
        return self._frames[-1].held.values()
