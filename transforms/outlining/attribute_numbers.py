"""Numbers for attributes: equal attributes have the same number."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute

from dialect.values import items_of, string_of


class AttributeNumbers:
    """Numbers attributes and other hashable values in the order of their first appearance.

    An attribute object that was seen before is found by its identity, so that the many ops that share attributes do not
    compare them again and again.
    """

    def __init__(self) -> None:
        self._by_value: dict[Hashable, int] = {}
        self._by_identity: dict[int, tuple[Attribute, int]] = {}
        self._structures: dict[int, tuple[Attribute, int, tuple[str, ...]]] = {}

    def of(self, attribute: Attribute) -> int:
        """The number of an attribute."""
        known = self._by_identity.get(id(attribute))
        if known is None:
            known = self._by_identity[id(attribute)] = (attribute, self.of_value(attribute))
        return known[1]

    def of_value(self, value: Hashable) -> int:
        """The number of any hashable value."""
        return self._by_value.setdefault(value, len(self._by_value))

    def of_structure(self, attribute: Attribute) -> tuple[int, tuple[str, ...]]:
        """The number of an attribute with its strings left out, and these strings in order."""
        known = self._structures.get(id(attribute))
        if known is None:
            strings: list[str] = []
            number = self.of(with_strings(attribute, lambda text: strings.append(text) or ""))
            known = self._structures[id(attribute)] = (attribute, number, tuple(strings))
        return known[1:]


def with_strings(attribute: Attribute, new_text: Callable[[str], Attribute | str]) -> Attribute:
    """A symbolic list, or a list of such, with each of its strings replaced, in order; all else stays."""
    items = items_of(attribute)
    if items is not None:
        return ArrayAttr([with_strings(item, new_text) for item in items])
    text = string_of(attribute)
    if text is None:
        return attribute
    replacement = new_text(text)
    return StringAttr(replacement) if isinstance(replacement, str) else replacement
