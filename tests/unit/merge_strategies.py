"""Random partitioned kernels and merge settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from merge_kernels import Kernel
from xdsl.dialects.builtin import ModuleOp


@st.composite
def kernels(draw: st.DrawFn, soc: str = "a2a3") -> ModuleOp:
    """Cube and vector subgraphs that read what earlier ones write; ids in any order, tiles and labels shared or not.

    The labels V and W are each on one subgraph at least.
    """
    count = draw(st.integers(2, 9))
    kernel = Kernel(soc=soc, compat="published", ins=("x", "w"), outs=tuple(f"y{place}" for place in range(count)))
    written = ["x", "w"]
    for place, subgraph in enumerate(draw(st.permutations(range(count)))):
        text = "VW"[place] if place < 2 else draw(st.sampled_from(["", "", "V", "W"]))
        label = {"semantic_label": f'"{text}"'} if text else {}
        target = draw(st.sampled_from([f"t{place} ddr", f"y{place}"]))
        sources = draw(st.lists(st.sampled_from(written), min_size=2, max_size=2))
        build = _add_cube if draw(st.booleans()) else _add_vector
        build(draw, kernel, f"{place}", subgraph, sources, target, label)
        if target.endswith("ddr"):
            written.append(f"t{place}")
    return kernel.module()


def _add_cube(
    draw: st.DrawFn,
    kernel: Kernel,
    name: str,
    subgraph: int,
    sources: Sequence[str],
    target: str,
    label: Mapping[str, str],
) -> None:
    marks = {"is_cube": "true"}
    for side, source in zip("ab", sources, strict=True):
        offset = draw(st.sampled_from(["0, 0", "0, 0", "16, 0"]))
        kernel.op("view", source, f"{side}{name} l1", subgraph, at=offset, **marks, **label)
        kernel.op("view", f"{side}{name}", f"{side}{side}{name} l0{side}", subgraph, **marks)
    kernel.op("a_mul_b", f"aa{name} bb{name}", f"c{name} l0c", subgraph, **marks)
    kernel.op("assemble", f"c{name}", target, subgraph, **marks)


def _add_vector(
    draw: st.DrawFn,
    kernel: Kernel,
    name: str,
    subgraph: int,
    sources: Sequence[str],
    target: str,
    label: Mapping[str, str],
) -> None:
    marks = {"is_cube": "false"}
    opcodes = draw(st.lists(st.sampled_from(["exp", "abs"]), min_size=1, max_size=2))
    kernel.op("view", sources[0], f"v{name} ub", subgraph, **marks, **label)
    last = f"v{name}"
    for place, opcode in enumerate(opcodes):
        kernel.op(opcode, last, f"{opcode}{place}v{name} ub", subgraph, **marks)
        if draw(st.booleans()):
            kernel.op(opcode, last, f"twin{place}v{name} ub", subgraph, **marks)
            kernel.op("add", f"{opcode}{place}v{name} twin{place}v{name}", f"s{place}v{name} ub", subgraph, **marks)
            last = f"s{place}v{name}"
        else:
            last = f"{opcode}{place}v{name}"
    kernel.op("assemble", last, target, subgraph, **marks)


@st.composite
def settings_text(draw: st.DrawFn, *, sides: bool = False, with_default: bool = True) -> str:
    """A merge setting as a pass takes it: names and labels, with a default."""
    keys = draw(st.lists(st.sampled_from(["func8_0", "func8_1", "func9_0", "V", "W"]), unique=True, max_size=3))
    entries = [*(["DEFAULT"] if with_default else []), *keys]
    side = st.sampled_from(["", ":left", ":right", ":auto"]) if sides else st.just("")
    return ",".join(f"{key}={draw(st.integers(1, 4))}{draw(side)}" for key in entries)
