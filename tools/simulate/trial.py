"""Compiles and simulates a module with some pass options changed, to see what they would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialect.operation import TileOperation
from dialect.ops import functions_of
from dialect.pass_options import OptionValue
from tools.simulate.machine import Machine
from tools.simulate.results import Simulation
from tools.simulate.simulation import SimulationOptions, simulate_module
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.option_layers import OptionLayer, SourcedValue, apply_option_layers
from transforms.reduce_copy_merge import ReduceCopyMergePass
from transforms.resolve_pass_options.resolve_pass_options_pass import ResolvePassOptionsPass

_READ_BY_MERGES = frozenset(
    {
        "vec_nbuffer_setting",
        "cube_l1_reuse_setting",
        "cube_nbuffer_setting",
        "auto_mix_partition",
        "mg_copyin_upper_bound",
        "mg_vec_parallel_lb",
    }
)
"""Options that do not change the partition."""

Setting = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True)
class Trial:
    """What a setting leads to, functions together.

    Attributes:
        subgraphs: their number.
        largest_group: the most subgraphs of the partition that the merges made one.
        simulations: per function.
    """

    subgraphs: int
    largest_group: int
    simulations: Sequence[Simulation]

    @property
    def end_to_end_cycles(self) -> int:
        """The functions one after another."""
        return sum(simulation.end_to_end_cycles for simulation in self.simulations)

    @property
    def utilisation(self) -> float:
        """The share of all cores and of the end-to-end time that is busy: 0 to 1."""
        if not self.end_to_end_cycles:
            return 0.0
        weighted = sum(simulation.utilisation * simulation.end_to_end_cycles for simulation in self.simulations)
        return weighted / self.end_to_end_cycles


class Trials:
    """Tries settings on one module, which stays as it is; settings that leave the partition alone share it."""

    def __init__(self, ctx: Context, module: ModuleOp, machine: Machine, options: SimulationOptions):
        self._ctx, self._module, self._machine, self._options = ctx, module, machine, options
        self._partitioned: dict[frozenset[tuple[str, OptionValue]], ModuleOp] = {}

    def run(self, setting: Setting) -> Trial:
        """Compile and simulate the module with the options of `setting` in the place of those that it carries.

        Raises:
            DiagnosticException, UserError: the module cannot be compiled or simulated with them.
        """
        of_partition = frozenset((name, value) for name, value in setting.items() if name not in _READ_BY_MERGES)
        partitioned = self._partitioned.get(of_partition)
        if partitioned is None:
            partitioned = self._module.clone()
            _assign(partitioned, dict(of_partition))
            self._apply(partitioned, ResolvePassOptionsPass(), GraphPartitionPass())
            self._partitioned[of_partition] = partitioned
        module = partitioned.clone()
        _assign(module, setting)
        before = [(op, op.subgraph) for op in _operations_of(module)]
        self._apply(module, NBufferMergePass(), L1CopyInReuseMergePass(), ReduceCopyMergePass())
        simulations = simulate_module(module, self._machine, self._options)
        joined: dict[tuple[int, int], set[int]] = {}
        for op, subgraph in before:
            parent = op.parent_op()
            if parent is not None and op.subgraph is not None and subgraph is not None:
                joined.setdefault((id(parent), op.subgraph), set()).add(subgraph)
        return Trial(len(joined), max(map(len, joined.values()), default=0), simulations)

    def _apply(self, module: ModuleOp, *passes: ModulePass) -> None:
        for module_pass in passes:
            module_pass.apply(self._ctx, module)


def _assign(module: ModuleOp, setting: Setting) -> None:
    apply_option_layers(module, [OptionLayer({name: SourcedValue(value, "--set") for name, value in setting.items()})])


def _operations_of(module: ModuleOp) -> list[TileOperation]:
    return [op for function in functions_of(module) for op in function.operations()]
