"""The nearest existing names, for error messages."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, candidates: Iterable[str], limit: int = 3) -> str:
    """`", did you mean 'a', 'b'?"` for the candidates nearest to `name`, or `""` if none is near.

    Upper and lower case count as equal, so that a name in the wrong case finds the right one.
    """
    import difflib

    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    near = difflib.get_close_matches(name.casefold()[:200], by_folded, n=limit, cutoff=0.6)
    if not near:
        return ""
    return ", did you mean " + ", ".join(f"'{by_folded[folded]}'" for folded in near) + "?"
