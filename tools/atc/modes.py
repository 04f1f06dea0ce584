"""What a run of `tile-atc` does once the raw file is applied."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from tools.atc.resolution import RawStage, Resolution, resolve


def run(stage: RawStage, environment: Mapping[str, str]) -> None:
    """Check the options, then print the option map, or compile, convert or display the model as the mode says.

    Raises:
        AtcError: the options or the model are refused.
    """
    resolution = resolve(stage, environment)
    for message in resolution.reported:
        print(f"warning: {message.text}", file=sys.stderr)
    if stage.flags.explicit.value("emit"):
        print_options(resolution)


def print_options(resolution: Resolution) -> None:
    """Print the option map and what was skipped as JSON on stdout."""
    import json

    print(json.dumps(resolution.as_json(), indent=2))
