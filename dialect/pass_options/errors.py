"""What is wrong with the value of a pass option."""

from __future__ import annotations

from enum import StrEnum

from dialect.shown import shown


class Mistake(StrEnum):
    """The kind of a mistake (pass options, section 8)."""

    NAME = "name"
    """There is no such option."""

    TYPE = "type"
    """The value, or a part of it, has the wrong type."""

    VALUE = "value"
    """The type is right and the value is not allowed."""


class PassOptionError(ValueError):
    """A value that a pass option does not take.

    Attributes:
        mistake: which kind of mistake it is.
        option: the option's name.
        key: the key of the setting that is wrong, or None if the mistake concerns the option as a whole.
        problem: what was found and what was expected, without option and key.
    """

    def __init__(self, mistake: Mistake, option: str, problem: str, key: object = None):
        super().__init__(f"{option}: {problem}" if key is None else f"{option}: key {shown(key)}: {problem}")
        self.mistake = mistake
        self.option = option
        self.key = key
        self.problem = problem
