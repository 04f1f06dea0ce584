"""The target `swimlane`: the simulated schedule as a Chrome trace."""

from tools.formats.swimlane.target import SwimlaneTarget

__all__ = ["SwimlaneTarget"]
