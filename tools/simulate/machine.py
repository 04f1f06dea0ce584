"""The machine that the simulator models: cores, schedulers, costs (cost model, sections 1.2 and 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dialect.compat import Compat
from dialect.targets import Target
from tools.simulate.leaves.latency_table import LatencyTable, latency_tables
from tools.simulate.leaves.pipes import Pipe
from tools.simulate.tasks.task_graph import TaskKind

CYCLES_PER_MICROSECOND = 1800
"""The clock of all times that users see (cost model, section 1.3)."""

_AIC_PER_AICPU = 4
_AIV_PER_AICPU = 8
_REFERENCE_AIC_CORES = 24
_REFERENCE_AIV_CORES = 48
_REFERENCE_TABLE = "A2A3"
_TABLE_BY_FAMILY: Mapping[str, str] = {"a2a3": "A2A3", "a5": "A5", "lite": "A2A3"}


@dataclass(frozen=True, slots=True)
class Machine:
    """A device: cores, and the AICPUs that poll them, resolve dependencies and dispatch tasks.

    Attributes:
        aic_cores, aiv_cores: cube and vector cores.
        aicpus: schedulers; the cores are dealt out to them in equal runs, the last ones may have fewer.
        poll_cycles: what an AICPU needs to look at one core.
        resolve_cycles: what an AICPU needs for one successor of a completed task.
        dispatch_cycles: what an AICPU needs to send one task.
        latencies: the cycles of operations.
        ub_bytes: the unified buffer of a vector core; a subgraph that needs more spills.
        buffer_bytes: what each allocation pipe can give, if operations wait for buffers (back pressure); the reference
            has this switched off.
    """

    aic_cores: int
    aiv_cores: int
    aicpus: int
    latencies: LatencyTable
    ub_bytes: int
    poll_cycles: int = 240
    resolve_cycles: int = 390
    dispatch_cycles: int = 200
    buffer_bytes: Mapping[Pipe, int] | None = field(default=None)

    def core_count(self, kind: TaskKind) -> int:
        """The number of cores that run tasks of a kind; HUB tasks need none."""
        return {TaskKind.AIC: self.aic_cores, TaskKind.AIV: self.aiv_cores, TaskKind.HUB: 0}[kind]

    @property
    def hub_core(self) -> int:
        """The number under which HUB tasks are shown, behind those of the cores, the device and the AICPUs."""
        return self.aic_cores + self.aiv_cores + self.aicpus + 1

    def cores_of_aicpus(self) -> list[list[int]]:
        """Per AICPU its cores in the order of polling: cube cores, then vector cores.

        Cube cores have the numbers 0, 1, …, vector cores those behind them.
        """
        aic = _dealt(range(self.aic_cores), self.aicpus)
        aiv = _dealt(range(self.aic_cores, self.aic_cores + self.aiv_cores), self.aicpus)
        return [[*cube, *vector] for cube, vector in zip(aic, aiv, strict=True)]

    @property
    def start_cycle(self) -> int:
        """The first cycle in which the device acts (cost model, section 3.2)."""
        return 2 * self.aicpus + 10 * self.aic_cores + 6 * self.aiv_cores + 2


def _dealt(cores: range, aicpus: int) -> list[range]:
    share = -(-len(cores) // aicpus)
    return [cores[share * aicpu : share * (aicpu + 1)] for aicpu in range(aicpus)]


def aicpus_for(aic_cores: int, aiv_cores: int) -> int:
    """The AICPUs that serve so many cores, each at most 4 cube and 8 vector cores (cost model, section 5.3)."""
    return max(-(-aic_cores // _AIC_PER_AICPU), -(-aiv_cores // _AIV_PER_AICPU), 1)


def machine_of(target: Target, compat: Compat) -> Machine:
    """The machine for a chip.

    Under the rules of the shipped compiler it is that of its simulator, which knows one machine for all chips
    (compatibility, S1).
    """
    if compat is Compat.PYPTO:
        table, aic, aiv = _REFERENCE_TABLE, _REFERENCE_AIC_CORES, _REFERENCE_AIV_CORES
    else:
        table, aic, aiv = _TABLE_BY_FAMILY[target.family], target.aic_cores, target.aiv_cores
    return Machine(aic, aiv, aicpus_for(aic, aiv), latency_tables()[table], target.ub_bytes)
