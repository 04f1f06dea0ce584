"""Random tile graphs for the partition: what kernels look like, and everything that its rules may stumble over."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from dialect.opcodes import OPCODE_BY_NAME, OPCODES
from transforms.graph import NO_SCOPE, Scope, TileGraph

UB, L1, L0A, L0B, L0C, DDR = 0, 1, 2, 3, 4, 15
MEMORIES = (0, 0, 0, 1, 1, 2, 3, 4, 4, 6, 12, 15, 15, 15, 21, 23)
VECTOR_OPS = ("ADD", "MUL", "EXP", "ADDS", "MULS", "SUB", "CAST", "ROWSUM")
ANY_OPS = ("RESHAPE", "DUPLICATE", "VIEW_TYPE", "TRANSPOSE_VNCHWCONV", "INDEX_OUTCAST", "COPY_IN", "COPY_OUT", "VLD")
ODD_OPS = ("CALL", "ATOMIC_RMW", "UB_COPY_L1", "L1_COPY_UB", "L0C_COPY_UB", "L0C_COPY_L1", "UB_TO_UB", "L1_TO_BT")


@dataclass
class GraphBuilder:
    """Appends operations and tensors to lists from which a `TileGraph` is made."""

    random: Random
    opcodes: list[int] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)
    inputs: list[tuple[int, ...]] = field(default_factory=list)
    outputs: list[tuple[int, ...]] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    memories: list[int] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    dynamic: list[bool] = field(default_factory=list)
    conversions: dict[int, tuple[int, int]] = field(default_factory=dict)
    latency_of: dict[str, int] = field(default_factory=dict)
    scope: Scope = NO_SCOPE

    def tensor(self, memory: int, element: int = 7) -> int:
        self.memories.append(memory)
        self.elements.append(element)
        return len(self.memories) - 1

    def op(self, name: str, inputs: tuple[int, ...], outputs: tuple[int, ...], latency: int | None = None) -> None:
        if latency is None:
            latency = self.latency_of.setdefault(name, self.random.choice((1, 13, 40, 150, 600)))
        self.opcodes.append(OPCODE_BY_NAME[name].number)
        self.latencies.append(latency)
        self.inputs.append(inputs)
        self.outputs.append(outputs)
        self.scopes.append(self.scope)
        self.dynamic.append(OPCODE_BY_NAME[name].is_windowed and self.random.random() < 0.03)

    def made(self, name: str, inputs: tuple[int, ...], memory: int) -> int:
        """A new tensor in `memory` that the operation `name` makes of `inputs`."""
        tensor = self.tensor(memory)
        self.op(name, inputs, (tensor,))
        return tensor

    def converted(self, source: int, memory: int) -> int:
        tensor = self.made("CONVERT", (source,), memory)
        if self.random.random() < 0.8:
            self.conversions[len(self.opcodes) - 1] = (self.memories[source], memory)
        return tensor

    def graph(self) -> TileGraph:
        """The graph, its operations in random order with random magics."""
        count = len(self.opcodes)
        text_order = list(range(count))
        magics = list(range(10_000, 10_000 + count))
        if self.random.random() < 0.8:
            self.random.shuffle(text_order)
        if self.random.random() < 0.5:
            self.random.shuffle(magics)
        place = {operation: position for position, operation in enumerate(text_order)}
        reads = {operation: self._runtime_reads(operation) for operation in range(count) if self.random.random() < 0.02}
        return TileGraph(
            magics=[magics[op] for op in text_order],
            opcodes=[self.opcodes[op] for op in text_order],
            latencies=[self.latencies[op] for op in text_order],
            inputs=[self.inputs[op] for op in text_order],
            outputs=[self.outputs[op] for op in text_order],
            scopes=[self.scopes[op] for op in text_order],
            dynamic_windows=[self.dynamic[op] for op in text_order],
            memories=self.memories,
            elements=self.elements,
            conversions={place[op]: ends for op, ends in self.conversions.items()},
            runtime_reads={place[op]: tensors for op, tensors in reads.items() if tensors},
        )

    def _runtime_reads(self, operation: int) -> tuple[int, ...]:
        """Some of the tensors that nothing from `operation` on writes."""
        later = {tensor for outputs in self.outputs[operation:] for tensor in outputs}
        earlier = sorted({tensor for outputs in self.outputs[:operation] for tensor in outputs} - later)
        return tuple(self.random.sample(earlier, min(len(earlier), self.random.randint(1, 2))))


def kernel_like_graph(random: Random, size: int = 40) -> TileGraph:
    """Copies of a few random branches that share loads and meet in reductions and wide tensors."""
    builder = GraphBuilder(random)
    shared = [builder.tensor(DDR) for _ in range(random.randint(1, 3))]
    wide = builder.tensor(random.choice((DDR, DDR, DDR, L1, UB, L0C)))
    scoped = random.random() < 0.5
    pool: list[int] = []
    while len(builder.opcodes) < size:
        if scoped and random.random() < 0.5:
            scope_id = random.choice((-1, -1, 1, 2, 3))
            flags = Random(scope_id * 7 + size)
            builder.scope = NO_SCOPE if scope_id < 0 else Scope(scope_id, flags.random() < 0.4, flags.random() < 0.6)
        branch = random.choice(_BRANCHES)
        common = random.choice(pool) if pool and random.random() < 0.3 else random.choice(shared)
        seed = random.random()
        ends: list[int] = []
        for _ in range(random.choice((1, 1, 2, 2, 3, 4))):
            recipe = Random(seed)
            own = common if random.random() < 0.5 else random.choice(shared)
            ends.append(branch(builder, recipe, own, random.choice(pool) if pool else own))
        pool.extend(ends)
        _join(builder, random, ends, pool, wide)
    _draw_from_wide(builder, random, wide)
    return builder.graph()


def _vector_branch(builder: GraphBuilder, recipe: Random, source: int, other: int) -> int:
    value = source
    if builder.memories[source] != UB:
        value = builder.made(recipe.choice(("VIEW", "COPY_IN", "SLICE", "UB_COPY_IN")), (source,), UB)
    for _ in range(recipe.randint(0, 3)):
        name = recipe.choice((*VECTOR_OPS, "RESHAPE", "VIEW", "ASSEMBLE"))
        second = recipe.random() < 0.3 and builder.memories[other] == UB and OPCODE_BY_NAME[name].core == "AIV"
        value = builder.made(name, (value, other) if second else (value,), UB)
    return value


def _stored_branch(builder: GraphBuilder, recipe: Random, source: int, other: int) -> int:
    value = _vector_branch(builder, recipe, source, other)
    return builder.made(recipe.choice(("ASSEMBLE", "COPY_OUT", "CONTRACT", "UB_COPY_OUT")), (value,), DDR)


def _matmul_branch(builder: GraphBuilder, recipe: Random, source: int, other: int) -> int:
    accumulator = -1
    for step in range(recipe.randint(1, 3)):
        left = builder.made(recipe.choice(("VIEW", "COPY_IN")), (source,), L1)
        right = builder.made("VIEW", (other if builder.memories[other] == DDR else source,), L1)
        a = builder.made(recipe.choice(("L1_TO_L0A", "VIEW")), (left,), L0A)
        b = builder.made("L1_TO_L0B", (right,), L0B)
        if step == 0:
            accumulator = builder.made("A_MUL_B", (a, b), L0C)
        else:
            accumulator = builder.made("A_MULACC_B", (a, b, accumulator), L0C)
    ending = recipe.randrange(5)
    if ending == 0:
        return builder.made("VIEW", (accumulator,), L0C)
    if ending == 1:
        return builder.made(recipe.choice(("VIEW", "ASSEMBLE")), (accumulator,), L1)
    if ending == 2:
        return builder.converted(accumulator, recipe.choice((L1, UB)))
    if ending == 3:
        return builder.made("ASSEMBLE", (accumulator,), DDR)
    return builder.made("L0C_COPY_OUT", (accumulator,), DDR)


def _converting_branch(builder: GraphBuilder, recipe: Random, source: int, other: int) -> int:
    value = _vector_branch(builder, recipe, source, other)
    value = builder.converted(value, recipe.choice((L1, UB, L0A)))
    if builder.memories[value] == L1 and recipe.random() < 0.5:
        value = builder.made("L1_TO_L0A", (value,), L0A)
    return value


def _ring_branch(builder: GraphBuilder, recipe: Random, source: int, _other: int) -> int:
    """Loads that two neighbours share: the shape whose classes wait for themselves."""
    count = recipe.randint(2, 5)
    loads = [builder.made("VIEW", (source,), UB) for _ in range(count)]
    sums = [builder.made("ADD", (loads[i], loads[(i + 1) % count]), UB) for i in range(count - recipe.randint(0, 1))]
    for value in sums[1:]:
        builder.made("ASSEMBLE", (value,), DDR)
    return sums[0]


def _odd_branch(builder: GraphBuilder, recipe: Random, source: int, other: int) -> int:
    name = recipe.choice((*ANY_OPS, *ODD_OPS, recipe.choice(OPCODES).name))
    if name in ("A_MULACC_B", "CONVERT"):
        name = "ADD"
    memory = recipe.choice(MEMORIES) if recipe.random() < 0.3 else builder.memories[source]
    value = builder.tensor(memory, recipe.choice((6, 7)))
    outputs = (value, builder.tensor(recipe.choice(MEMORIES))) if recipe.random() < 0.15 else (value,)
    inputs = (source, other) if recipe.random() < 0.3 else (source,)
    builder.op(name, inputs, outputs, recipe.choice((0, 1, 5, -3)) if recipe.random() < 0.1 else None)
    return value


_BRANCHES = (
    _vector_branch,
    _vector_branch,
    _stored_branch,
    _stored_branch,
    _matmul_branch,
    _matmul_branch,
    _converting_branch,
    _ring_branch,
    _odd_branch,
)


def _join(builder: GraphBuilder, random: Random, ends: list[int], pool: list[int], wide: int) -> None:
    kind = random.randrange(6)
    in_ub = [end for end in ends if builder.memories[end] == UB]
    if kind <= 1 and len(in_ub) > 1:
        name = random.choice(("PAIRSUM", "PAIRMAX", "ADD"))
        total = in_ub[0]
        for end in in_ub[1:]:
            total = builder.made(name, (end, total) if random.random() < 0.5 else (total, end), UB)
        pool.append(total)
    elif kind <= 3:
        for end in ends:
            if random.random() < 0.9 and end != wide:
                builder.op(random.choice(("ASSEMBLE", "ASSEMBLE", "COPY_OUT")), (end,), (wide,))
    elif kind == 4:
        pool.append(builder.made("ADD", tuple(ends[:3]), UB))


def _draw_from_wide(builder: GraphBuilder, random: Random, wide: int) -> None:
    if random.random() < 0.7:
        builder.scope = NO_SCOPE
        seed = random.random()
        for _ in range(random.randint(1, 5)):
            recipe = Random(seed)
            value = builder.made(recipe.choice(("VIEW", "COPY_IN")), (wide,), recipe.choice((UB, UB, L1)))
            for _ in range(recipe.randint(0, 2)):
                value = builder.made(recipe.choice(VECTOR_OPS), (value,), UB)


def mixed_graph(random: Random, size: int = 30) -> TileGraph:
    """Operations of any kind between tensors in any memory, in layers; most of them make no sense as a kernel."""
    builder = GraphBuilder(random)
    tensors = [builder.tensor(random.choice(MEMORIES), random.choice((6, 7))) for _ in range(3)]
    open_writers: list[int] = []
    names = (*VECTOR_OPS, *ANY_OPS, "VIEW", "VIEW", "ASSEMBLE", "ASSEMBLE", "SLICE", "CONTRACT", "RESHAPE", "CONVERT")
    if random.random() < 0.5:
        names = (*names, *ODD_OPS, "A_MUL_B", "A_MULACC_B", "A_MULACC_B", "L1_TO_L0A", "PAIRSUM", "PAIRSUM", "PAIRMAX")
    scope_share = random.choice((0.0, 0.0, 0.3, 0.6))
    for _ in range(size):
        roll = Random(random.randrange(3) * 31 + size)
        scope_id = random.randint(1, 3)
        flags = Random(scope_id * 11 + size)
        builder.scope = (
            Scope(scope_id, flags.random() < 0.4, flags.random() < 0.6) if random.random() < scope_share else NO_SCOPE
        )
        inputs = tuple(random.choice(tensors[-9:]) for _ in range(random.choice((1, 1, 2, 2, 3))))
        readable = [tensor for tensor in open_writers if tensor not in tensors]
        if readable and random.random() < 0.4:
            outputs: tuple[int, ...] = (random.choice(readable),)
        else:
            outputs = tuple(
                builder.tensor(roll.choice(MEMORIES) if random.random() < 0.5 else random.choice(MEMORIES))
                for _ in range(random.choice((1, 1, 1, 1, 2)))
            )
            if random.random() < 0.2:
                open_writers.extend(outputs)
            else:
                tensors.extend(outputs)
        name = random.choice(names)
        builder.op(name, inputs, outputs, random.choice((0, -2, 3)) if random.random() < 0.05 else None)
        if name == "CONVERT":
            ends = (builder.memories[inputs[0]], builder.memories[outputs[0]])
            if random.random() < 0.8:
                builder.conversions[len(builder.opcodes) - 1] = ends
        if open_writers and random.random() < 0.15:
            tensors.append(open_writers.pop())
    return builder.graph()


def lane_graph(random: Random, size: int = 60) -> TileGraph:
    """Many like vector branches in several layers with changing lane counts: what the merging of groups is about."""
    builder = GraphBuilder(random)
    source = builder.tensor(DDR)
    lanes = random.randint(2, 6)
    values = [builder.made("COPY_IN", (source,), UB) for _ in range(lanes)]
    while len(builder.opcodes) < size:
        kind = random.randrange(7)
        name, other = random.choice(VECTOR_OPS), random.choice(VECTOR_OPS)
        if kind <= 1:
            values = [builder.made(name, (value,), UB) for value in values]
        elif kind == 2 and len(values) > 1:
            shift = random.randrange(1, len(values))
            values = [
                builder.made(name, (value, values[(i + shift) % len(values)]), UB) for i, value in enumerate(values)
            ]
        elif kind == 3 and len(values) % 2 == 0:
            values = [builder.made(name, (values[i], values[i + 1]), UB) for i in range(0, len(values), 2)]
        elif kind == 4 and len(values) < 8:
            values = [builder.made(one, (value,), UB) for value in values for one in (name, other)]
        elif kind == 5:
            gathered = builder.tensor(DDR)
            for value in values:
                builder.op("ASSEMBLE", (value,), (gathered,))
            values = [builder.made("VIEW", (gathered,), UB) for _ in range(random.choice((1, 2, len(values))))]
        else:
            chosen = random.randrange(len(values))
            values[chosen] = builder.made(name, (values[chosen],), UB)
    for value in values:
        builder.made("COPY_OUT", (value,), DDR)
    if random.random() < 0.4:
        for op in range(len(builder.scopes)):
            if random.random() < 0.1:
                scope_id = random.randint(1, 3)
                builder.scopes[op] = Scope(scope_id, False, scope_id > 1 or size % 2 == 0)
    return builder.graph()


def tied_graph(random: Random, size: int = 40) -> TileGraph:
    """Vector operations with several outputs and shared tensors, and stores that tie some far apart: hulls."""
    builder = GraphBuilder(random)
    tensors = [builder.tensor(UB)]
    reach = random.choice((4, 10, 40))
    while len(builder.opcodes) < size:
        inputs = tuple(random.choice(tensors[-reach:]) for _ in range(random.choice((1, 1, 2, 3))))
        kind = random.randrange(8)
        if kind == 0:
            builder.op("INDEX_PUT", tuple(random.sample(tensors, min(len(tensors), 2))), (builder.tensor(DDR),))
        elif kind == 1:
            shared = builder.tensor(UB)
            for _ in range(random.randint(2, 3)):
                builder.op(random.choice(VECTOR_OPS), (random.choice(inputs),), (shared,))
            tensors.append(shared)
        else:
            outputs = tuple(builder.tensor(UB) for _ in range(random.choice((1, 1, 1, 2))))
            builder.op(random.choice((*VECTOR_OPS, "VIEW", "RESHAPE")), inputs, outputs)
            tensors.extend(outputs)
    return builder.graph()


GRAPH_KINDS = (kernel_like_graph, mixed_graph, lane_graph, tied_graph)
