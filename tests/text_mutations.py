"""Random changes of a text, as editors, merges and damaged disks make them."""

from __future__ import annotations

import re
from random import Random

_TOKEN = re.compile(r'%[A-Za-z0-9$._-]+|"(?:[^"\\\n]|\\.)*"|[#!@]?[A-Za-z_][A-Za-z0-9_.$]*|-?[0-9]+|\s+|.')
_PIECES = (
    *'%"\\[]{}<>(),:=#!@_-.x 0\n\t\r\x0b\x00é✓',
    *("%0", "%x", "%0#1", "%a:2", "-1", "00", "0x10", "1.5", "1e400", str(2**63), str(-(2**63)), "9" * 5000),
    *("//", " // c\n", "into", "_", "dyn", "from", "to", "true", "unit", "tile.exp", "tile.view", "tile.nop", "^bb0:"),
    *('"\\FF"', '"\\C3\\A9"', '"a\\22"', "#tile<memory ub>", "#tile.scalar<f32, 1>", "!tile.tensor<4xf32, ub>"),
    *("loc(unknown)", ": i32", " : f16", "{a = 1}", "magic = 3", "[0, 0]", '["s"]', "tile.func @g {}", "#a", "!b"),
)


def mutated(text: str, random: Random) -> str:
    """The text after one to three changes: of a character, of a token, of a line, or of where lines end."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(_CHANGES)(text, random)
    return text


def _cut(text: str, random: Random) -> str:
    start = random.randint(0, len(text))
    return text[:start] + text[start + random.choice((1, 1, 2, 5, 40)) :]


def _insert(text: str, random: Random) -> str:
    place = random.randint(0, len(text))
    return text[:place] + random.choice(_PIECES) + text[place:]


def _change_token(text: str, random: Random) -> str:
    tokens = _TOKEN.findall(text)
    if not tokens:
        return text
    place = random.randrange(len(tokens))
    other = random.choice((random.choice(tokens), random.choice(_PIECES), "", tokens[place] * 2))
    return "".join([*tokens[:place], other, *tokens[place + 1 :]])


def _swap_tokens(text: str, random: Random) -> str:
    tokens = _TOKEN.findall(text)
    if tokens:
        one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]
    return "".join(tokens)


def _change_lines(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    place = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[place]
        case 1:
            lines.insert(random.randint(0, len(lines)), lines[place])
        case 2:
            lines[place] = lines[place].rstrip("\n")
        case _:
            lines[place] = lines[place].replace(" ", random.choice(("\n", "  ", "\t", " // c\n", "")), 1)
    return "".join(lines)


def _change_blanks(text: str, random: Random) -> str:
    blanks = [match.start() for match in re.finditer(" ", text)]
    if not blanks:
        return text
    place = random.choice(blanks)
    return text[:place] + random.choice(("\n", "  ", "\t", " // c\n", "", "\r\n", "\u00a0")) + text[place + 1 :]


def _truncate(text: str, random: Random) -> str:
    return text[: random.randint(0, len(text))]


_CHANGES = (
    _cut,
    _insert,
    _insert,
    _change_token,
    _change_token,
    _swap_tokens,
    _change_lines,
    _change_blanks,
    _truncate,
)
