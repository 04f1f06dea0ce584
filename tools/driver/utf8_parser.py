"""xDSL's parser, which also takes the names of attributes that are not ASCII, such as labels in a setting."""

from __future__ import annotations

from xdsl.parser import Parser

from dialect.text import parse_optional_string_literal


class Utf8Parser(Parser):
    """Reads a string literal as UTF-8 where it is a key of a dictionary."""

    def parse_optional_identifier_or_str_literal(self) -> str | None:
        name = self.parse_optional_identifier()
        return parse_optional_string_literal(self) if name is None else name
