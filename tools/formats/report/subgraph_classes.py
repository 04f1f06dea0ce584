"""The classes that a report shows: subgraphs with the same hash orders, or, where they have none, with equal leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialect.ops import FuncOp
from dialect.values import string_of
from tools.simulate.machine import Machine
from tools.simulate.results import Simulation, SubgraphCost
from tools.simulate.tasks.task_graph import TaskKind
from transforms.hints import HashOrder, hash_orders_of, hint_text, subgraph_hash_orders

_OPTION_OF_MERGE: Mapping[str, str] = {
    "l1_reuse": "cube_l1_reuse_setting",
    "cube_merge": "cube_nbuffer_setting",
    "vec_merge": "vec_nbuffer_setting",
}


@dataclass(frozen=True, slots=True)
class ReportClass:
    """Subgraphs that a user tunes together.

    Attributes:
        name: the hash orders, such as `func8_0`; `leaf 3` for subgraphs without any.
        costs: what the members cost, by ascending id.
        hints: the lines of the hint text.
        labels: the semantic labels of the members' ops, sorted.
        calls: calls of `pypto.set_pass_options` to begin with.
    """

    name: str
    costs: Sequence[SubgraphCost]
    hints: Sequence[str]
    labels: Sequence[str]
    calls: Sequence[str]


def classes_of(function: FuncOp, simulation: Simulation) -> list[ReportClass]:
    """The classes of a simulated function, the one that keeps cores busy longest first. O(operations)."""
    orders_of_ops: dict[int, list[dict[str, HashOrder]]] = {}
    labels: dict[int, set[str]] = {}
    for op in function.operations():
        subgraph = op.subgraph
        if subgraph is None:
            continue
        if (hash_order := op.properties.get("hashorder")) is not None:
            orders_of_ops.setdefault(subgraph, []).append(hash_orders_of(hash_order))
        if label := string_of(op.properties.get("semantic_label")):
            labels.setdefault(subgraph, set()).add(label)
    members: dict[str, list[SubgraphCost]] = {}
    orders_of_class: dict[str, dict[str, HashOrder]] = {}
    for subgraph, cost in sorted(simulation.costs.items()):
        orders = subgraph_hash_orders(orders_of_ops.get(subgraph, ()))
        name = _name(orders, cost)
        members.setdefault(name, []).append(cost)
        orders_of_class.setdefault(name, orders)
    classes = [
        ReportClass(
            name,
            costs,
            hint_text(orders_of_class[name]).splitlines(),
            sorted({label for cost in costs for label in labels.get(cost.subgraph, ())}),
            _calls(orders_of_class[name], costs[0].kind, simulation.machine),
        )
        for name, costs in members.items()
    ]
    return sorted(classes, key=lambda shown: -sum(cost.cycles for cost in shown.costs))


def _name(orders: Mapping[str, HashOrder], cost: SubgraphCost) -> str:
    if not orders:
        return f"leaf {cost.leaf}"
    words = {"l1_reuse": "L1", "cube_merge": "cube", "vec_merge": "vector"}
    return ", ".join(f"{words[merge]} {orders[merge].name}" for merge in words if merge in orders)


def _calls(orders: Mapping[str, HashOrder], kind: TaskKind, machine: Machine) -> list[str]:
    """Calls with a number that leaves about one merged subgraph for each core."""
    cores = max(1, machine.core_count(kind))
    calls: list[str] = []
    for merge, option in _OPTION_OF_MERGE.items():
        if merge in orders and (members := orders[merge].member_count) > 1:
            number = max(2, -(-members // cores))
            calls.append(f'pypto.set_pass_options({option}={{"{orders[merge].name}": {number}}})')
    return calls
