"""Merge settings as text in a pipeline, such as `DEFAULT=2,func8_0=1:left,-1=4`, and back."""

from __future__ import annotations

import re

from dialect.compat import Compat
from dialect.pass_options.errors import Mistake, PassOptionError
from dialect.pass_options.keys import key_of_text, text_of_key
from dialect.pass_options.python_values import option_from_python
from dialect.pass_options.settings import MergeSetting
from dialect.pass_options.table import find_option

_ENTRY = re.compile(
    r"""\s* (?P<key> '(?:[^']|'')*' | [^,=:"\\'\s][^,=:"\\\s]* )
        \s* = \s* (?P<count> -?[0-9]{1,20} )
        (?: \s* : \s* (?P<side> [A-Za-z]+ ) )?
        \s* (?: (?P<comma> , ) | \Z )""",
    re.VERBOSE,
)
_FORM = "key=count or key=count:left|right|auto"
_SHOWN_WIDTH = 60


def _rest(text: str, position: int) -> str:
    rest = text[position:].strip()
    return repr(rest[:_SHOWN_WIDTH]) if rest else "nothing behind a comma"


def setting_from_text(name: str, text: str, compat: Compat) -> MergeSetting:
    """The setting of option `name` that the text of a pipeline means; an empty text is an empty setting.

    Raises:
        PassOptionError: not one of the merge options, a text of another form, or a value that the option does not take.

    Source: design, "Passes": `key=count` or `key=count:left|right|auto`, separated by commas; a key with one of
    `, = : " \\` or a blank stands in single quotes (`''` = a quote); a decimal number is an integer key.
    """
    find_option(name)
    entries: dict[int | str, object] = {}
    position = 0
    has_more = bool(text.strip())
    while has_more:
        match = _ENTRY.match(text, position)
        if match is None:
            raise PassOptionError(Mistake.VALUE, name, f"expected {_FORM}, found {_rest(text, position)}")
        key = key_of_text(match["key"])
        if key in entries:
            raise PassOptionError(Mistake.VALUE, name, "is given twice", key)
        count = int(match["count"])
        entries[key] = count if match["side"] is None else (count, match["side"])
        position = match.end()
        has_more = match["comma"] is not None
    setting = option_from_python(name, entries, compat, mixed_keys=True)
    assert isinstance(setting, MergeSetting)
    return setting


def setting_to_text(setting: MergeSetting) -> str:
    """The text that `setting_from_text` reads back as `setting`."""
    return ",".join(
        f"{text_of_key(key, in_pipeline=True)}={count.count}" + (f":{count.side.value}" if count.side else "")
        for key, count in setting.entries()
    )
