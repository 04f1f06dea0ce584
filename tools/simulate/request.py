"""A simulation as users ask for one: with the chip and rules of the module, and a machine file."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tools.simulate.machine import Machine, machine_of
from tools.simulate.machine_file import read_machine
from tools.simulate.results import ScheduleModel
from tools.simulate.simulation import SimulationOptions
from transforms.module_rules import compat_of, target_of


def machine_for(module: ModuleOp, machine_file: str | None) -> Machine:
    """The machine for a module: that of its chip and rules, changed by a machine file.

    Raises:
        UserError: as `read_machine`.
    """
    machine = machine_of(target_of(module), compat_of(module))
    return machine if machine_file is None else read_machine(machine_file, machine)


def simulation_options(model: str, iterations: int) -> SimulationOptions:
    """The options that a command line states.

    Raises:
        ValueError: the model is none, or the number of iterations is out of range.
    """
    if model not in tuple(ScheduleModel):
        raise ValueError(f"model must be one of {', '.join(ScheduleModel)}, found '{model}'")
    return SimulationOptions(ScheduleModel(model), iterations)
