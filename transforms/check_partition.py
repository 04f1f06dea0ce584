"""The pass `check-partition`: verifies the subgraph ids of every function, whoever made them. Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from transforms.graph_of_function import graph_of
from transforms.module_rules import compat_of, resolved_functions, target_of
from transforms.partition_check import check_partition
from transforms.remarks import Remark, emit

_SHOWN = 5


@dataclass(frozen=True)
class CheckPartitionPass(ModulePass):
    """Fails unless ids count from 0 without gaps, subgraphs are acyclic, and scopes and cores are respected."""

    name = "check-partition"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat, target = compat_of(op), target_of(op)
        for function in resolved_functions(op):
            graph, operations = graph_of(function)
            subgraphs = [-1 if op.subgraph is None else op.subgraph for op in operations]
            if target.is_lite and not any(subgraphs):
                continue
            mixed_cores = target.has_mixed_cores
            violations = check_partition(graph, subgraphs, compat, mixed_cores, may_mix_sides=mixed_cores)
            if violations:
                shown = "; ".join(violation.message for violation in violations[:_SHOWN])
                more = f"; and {len(violations) - _SHOWN} more" if len(violations) > _SHOWN else ""
                raise PassFailedException(f"check-partition of @{function.symbol}: {shown}{more}")
            count = len(set(subgraphs))
            emit(Remark(self.name, "valid", f"{count} subgraphs, valid", function.symbol, {"subgraphs": count}))
