"""What `xdsl-opt`, `xdsl-gui` and `tile-opt` know of tile-opt; nothing is imported before it is used."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.universe import Universe

from tools.formats import get_all_frontends, get_all_targets
from transforms import get_all_passes


def _get_tile() -> Dialect:
    from dialect.tile import TILE

    return TILE


TILE_UNIVERSE = Universe(
    all_dialects={"tile": _get_tile},
    all_passes=get_all_passes(),
    all_targets=get_all_targets(),
    all_frontends=get_all_frontends(),
)
