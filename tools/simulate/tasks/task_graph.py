"""Tasks of a device: calls of leaves, and HUB tasks that only pass on that something has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


class TaskKind(IntEnum):
    """What runs a task; the value is the number in the reference's task list."""

    AIV = 0
    AIC = 1
    HUB = 4


NO_LEAF = -1
"""The leaf of a HUB task."""


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """The tasks of one device task in the order of their numbers.

    Attributes:
        kinds: per task, what runs it.
        leaves: per task, the leaf that it calls, `NO_LEAF` for a HUB.
        successors: per task, the tasks that wait for it, in the order in which the scheduler resolves them.
    """

    kinds: Sequence[TaskKind]
    leaves: Sequence[int]
    successors: Sequence[Sequence[int]]

    def predecessors(self) -> list[list[int]]:
        """Per task, the tasks it waits for, ascending."""
        predecessors: list[list[int]] = [[] for _ in self.kinds]
        for task, successors in enumerate(self.successors):
            for successor in successors:
                predecessors[successor].append(task)
        return predecessors
