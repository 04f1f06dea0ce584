"""Random tile functions that the evaluator covers, with subgraphs that do not depend on one another in a cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from dialect.tile import TILE

SYMBOLS = {"n": 1, "rows": 3}
TILE_TYPE = "!tile.tensor<4x8xf32, ub>"
COLUMN_TYPE = "!tile.tensor<4x1xf32, ub>"
DDR_TYPE = "!tile.tensor<8x8xf32, ddr>"
PART_TYPE = "!tile.tensor<4x8xf32, ddr>"


def parse(text: str) -> ModuleOp:
    """The verified module of a text."""
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


@dataclass
class _Line:
    results: list[str]
    head: str
    reads: list[str]
    writes: list[str]
    types: str
    entries: list[str] = field(default_factory=list[str])
    is_buffer: bool = False


class _Writer:
    """Writes one function, line by line."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.lines: list[_Line] = []
        self._tiles: list[str] = []
        self._count = 0

    def run(self, steps: int) -> None:
        self._view("%x")
        self._view("%y")
        for _ in range(steps):
            self._random.choice(
                (self._view_of_input, self._unary, self._unary, self._binary, self._row, self._export, self._shared)
            )()
        for out in ("%o", "%p"):
            for row in (0, 4):
                source = self._random.choice(self._tiles)
                self._add([], f"tile.assemble {source} into {out}[{row}, 0]", [source], [out], "")

    def _name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _add(
        self, results: list[str], head: str, reads: list[str], writes: list[str], types: str, entries: str = ""
    ) -> None:
        line = _Line(results, head, reads, writes, types)
        if entries:
            line.entries.append(entries)
        chance = self._random.random
        if chance() < 0.3:
            line.entries.append(f'semantic_label = "{self._random.choice(("QK", "a b", "标签"))}"')
        if chance() < 0.3:
            line.entries.append(f'hashorder = {{vec_merge = #tile.hashorder<"func8_{self._random.randrange(3)}", 4>}}')
        if chance() < 0.2:
            line.entries.append(f'loc = "k.py:{self._random.randrange(9)}"')
        if chance() < 0.2:
            line.entries.append(f"my.mark = {self._random.randrange(9)}")
        if results and chance() < 0.3:
            tobe = ["#tile<memory l1>", *(self._random.choice(("#tile<memory l1>", "unit")) for _ in results[1:])]
            self._random.shuffle(tobe)
            line.entries.append(f"tobe = {tobe[0] if len(tobe) == 1 else '[' + ', '.join(tobe) + ']'}")
        if results and chance() < 0.5:
            magics = [str(self._random.randrange(1000)) for _ in results]
            line.entries.append(f"tensor_magic = {magics[0] if len(magics) == 1 else '[' + ', '.join(magics) + ']'}")
        if len(results) == 1 and chance() < 0.2:
            line.entries.append(f"storage = #tile.storage<{self._random.randrange(3)}, 8x8xf32, [0, 0]>")
        self.lines.append(line)

    def _view_of_input(self) -> None:
        self._view(self._random.choice(("%x", "%y")))

    def _view(self, source: str) -> None:
        name, row = self._name(), self._random.choice((0, 4))
        dynamic = self._random.choice(("", "", ' dyn ["n * 4", 0]', f' dyn ["n * {row}", 0]'))
        valid = self._random.choice(
            ("", "", 'valid = ["rows + 1", 8]', 'valid = ["min(rows, 4)", 8]', "valid = [3, 8]")
        )
        self._add([name], f"tile.view {source}[{row}, 0]{dynamic}", [source], [], TILE_TYPE, valid)
        self._tiles.append(name)

    def _unary(self) -> None:
        name, source = self._name(), self._random.choice(self._tiles)
        op = self._random.choice(("neg", "abs", "relu", "muls", "adds"))
        scalar = (
            f"params = {{SCALAR = #tile.scalar<f32, {self._random.choice(('0.5', '2.0'))}>}}" if op[-1] == "s" else ""
        )
        scalar = "" if op == "abs" else scalar
        self._add([name], f"tile.{op} {source}", [source], [], TILE_TYPE, scalar)
        self._tiles.append(name)

    def _binary(self) -> None:
        name, a, b = self._name(), self._random.choice(self._tiles), self._random.choice(self._tiles)
        op = self._random.choice(("add", "sub", "maximum", "pairsum"))
        self._add([name], f"tile.{op} {a}, {b}", [a, b], [], TILE_TYPE)
        self._tiles.append(name)

    def _row(self) -> None:
        source, row, scratch, name = self._random.choice(self._tiles), self._name(), self._name(), self._name()
        types = f"{COLUMN_TYPE}, {TILE_TYPE}"
        self._add([row, scratch], f"tile.rowmax_single {source}", [source], [], types, "params = {op_attr_AXIS = 1}")
        self._add([name], f"tile.sub {source}, {row}", [source, row], [], TILE_TYPE)
        self._tiles.append(name)

    def _export(self) -> None:
        source, part, name = self._random.choice(self._tiles), self._name(), self._name()
        self._add([part], f"tile.assemble {source}[0, 0]", [source], [], PART_TYPE)
        self._add([name], f"tile.view {part}[0, 0]", [part], [], TILE_TYPE)
        self._tiles.append(name)

    def _shared(self) -> None:
        """A buffer that two ops write, then some read."""
        buffer = self._name()
        self.lines.append(_Line([buffer], "tile.buffer", [], [], DDR_TYPE, is_buffer=True))
        for row in (0, 4):
            source = self._random.choice(self._tiles)
            self._add([], f"tile.assemble {source} into {buffer}[{row}, 0]", [source], [buffer], "")
        for _ in range(self._random.choice((1, 2))):
            self._view(buffer)


def _subgraphs(lines: list[_Line], random: Random) -> list[int]:
    """Per op, an id; ids are in no particular order."""
    writers: dict[str, list[tuple[int, int]]] = {}
    places: list[tuple[int, int]] = []
    for line in (line for line in lines if not line.is_buffer):
        before = [place for tensor in line.reads for place in writers.get(tensor, ())]
        stage = max((stage for stage, _ in before), default=0)
        lanes = {lane for at, lane in before if at == stage}
        if len(lanes) > 1 or random.random() < 0.3:
            stage, lanes = stage + 1, set()
        place = stage, lanes.pop() if lanes else random.randrange(3)
        places.append(place)
        for tensor in (*line.results, *line.writes):
            writers.setdefault(tensor, []).append(place)
    used = sorted(set(places))
    ids = list(range(len(used)))
    random.shuffle(ids)
    return [ids[used.index(place)] for place in places]


@st.composite
def function_texts(draw: st.DrawFn, *, largest: int = 14) -> str:
    """The text of a module with one function `@f` whose ops have subgraphs; it uses the symbols of `SYMBOLS`."""
    random = Random(draw(st.integers(0, 2**32)))
    writer = _Writer(random)
    writer.run(draw(st.integers(0, largest)))
    return text_of(writer.lines, random)


def text_of(lines: list[_Line], random: Random) -> str:
    """The text of a module with the function that consists of `lines`."""
    ids = iter(_subgraphs(lines, random))
    magics = list(range(10000, 10000 + len(lines)))
    random.shuffle(magics)
    body: list[str] = []
    for line, magic in zip(lines, magics, strict=True):
        prefix = f"{', '.join(line.results)} = " if line.results else ""
        suffix = f" : {line.types}" if line.types else ""
        entries = (
            ""
            if line.is_buffer
            else f" {{{', '.join([f'magic = {magic}', f'subgraph = {next(ids)}', *line.entries])}}}"
        )
        body.append(f"  {prefix}{line.head}{entries}{suffix}")
    return (
        f"tile.func @f magic(8) ins(%x : {DDR_TYPE}, %y : {DDR_TYPE}) outs(%o : {DDR_TYPE}, %p : {DDR_TYPE}) {{\n"
        + "\n".join(body)
        + "\n}\n"
    )
