"""File formats that tile-opt reads and writes; a format is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target


def get_all_frontends() -> dict[str, Callable[[], type[Frontend]]]:
    """Functions that import a frontend, by its name."""

    def get_pypto_json() -> type[Frontend]:
        from tools.formats.pypto_json import PyptoJsonFrontend

        return PyptoJsonFrontend

    return {"pypto-json": get_pypto_json}


def get_all_targets() -> dict[str, Callable[[], type[Target]]]:
    """Functions that import a target, by its name."""

    def get_dot() -> type[Target]:
        from tools.formats.dot import DotTarget

        return DotTarget

    def get_evaluate() -> type[Target]:
        from tools.evaluate.target import EvaluateTarget

        return EvaluateTarget

    def get_pypto_json() -> type[Target]:
        from tools.formats.pypto_json import PyptoJsonTarget

        return PyptoJsonTarget

    def get_summary() -> type[Target]:
        from tools.formats.summary import SummaryTarget

        return SummaryTarget

    def get_swimlane() -> type[Target]:
        from tools.formats.swimlane import SwimlaneTarget

        return SwimlaneTarget

    return {
        "dot": get_dot,
        "evaluate": get_evaluate,
        "pypto-json": get_pypto_json,
        "summary": get_summary,
        "swimlane": get_swimlane,
    }
