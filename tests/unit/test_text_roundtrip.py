"""Nothing is lost in text: random modules through the custom and the generic form."""

from __future__ import annotations

from hypothesis import given, settings
from module_strategies import modules
from tile_modules import parse_text, text_of
from xdsl.dialects.builtin import ModuleOp


@settings(max_examples=30)
@given(modules())
def test_text_is_a_fixed_point(module: ModuleOp) -> None:
    """Printed, parsed, printed gives the same bytes; what was parsed is the module; the generic form says the same."""
    module.verify()
    text = text_of(module)
    parsed = parse_text(text)
    assert text_of(parsed) == text
    assert module.is_structurally_equivalent(parsed)
    assert text_of(parse_text(text_of(module, generic=True))) == text
