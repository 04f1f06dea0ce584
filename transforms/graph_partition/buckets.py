"""Lists of numbers by key, most of which hold one number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Alone = Sequence[tuple[int]]
"""For each number, the tuple of it alone.

All lists of one number share these tuples, which keeps memory small and gives the garbage collector nothing to visit.
"""


def append_to(buckets: list[Sequence[int]], key: int, value: int, alone: Alone) -> None:
    """Append `value` to bucket `key`; an empty bucket is a tuple, a bucket of several numbers a list."""
    bucket = buckets[key]
    if not bucket:
        buckets[key] = alone[value]
    elif isinstance(bucket, list):
        bucket.append(value)
    else:
        buckets[key] = [*bucket, value]


def members_of(keys: Iterable[int], count: int, alone: Alone) -> list[Sequence[int]]:
    """For each of the keys 0..`count` - 1, the positions in `keys` where it stands, ascending."""
    members: list[Sequence[int]] = [()] * count
    for position, key in enumerate(keys):
        append_to(members, key, position, alone)
    return members
