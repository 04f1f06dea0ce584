"""Operations that nothing needs (merge passes, section 3.2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dialect.compat import Compat


def living_operations(
    inputs: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
    tensor_count: int,
    outcasts: Collection[int],
    compat: Compat,
    untouchable: Sequence[bool],
    deleted: Collection[int] = (),
) -> bytearray:
    """Per operation, whether an outcast or an untouchable operation depends on it.

    With published rules an operation without outputs lives too: it is there for what it does.

    Args:
        inputs, outputs: per operation, the tensors that it reads and writes.
        outcasts: the tensors that the function returns.
        untouchable: per operation, whether it asks to be left alone.
        deleted: operations that are gone already.

    Notes:
        O(operations + operands).
    """
    gone = set(deleted)
    producers: list[list[int] | None] = [None] * tensor_count
    living = bytearray(len(inputs))
    stack: list[int] = []
    for operation, written in enumerate(outputs):
        if operation in gone:
            continue
        for tensor in written:
            known = producers[tensor]
            if known is None:
                producers[tensor] = [operation]
            else:
                known.append(operation)
        if untouchable[operation] or (not written and compat is Compat.PUBLISHED):
            stack.append(operation)
    for tensor in outcasts:
        stack.extend(producers[tensor] or ())
        producers[tensor] = None
    while stack:
        operation = stack.pop()
        if living[operation]:
            continue
        living[operation] = True
        for tensor in inputs[operation]:
            needed = producers[tensor]
            if needed:
                stack.extend(needed)
                producers[tensor] = None
    return living
