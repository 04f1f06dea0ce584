"""The Iso partition written down step by step, without any thought of speed: the oracle of the fast one.

It follows graph partition, sections 3 to 10, over explicit op-to-op edges, repeats every walk and every scan, and notes
which rows of the compatibility table a graph meets. It shares no code with `transforms.graph_partition`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dialect.compat import Compat
from dialect.opcodes import OPCODES, PAIR_REDUCE_NAMES
from transforms.graph import NO_SCOPE, Scope, TileGraph

UB, L1, L0A, L0B, L0C, FIX_QUANT_PRE, BT, DDR, L0AMX, L0BMX = 0, 1, 2, 3, 4, 6, 12, 15, 21, 22
MASK = 2**64 - 1
K = 0x9DDFEA08EB382D69


class OracleFailureError(Exception):
    """The partition fails; the text says at which step."""


@dataclass
class OraclePartition:
    """Per operation of the graph; `order` holds graph operations."""

    order: list[int]
    subgraphs: list[int]
    is_cube: list[bool]
    scopes: list[Scope]
    cv_fuse: list[int]
    count: int
    nodes: list[list[int]] = field(default_factory=list)


def mix(a: int, b: int) -> int:
    x = ((a ^ b) * K) & MASK
    x ^= x >> 47
    y = ((b ^ x) * K) & MASK
    y ^= y >> 47
    return (y * K) & MASK


def fold(s: int, v: int) -> int:
    return s ^ ((v + 0x9E3779B9 + (s << 6) + (s >> 2)) & MASK)


def compatible(cores: set[str]) -> bool:
    if len(cores) == 1:
        return not cores & {"AICPU", "HUB"}
    return len(cores) == 2 and not cores & {"AICPU", "HUB"} and "ANY" in cores


class Oracle:
    """One run over one graph; `rows` are the compatibility rows it met."""

    def __init__(
        self,
        graph: TileGraph,
        compat: Compat,
        parallel: int = 20,
        lower: int = 512,
        mixed_cores: bool = False,
        balanced: bool = True,
    ) -> None:
        self.graph = graph
        self.published = compat is Compat.PUBLISHED
        self.parallel = parallel
        self.lower = lower
        self.mixed_cores = mixed_cores
        self.balanced = balanced
        self.rows: set[str] = set()

    # Section 3 and 4

    def sort(self) -> None:
        graph = self.graph
        ops = sorted(range(graph.operation_count), key=lambda op: graph.magics[op])
        occurrences = [list(graph.inputs[op]) + list(graph.runtime_reads.get(op, ())) for op in range(len(ops))]
        pending: dict[int, int] = {}
        for op in ops:
            for tensor in occurrences[op]:
                pending[tensor] = pending.get(tensor, 0) + 1
        degree = {op: sum(tensor in pending for tensor in set(graph.outputs[op])) for op in ops}
        queue = [op for op in ops if degree[op] == 0]
        result: list[int] = []
        while queue:
            op = queue.pop(0)
            result.append(op)
            for tensor in occurrences[op]:
                pending[tensor] -= 1
                if pending[tensor] == 0:
                    for producer in ops:
                        if tensor in graph.outputs[producer]:
                            degree[producer] -= 1
                            if degree[producer] == 0:
                                queue.append(producer)
        if len(result) != len(ops):
            raise OracleFailureError("cycle")
        result.reverse()
        self.order = result
        self.size = len(result)
        self.opcode = [OPCODES[graph.opcodes[op]] for op in result]
        self.core = [str(opcode.core.value) for opcode in self.opcode]
        self.latency = [graph.latencies[op] for op in result]
        self.inputs = [graph.inputs[op] for op in result]
        self.outputs = [graph.outputs[op] for op in result]
        self.scope = [graph.scopes[op] for op in result]
        self.magic = [graph.magics[op] for op in result]
        self.producers = [[i for i in range(self.size) if t in self.outputs[i]] for t in range(graph.tensor_count)]
        self.consumers = [[i for i in range(self.size) if t in self.inputs[i]] for t in range(graph.tensor_count)]
        self.ins: list[list[int]] = [[] for _ in result]
        self.outs: list[list[int]] = [[] for _ in result]
        for i in range(self.size):
            for tensor in self.inputs[i]:
                for producer in self.producers[tensor]:
                    if producer not in self.ins[i]:
                        self.ins[i].append(producer)
                        self.outs[producer].append(i)

    # Section 5

    def windowed(self, i: int) -> bool:
        return self.opcode[i].is_view_like or self.opcode[i].is_assemble_like

    def neighbour_scope(self, i: int) -> Scope:
        if self.opcode[i].is_assemble_like:
            sides = [self.producers[tensor] for tensor in self.inputs[i]]
        else:
            sides = [self.consumers[tensor] for tensor in self.outputs[i]]
        for side in sides:
            for neighbour in sorted(side, key=lambda j: self.magic[j]):
                if self.scope[neighbour].id != -1:
                    return self.scope[neighbour]
        return NO_SCOPE

    def propagate_scopes(self) -> None:
        pending: list[int] = []
        for i in range(self.size):
            if self.windowed(i):
                near = self.neighbour_scope(i)
                if self.scope[i].id == -1 or (near.id != -1 and near.id != self.scope[i].id):
                    pending.append(i)
        while pending:
            deferred: list[int] = []
            for i in pending:
                near = self.neighbour_scope(i)
                if near.id == -1:
                    deferred.append(i)
                elif near.id != self.scope[i].id:
                    self.scope[i] = near
            if len(deferred) == len(pending):
                return
            pending = deferred[::-1]

    def root(self, i: int) -> int:
        while self.parent[i] != i:
            i = self.parent[i]
        return i

    def mixed(self, ops: list[int]) -> bool:
        return {"AIC", "AIV"} <= {self.core[i] for i in ops}

    def unite(self, a: int, b: int, checked: bool = True, rule: bool = False) -> None:
        root_a, root_b = self.root(a), self.root(b)
        cores = {self.core[i] for i in (a, b, root_a, root_b)}
        allowed = compatible(cores)
        for one, other in ((a, b), (b, a)):
            if self.core[one] == "AICPU" and self.windowed(other):
                allowed = True
        helped = False
        if self.core[a] != "HUB":
            helped = self.windowed(a)
        if self.core[b] != "HUB":
            helped = self.windowed(b)
        if len(cores) == 2 and "HUB" in cores and helped:
            allowed = True
        if checked and not allowed:
            raise OracleFailureError(f"core types of {a} {b} {root_a} {root_b}")
        if root_a == root_b:
            return
        together = [i for i in range(self.size) if self.root(i) in (root_a, root_b)]
        if checked and self.mixed(together):
            self.rows.add("P-D11")
            if self.published:
                if rule:
                    return
                raise OracleFailureError("mixed hull")
        self.parent[root_a] = root_b

    def rule_pairs(self, i: int) -> list[tuple[int, int]]:
        opcode, memory = self.opcode[i], self.graph.memories
        ins, outs = self.ins[i], self.outs[i]
        inputs, outputs = self.inputs[i], self.outputs[i]
        m_in = memory[inputs[0]] if inputs else None
        m_out = memory[outputs[0]] if outputs else None
        both = m_in is not None and m_out is not None
        gather = [(p, i) for p in ins]
        if opcode.name == "CONVERT":
            conversion = self.graph.conversions.get(self.order[i])
            if conversion is None:
                return []
            cube = {L0C, L1, L0A, L0B}
            crosses = (conversion[0] in cube and conversion[1] == UB) or (conversion[1] in cube and conversion[0] == UB)
            return gather + ([] if crosses else [(c, i) for c in outs])
        if both and self.windowed(i) and m_in == L0C and m_out == L1:
            narrow = (L0A, L0B, L0AMX, L0BMX, BT, FIX_QUANT_PRE)
            kept = [
                c
                for c in outs
                if not (opcode.is_assemble_like and self.outputs[c] and memory[self.outputs[c][0]] in narrow)
            ]
            return [(c, i) for c in kept] + gather
        if both and m_in != UB and m_out in (L1, BT, FIX_QUANT_PRE):
            return [(c, i) for c in outs]
        if opcode.is_assemble_like and outputs:
            if m_in is not None and m_in != DDR and m_out == DDR:
                first = sorted(self.producers[inputs[0]], key=lambda j: self.magic[j])
                if not first:
                    self.rows.add("P-D9")
                    if not self.published:
                        raise OracleFailureError("assemble without producer")
                if not first or self.opcode[first[0]].name not in ("TRANSPOSE_MOVEOUT", "INDEX_OUTCAST"):
                    return gather
            return [(i, ins[0])] if ins else []
        if opcode.calc == "MOVE_OUT":
            return gather
        if opcode.calc in ("MOVE_IN", "MOVE_LOCAL") and outs:
            return [(i, outs[0])]
        if opcode.calc == "MATMUL":
            pairs: list[tuple[int, int]] = []
            for p in ins:
                accumulates = len(inputs) > 2 and memory[inputs[2]] == L0C and inputs[2] in self.outputs[p]
                if self.opcode[p].calc == "MATMUL" and accumulates:
                    pairs.append((i, p))
            for c in outs:
                if self.opcode[c].is_view_like and self.outputs[c] and memory[self.outputs[c][0]] == L0C:
                    pairs.append((i, c))
            return pairs
        return []

    def number_sets(self) -> list[list[int]]:
        members: dict[int, list[int]] = {}
        for i in range(self.size):
            members.setdefault(self.root(i), []).append(i)
        return [members[root] for root in sorted(members)]

    def close_hulls(self, checked: bool = True) -> list[list[int]]:
        while True:
            changed = False
            nodes = self.number_sets()
            for ops in nodes:
                if len(ops) == 1:
                    continue
                low, high = ops[0], ops[-1]
                reached = set(ops)
                stack = list(ops)
                while stack:
                    for c in self.outs[stack.pop()]:
                        if c <= high and c not in reached:
                            reached.add(c)
                            stack.append(c)
                hull: list[int] = []
                visited: set[int] = set()
                stack = list(ops)
                while stack:
                    x = stack.pop()
                    if x in visited:
                        continue
                    if x in reached:
                        hull.append(x)
                    visited.add(x)
                    stack.extend(p for p in self.ins[x] if p >= low)
                if len(hull) > len(ops):
                    changed = True
                    for x in hull[1:]:
                        self.unite(hull[0], x, checked=checked)
            if not changed:
                return nodes

    def link(self, nodes: list[list[int]]) -> tuple[list[int], list[list[int]], list[list[int]]]:
        node_of = [0] * self.size
        for k, ops in enumerate(nodes):
            for i in ops:
                node_of[i] = k
        ins: list[list[int]] = [[] for _ in nodes]
        outs: list[list[int]] = [[] for _ in nodes]
        for k, ops in enumerate(nodes):
            for i in ops:
                for p in self.ins[i]:
                    if node_of[p] != k and node_of[p] not in ins[k]:
                        ins[k].append(node_of[p])
                        outs[node_of[p]].append(k)
        return node_of, ins, outs

    def describe_nodes(self, nodes: list[list[int]]) -> None:
        self.nodes = nodes
        self.node_of, self.node_ins, self.node_outs = self.link(nodes)
        self.node_scope: list[Scope] = []
        self.node_cycles: list[int] = []
        self.node_core: list[str] = []
        self.mergeable: list[bool] = []
        for k, ops in enumerate(nodes):
            counted = [i for i in ops if not self.windowed(i)] or ops
            scoped = [self.scope[i] for i in counted if self.scope[i].id != -1]
            self.node_scope.append(scoped[-1] if scoped else NO_SCOPE)
            self.node_cycles.append(sum(self.latency[i] for i in ops))
            sides = [self.core[i] for i in ops if self.core[i] != "ANY"]
            self.node_core.append(sides[0] if sides else "AIV")
            arrivals, departures = len(self.node_ins[k]), len(self.node_outs[k])
            lonely = len(ops) == 1 and self.opcode[ops[0]].name == "RESHAPE"
            shaped = lonely and (
                (arrivals > 1 and departures > 1)
                or (arrivals > 1 and departures == 0)
                or (arrivals == 0 and departures > 1)
            )
            isolated = any(self.scope[i].id != -1 and not self.scope[i].cross for i in ops)
            moving = any(
                self.graph.dynamic_windows[self.order[i]]
                and self.inputs[i]
                and self.outputs[i]
                and self.graph.memories[self.inputs[i][0]] == UB
                and self.graph.memories[self.outputs[i][0]] == UB
                for i in ops
            )
            self.mergeable.append(not (shaped or isolated or moving))

    def mark_cubes(self) -> list[bool]:
        return [any(self.core[j] == "AIC" for j in self.nodes[self.node_of[i]]) for i in range(self.size)]

    def build_super_nodes(self) -> None:
        self.propagate_scopes()
        self.parent = list(range(self.size))
        for i in range(self.size):
            for a, b in self.rule_pairs(i):
                self.unite(a, b, rule=True)
        self.describe_nodes(self.close_hulls())
        self.is_cube = self.mark_cubes()
        self.merge_scopes()
        self.contract_node_cycles()

    def contract_node_cycles(self) -> None:
        reach = [set(outs) for outs in self.node_outs]
        for _ in self.nodes:
            for k in range(len(reach)):
                for c in list(reach[k]):
                    reach[k] |= reach[c]
        cyclic = [k for k in range(len(reach)) if k in reach[k]]
        if not cyclic:
            return
        self.rows.add("P-D1")
        if not self.published:
            raise OracleFailureError("node cycle")
        for k in cyclic:
            first = min(j for j in cyclic if j in reach[k] and k in reach[j])
            for i in self.nodes[k]:
                self.parent[self.root(i)] = self.root(self.nodes[first][0])
        scoped_nodes: dict[int, set[int]] = {}
        for k, scope in enumerate(self.node_scope):
            if scope.id != -1:
                scoped_nodes.setdefault(self.root(self.nodes[k][0]), set()).add(scope.id)
        nodes = self.number_sets()
        if any(self.mixed(ops) and len({self.node_of[i] for i in ops}) > 1 for ops in nodes):
            raise OracleFailureError("mixed contraction")
        if any(len(ids) > 1 for ids in scoped_nodes.values()):
            raise OracleFailureError("scopes in one contraction")
        self.describe_nodes(nodes)
        self.is_cube = self.mark_cubes()

    # Section 6

    def merge_scopes(self) -> None:
        scope_nodes: dict[int, list[int]] = {}
        parallel: set[int] = set()
        for k, scope in enumerate(self.node_scope):
            if scope.id != -1:
                scope_nodes.setdefault(scope.id, []).append(k)
                if scope.parallel:
                    parallel.add(scope.id)
        sides: dict[int, set[bool]] = {}
        for i in range(self.size):
            if self.scope[i].id != -1 and not self.windowed(i):
                sides.setdefault(self.scope[i].id, set()).add(self.is_cube[i])
        fuse_ids: dict[int, int] = {}
        set_of = list(range(len(self.nodes)))

        def hang(a: int, b: int) -> None:
            old, new = set_of[a], set_of[b]
            for k in range(len(set_of)):
                if set_of[k] == old:
                    set_of[k] = new

        hung = False
        for s in sorted(sides):
            members = scope_nodes.get(s, [])
            if len(sides[s]) == 2:
                if not self.mixed_cores:
                    raise OracleFailureError(f"scope {s} mixes cube and vector")
                fuse_ids[s] = len(fuse_ids)
            elif s in parallel:
                for k in members[1:]:
                    hang(k, members[0])
                    hung = True
            else:
                for k in members:
                    for c in self.node_outs[k]:
                        if self.node_scope[c].id == s:
                            hang(c, k)
                            hung = True
        if hung:
            merged: dict[int, list[int]] = {}
            for k, ops in enumerate(self.nodes):
                merged.setdefault(set_of[k], []).extend(ops)
            for ops in merged.values():
                for i in ops:
                    self.parent[i] = ops[0]
            old_cube = self.is_cube
            self.describe_nodes(self.close_hulls())
            self.is_cube = self.mark_cubes()
            if self.is_cube != old_cube:
                self.rows.add("P-D10")
            if self.published:
                if any(self.mixed(ops) for ops in self.nodes):
                    raise OracleFailureError("mixed scope merge")
            else:
                self.is_cube = old_cube
        self.cv_fuse = [-1] * self.size
        self.fuse_ids = fuse_ids

    def write_cv_fuse(self) -> None:
        for ops in self.nodes:
            ids = [self.fuse_ids[self.scope[i].id] for i in ops if self.scope[i].id in self.fuse_ids]
            for i in ops:
                self.cv_fuse[i] = ids[0] if ids else -1

    # Section 7

    def op_hash(self, i: int) -> int:
        h = fold(self.opcode[i].number, 0x49504F5045524E44)
        for tensor in self.inputs[i]:
            h = fold(fold(h, self.graph.memories[tensor]), self.graph.elements[tensor])
        h = fold(h, 0x4F4F5045524E44)
        for tensor in self.outputs[i]:
            h = fold(fold(h, self.graph.memories[tensor]), self.graph.elements[tensor])
        return h

    def balanced_values(self) -> list[int]:
        hashes = [self.op_hash(i) for i in range(self.size)]
        saved = self.parent
        self.parent = list(range(self.size))
        failed = None
        try:
            reduce_nodes = self.build_reduce_nodes(checked=True)
        except OracleFailureError as failure:
            failed = failure
            reduce_nodes = []
        if failed is not None:
            self.rows.add("P-D4")
            if not self.published:
                raise failed
            self.parent = list(range(self.size))
            reduce_nodes = self.build_reduce_nodes(checked=False)
        self.parent = saved
        node_of, ins, outs = self.link(reduce_nodes)
        base: list[int] = []
        for ops in reduce_nodes:
            h = 0
            for i in ops:
                h = mix(h, hashes[i])
            base.append(h)

        def sweep(order: list[int], near: list[list[int]]) -> list[int]:
            value = [0] * len(reduce_nodes)
            for i in order:
                n = node_of[i]
                if value[n] == 0:
                    x = a = 0
                    for m in near[n]:
                        x ^= value[m]
                        a = (a + value[m]) & MASK
                    value[n] = mix(base[n], x ^ ((a * K) & MASK))
            return value

        forward = sweep(list(range(self.size)), ins)
        backward = sweep(list(range(self.size))[::-1], outs)
        values = [0] * self.size
        for n, ops in enumerate(reduce_nodes):
            v = mix(forward[n], backward[n])
            if len(ops) == 1:
                values[ops[0]] = v
                continue
            lf: dict[int, int] = {}
            lb: dict[int, int] = {}
            for i in ops:
                lf[i] = hashes[i]
                for p in self.ins[i]:
                    if p in lf:
                        lf[i] = mix(lf[i], lf[p])
            for i in ops[::-1]:
                lb[i] = hashes[i]
                for c in self.outs[i]:
                    if c in lb:
                        lb[i] = mix(lb[i], lb[c])
            for i in ops:
                values[i] = mix(v, mix(lf[i], lb[i]))
        return values

    def build_reduce_nodes(self, checked: bool) -> list[list[int]]:
        # The refusal of mixed sets concerns super nodes only, so both modes unite alike here.
        published, rows = self.published, set(self.rows)
        self.published = False
        try:
            for i in range(self.size):
                if self.opcode[i].calc == "MATMUL":
                    for p in self.ins[i]:
                        if self.opcode[p].calc == "MATMUL":
                            self.unite(i, p, checked=checked)
                if self.opcode[i].name in PAIR_REDUCE_NAMES and len(self.outs[i]) == 1:
                    c = self.outs[i][0]
                    if self.opcode[c].name == self.opcode[i].name:
                        self.unite(i, c, checked=checked)
            return self.close_hulls(checked=checked)
        finally:
            self.published, self.rows = published, rows

    def plain_values(self) -> list[int]:
        hashes = [self.op_hash(i) for i in range(self.size)]
        f = list(hashes)
        b = list(hashes)
        for i in range(self.size):
            for p in self.ins[i]:
                f[i] = mix(f[i], f[p])
        for i in reversed(range(self.size)):
            for c in self.outs[i]:
                if compatible({self.core[i], self.core[c]}):
                    b[i] = mix(b[i], b[c])
        return [mix(x, y) for x, y in zip(f, b, strict=True)]

    def classify(self) -> None:
        values = self.balanced_values() if self.balanced else self.plain_values()
        classes: dict[int, list[int]] = {}
        self.values = values
        self.node_hash: list[int] = []
        for k, ops in enumerate(self.nodes):
            h = 0
            for i in ops:
                h = mix(h, values[i])
            self.node_hash.append(h)
            classes.setdefault(h, []).append(k)
        self.class_of: list[object] = list(self.node_hash)
        if self.class_cycles():
            self.rows.add("P-D2")
            if not self.published:
                return
            stuck = self.class_cycles()
            depth = [0] * len(self.nodes)
            for _ in self.nodes:
                for k in range(len(self.nodes)):
                    depth[k] = max([depth[p] + 1 for p in self.node_ins[k]], default=0)
            self.class_of = [(h, depth[k]) if h in stuck else h for k, h in enumerate(self.class_of)]

    def class_cycles(self) -> set[object]:
        successors: dict[object, set[object]] = {h: set() for h in self.class_of}
        for k, outs in enumerate(self.node_outs):
            successors[self.class_of[k]] |= {self.class_of[c] for c in outs}
        for _ in successors:
            for near in successors.values():
                for other in list(near):
                    near |= successors[other]
        return {h for h, near in successors.items() if h in near}

    # Section 8

    def grow_groups(self) -> None:
        self.groups: list[Group] = []
        degree = [len(ins) for ins in self.node_ins]
        self.taken = [False] * len(self.nodes)
        queue: list[int] = []
        members: dict[object, list[int]] = {}
        for k, h in enumerate(self.class_of):
            members.setdefault(h, []).append(k)

        def release(k: int) -> None:
            for d in self.node_outs[k]:
                degree[d] -= 1
                if degree[d] == 0:
                    queue.append(d)

        for k in range(len(self.nodes)):
            if degree[k] == 0:
                queue.insert(0, k)
        while queue:
            seeds = members[self.class_of[queue.pop(0)]]
            if any(degree[c] != 0 or self.taken[c] for c in seeds):
                continue
            group = Group([], self.mergeable[seeds[0]])
            self.groups.append(group)
            for c in seeds:
                self.taken[c] = True
            for c in seeds:
                release(c)
                scope = self.node_scope[c]
                group.lanes.append(Lane([c], self.node_cycles[c], self.node_core[c], scope.id, scope.cross))
            if not group.mergeable:
                continue
            a = b = 0
            while a < len(group.lanes[-1].nodes):
                if b >= len(self.node_outs[group.lanes[-1].nodes[a]]):
                    a, b = a + 1, 0
                    continue
                chosen: list[int] = []
                for lane in group.lanes:
                    links = self.node_outs[lane.nodes[a]]
                    chosen.append(links[b] if b < len(links) else 0)
                b += 1
                if self.acceptable(group, chosen, degree, members):
                    for lane, k in zip(group.lanes, chosen, strict=True):
                        lane.nodes.append(k)
                        lane.cycles += self.node_cycles[k]
                        self.taken[k] = True
                        release(k)

    def acceptable(self, group: Group, chosen: list[int], degree: list[int], members: dict[object, list[int]]) -> bool:
        first = chosen[0]
        if not self.mergeable[first] or len(members[self.class_of[first]]) != len(group.lanes):
            return False
        for j, k in enumerate(chosen):
            if degree[k] != 0 or self.class_of[k] != self.class_of[first] or self.taken[k]:
                return False
            for other, lane in enumerate(group.lanes):
                if other != j and set(lane.nodes) & set(self.node_ins[k]):
                    return False
            if group.lanes[j].scope_id != self.node_scope[k].id:
                return False
        if group.lanes[0].cycles + self.node_cycles[first] > self.upper:
            return False
        if len(set(chosen)) != len(chosen):
            return False
        return compatible({group.lanes[0].core, self.node_core[first]})

    # Section 9

    def merge_groups(self) -> None:
        for multi in (False, True):
            for _ in range(100):
                before = len(self.groups)
                self.merge_step(multi)
                self.groups = [group for group in self.groups if group.lanes]
                if len(self.groups) == before:
                    break

    def merge_step(self, multi: bool) -> None:
        groups = self.groups
        place: dict[int, tuple[int, int]] = {}
        for i, group in enumerate(groups):
            for j, lane in enumerate(group.lanes):
                for k in lane.nodes:
                    place[k] = (i, j)
        preds: list[set[int]] = [set() for _ in groups]
        succs: list[set[int]] = [set() for _ in groups]
        for i, group in enumerate(groups):
            for j, lane in enumerate(group.lanes):
                lane.outside = {
                    x for k in lane.nodes for x in self.node_ins[k] + self.node_outs[k] if x not in lane.nodes
                }
                preds[i] |= {place[p][0] for k in lane.nodes for p in self.node_ins[k]} - {i}
                succs[i] |= {place[c][0] for k in lane.nodes for c in self.node_outs[k]} - {i}
                lane.fresh = {(i, j)}
                lane.history.add((i, j))
        colour = list(range(len(groups)))
        members = [[i] for i in range(len(groups))]

        def right_kind(i: int) -> bool:
            lanes = len(groups[i].lanes)
            return lanes > 1 if multi else lanes == 1

        cur = 0
        while cur < len(groups):
            if not groups[cur].mergeable or not right_kind(cur):
                cur += 1
                continue
            candidates: list[int] = []
            for side in (preds, succs):
                colours = {colour[x] for m in members[cur] for x in side[m]} - {cur}
                if len(colours) == 1:
                    g = colours.pop()
                    if groups[g].mergeable and right_kind(g):
                        candidates.append(g)
            for g in candidates:
                if self.suitable(groups[cur], groups[g], multi) and self.absorb(groups, cur, g, place):
                    for m in members[g]:
                        colour[m] = cur
                    members[cur] += members[g]
                    members[g] = []
                    break
            else:
                cur += 1

    def suitable(self, one: Group, other: Group, multi: bool) -> bool:
        for a, b in ((one, other), (other, one)):
            for lane in a.lanes:
                if lane.scope_id != -1 and (not lane.cross or any(x.scope_id != -1 for x in b.lanes)):
                    return False
        if not compatible({one.lanes[0].core, other.lanes[0].core}):
            return False
        n1, n2 = len(one.lanes), len(other.lanes)
        c1, c2 = one.lanes[0].cycles, other.lanes[0].cycles
        merged = c1 + c2 * (n2 // n1) if n1 <= n2 else c1 * (n1 // n2) + c2
        if merged > self.upper:
            return False
        return not multi or n1 == n2 or min(n1, n2) >= self.parallel or min(c1, c2) <= self.lower

    def absorb(self, groups: list[Group], cur: int, g: int, place: dict[int, tuple[int, int]]) -> bool:
        keeper, loser = groups[cur], groups[g]
        if len(keeper.lanes) > len(loser.lanes):
            keeper, loser = loser, keeper

        def match(stale: bool) -> list[set[int]] | None:
            lane_at: dict[tuple[int, int], int] = {}
            for j, lane in enumerate(loser.lanes):
                for h in lane.history if stale else lane.fresh:
                    lane_at[h] = j
            sets = [{lane_at[place[x]] for x in lane.outside if place[x] in lane_at} for lane in keeper.lanes]
            n = len(loser.lanes)
            if sum(map(len, sets)) != n or len(set().union(*sets)) != n:
                return None
            return sets

        sets, fresh_sets = match(stale=True), match(stale=False)
        if sets != fresh_sets:
            self.rows.add("P-D5")
        if self.published:
            sets = fresh_sets
        if sets is None:
            return False
        for lane, absorbed in zip(keeper.lanes, sets, strict=True):
            nodes = lane.nodes + [k for j in absorbed for k in loser.lanes[j].nodes]
            if len({self.node_scope[k].id for k in nodes} - {-1}) > 1:
                self.rows.add("P-D3")
                if self.published:
                    return False
        for lane, absorbed in zip(keeper.lanes, sets, strict=True):
            for j in absorbed:
                other = loser.lanes[j]
                lane.nodes = lane.nodes + other.nodes
                lane.cycles += other.cycles
                lane.history |= other.history
                lane.fresh |= other.fresh
                lane.outside |= other.outside
            lane.outside -= set(lane.nodes)
        groups[cur] = Group(keeper.lanes, True)
        groups[g] = Group([], True)
        return True

    # Section 10

    def run(self) -> OraclePartition:
        self.sort()
        total = sum(latency for latency in self.latency if latency > 0)
        self.upper = next(
            u for t, u in ((10**7, 5 * 10**6), (290_000, 150_000), (50_000, 10_000), (-1, 1536)) if total >= t
        )
        self.build_super_nodes()
        self.write_cv_fuse()
        self.classify()
        self.grow_groups()
        if not all(self.taken):
            raise OracleFailureError("op without id")
        self.merge_groups()
        ids = [-1] * self.size
        count = 0
        for group in self.groups:
            for lane in group.lanes:
                if lane.cycles == 0:
                    self.rows.add("P-D6")
                if lane.cycles != 0 or self.published:
                    for k in lane.nodes:
                        for i in self.nodes[k]:
                            ids[i] = count
                count += 1
        if -1 in ids:
            raise OracleFailureError("op without id")

        back = [0] * self.size
        for i, op in enumerate(self.order):
            back[op] = i
        return OraclePartition(
            order=self.order,
            subgraphs=[ids[i] for i in back],
            is_cube=[self.is_cube[i] for i in back],
            scopes=[self.scope[i] for i in back],
            cv_fuse=[self.cv_fuse[i] for i in back],
            count=count,
            nodes=[[self.order[i] for i in ops] for ops in self.nodes],
        )


@dataclass
class Lane:
    nodes: list[int]
    cycles: int
    core: str
    scope_id: int
    cross: bool
    history: set[tuple[int, int]] = field(default_factory=set)
    fresh: set[tuple[int, int]] = field(default_factory=set)
    outside: set[int] = field(default_factory=set)


@dataclass
class Group:
    lanes: list[Lane]
    mergeable: bool
