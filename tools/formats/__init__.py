"""File formats that tile-opt reads and writes; a format is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target

_FRONTEND_CLASSES: Mapping[str, tuple[str, str]] = {
    "pypto-json": ("tools.formats.pypto_json", "PyptoJsonFrontend"),
}
_TARGET_CLASSES: Mapping[str, tuple[str, str]] = {
    "dot": ("tools.formats.dot", "DotTarget"),
    "evaluate": ("tools.evaluate.target", "EvaluateTarget"),
    "partition-metrics": ("tools.formats.partition_metrics", "PartitionMetricsTarget"),
    "pypto-json": ("tools.formats.pypto_json", "PyptoJsonTarget"),
    "report": ("tools.formats.report.target", "ReportTarget"),
    "summary": ("tools.formats.summary", "SummaryTarget"),
    "swimlane": ("tools.formats.swimlane", "SwimlaneTarget"),
}
"""The module and the class of each format."""


def get_all_frontends() -> dict[str, Callable[[], type[Frontend]]]:
    """Functions that import a frontend, by its name."""
    return {name: partial(_import_class, *place) for name, place in _FRONTEND_CLASSES.items()}


def get_all_targets() -> dict[str, Callable[[], type[Target]]]:
    """Functions that import a target, by its name."""
    return {name: partial(_import_class, *place) for name, place in _TARGET_CLASSES.items()}


def _import_class(module: str, class_name: str) -> Any:
    return getattr(import_module(module), class_name)
