"""What decodes the values in the functions of one dump."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dialect.elements import Element
from tools.formats.pypto_json.attributes import AttributeDecoder
from tools.formats.pypto_json.interned import Interned
from tools.formats.pypto_json.windows import WindowDecoder


class Decoders(NamedTuple):
    """The decoders of the functions of one version; `elements` are the element types by that version's numbers."""

    elements: Sequence[Element]
    interned: Interned
    attributes: AttributeDecoder
    windows: WindowDecoder


def make_decoders(elements: Sequence[Element]) -> Decoders:
    """Decoders that remember nothing yet."""
    interned = Interned()
    return Decoders(elements, interned, AttributeDecoder(elements, interned), WindowDecoder(interned))
