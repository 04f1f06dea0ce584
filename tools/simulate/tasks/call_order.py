"""The order in which the compiler lists the calls of a function's subgraphs (cost model, section 6.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def renumbered(predecessors: Sequence[Sequence[int]], successors: Sequence[Sequence[int]]) -> list[int]:
    """The subgraphs in the order of their final ids: those of a chain get neighbouring ones.

    Args:
        predecessors, successors: per subgraph, by the ids that they had, ascending; no cycles.

    Notes:
        Source: step 0.
    """
    order: list[int] = []
    is_numbered = [False] * len(predecessors)
    for start in range(len(predecessors)):
        stack, pushed = [start], {start}
        while stack:
            subgraph = stack[-1]
            if is_numbered[subgraph]:
                stack.pop()
                continue
            waiting = [before for before in predecessors[subgraph] if not is_numbered[before]]
            if waiting:
                stack += waiting
                pushed.update(waiting)
                continue
            stack.pop()
            is_numbered[subgraph] = True
            order.append(subgraph)
            released = [after for after in successors[subgraph] if not is_numbered[after] and after not in pushed]
            stack += released
            pushed.update(released)
    return order


def call_list(producers_of_inputs: Sequence[Sequence[Sequence[int]]]) -> list[int]:
    """The calls in the order of the compiler's list.

    Args:
        producers_of_inputs: per call, by final id, for each listed input the calls that write it, ascending; repeats of
            an input are kept, and a call does not count as writing for itself.

    Notes:
        O(calls + listed producers). A call that is part of a cycle is missing. Source: step 2.
    """
    open_readers = [0] * len(producers_of_inputs)
    for inputs in producers_of_inputs:
        for producers in inputs:
            for producer in producers:
                open_readers[producer] += 1
    queue = deque(call for call, readers in enumerate(open_readers) if not readers)
    reversed_list: list[int] = []
    while queue:
        call = queue.popleft()
        reversed_list.append(call)
        for producers in producers_of_inputs[call]:
            for producer in producers:
                open_readers[producer] -= 1
                if not open_readers[producer]:
                    queue.append(producer)
    return reversed_list[::-1]
