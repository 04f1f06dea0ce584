"""What merged subgraphs keep, against what L1 and UB hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from merge_kernels import Kernel, apply, subgraph_count
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.targets import find_target
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.merging.capacity import CapacityGuard, KeptBytes, capacity_rule, kept_bytes, overfull_groups
from transforms.n_buffer_merge import NBufferMergePass
from transforms.partitioned_function import partitioned_function
from transforms.reduce_copy_merge import ReduceCopyMergePass
from transforms.remarks import collect_remarks
from transforms.tensor_facts import tensor_shapes

BIG = "128x128xf32"
"""64 KiB: three of these fill UB of A2/A3, eight L1."""


def vectors(count: int) -> ModuleOp:
    """Subgraphs that hold two big tiles at one time: what is read and what is written."""
    kernel = Kernel(compat="published", outs=tuple(f"y{place}" for place in range(count)))
    for place in range(count):
        kernel.op("view", "x", f"v{place} ub", place, shape=BIG)
        kernel.op("exp", f"v{place}", f"e{place} ub", place, shape=BIG)
        kernel.op("abs", f"e{place}", f"a{place} ub", place, shape=BIG)
        kernel.op("assemble", f"a{place}", f"y{place}", place)
    return kernel.module()


def cubes(count: int) -> ModuleOp:
    """Subgraphs that copy one tile that all share, and one of their own."""
    kernel = Kernel(compat="published", outs=tuple(f"y{place}" for place in range(count)))
    for place in range(count):
        kernel.op("view", "x", f"s{place} l1", place, shape=BIG)
        kernel.op("view", "x", f"o{place} l1", place, shape=BIG, at=f"{place + 1}, 0")
        kernel.op("add", f"s{place} o{place}", f"y{place}", place)
    return kernel.module()


def test_bytes_that_are_alive_at_once() -> None:
    """Two of the three tiles of a chain live at one time; both copies of a cube subgraph do."""
    for module, l1, ub in ((vectors(1), 0, 2 * 65536), (cubes(1), 2 * 65536, 0)):
        (function,) = functions_of(module)
        partitioned = partitioned_function(function)
        shapes = tensor_shapes(partitioned.parts)
        kept = kept_bytes(partitioned.ordered, shapes, partitioned.subgraphs, 1, find_target("a2a3"))
        assert [(memory.memory, memory.bytes_of) for memory in kept] == [("L1", [l1]), ("UB", [ub])]


def test_shared_copies_count_once() -> None:
    """Members add up, less the copies that they share; a chain of merges counts as a merge at once."""
    copies = [{0: 10, 1: 5}, {0: 10, 2: 5}, {0: 10, 3: 5}]
    kept = [KeptBytes("L1", 26, [15, 15, 15], copies)]
    assert overfull_groups(kept, [0, 0, 2]) == []
    (group,) = overfull_groups([replace(kept[0], size=24)], [0, 0, 0])
    assert (group.members, group.kept, group.size) == ([0, 1, 2], 25, 24)
    guard = CapacityGuard([replace(kept[0], size=20)])
    assert guard.allows(0, 1)
    guard.merge(0, 1)
    assert not guard.allows(0, 2)
    assert guard.allows_together([1, 2]) and not guard.allows_together([0, 2])


@pytest.mark.parametrize(
    ("module", "merge", "left", "memory"),
    [
        (vectors, NBufferMergePass(vec_nbuffer_setting="DEFAULT=2"), 2, "UB"),
        (cubes, L1CopyInReuseMergePass(cube_l1_reuse_setting="DEFAULT=9"), 2, "L1"),
    ],
)
def test_rules(module: object, merge: object, left: int, memory: str) -> None:
    """off says nothing, warn (the default) tells, enforce leaves merges out with a remark for each."""
    assert callable(module) and isinstance(merge, (NBufferMergePass, L1CopyInReuseMergePass))
    for rule in (None, "warn", "off"):
        with collect_remarks() as remarks:
            result = apply(module(9), replace(merge, capacity=rule))
        found = [remark for remark in remarks if remark.kind == "capacity"]
        assert {remark.details["memory"] for remark in found} == (set() if rule == "off" else {memory})
    with collect_remarks() as remarks:
        enforced = apply(module(9), replace(merge, capacity="enforce"))
    assert subgraph_count(enforced) > subgraph_count(result)
    assert not [remark for remark in remarks if remark.kind == "capacity"]
    assert "capacity" in {remark.details.get("reason") for remark in remarks}
    if memory == "L1":
        assert subgraph_count(enforced) == left


def test_mixing() -> None:
    """A mixed subgraph whose tiles exceed UB is refused where capacity is enforced."""
    kernel = Kernel(soc="a5", compat="published")
    kernel.op("exp", "x", "a ub", 0, is_cube="true", shape="200x128xf32")
    kernel.op("abs", "a", "b ub", 0, is_cube="true", shape="200x128xf32")
    kernel.op("exp", "b", "c ub", 1, is_cube="false", shape="200x128xf32")
    kernel.op("abs", "c", "y", 1, is_cube="false")
    module = kernel.module()
    assert subgraph_count(apply(module.clone(), ReduceCopyMergePass(auto_mix_partition=1))) == 1
    enforced = ReduceCopyMergePass(auto_mix_partition=1, capacity="enforce")
    assert subgraph_count(apply(module.clone(), enforced)) == 2


def test_defaults() -> None:
    """Row G1: warn, with pypto rules off; what the pass is given wins."""
    assert capacity_rule(None, Compat.PUBLISHED) == "warn"
    assert capacity_rule(None, Compat.PYPTO) == "off"
    assert capacity_rule("enforce", Compat.PYPTO) == "enforce"


def test_chip_without_a_size() -> None:
    """A memory whose size is not known is an error that says what to do."""
    (function,) = functions_of(vectors(1))
    partitioned = partitioned_function(function)
    shapes = tensor_shapes(partitioned.parts)
    unknown = replace(find_target("a2a3"), l1_bytes=0)
    with pytest.raises(PassFailedException, match=r"the size of L1 of Ascend910B2 is not known, .* capacity=off"):
        kept_bytes(partitioned.ordered, shapes, partitioned.subgraphs, 1, unknown)


def test_shapes_split() -> None:
    """Row G2: tail tiles share a class with full tiles, or have one of their own with shapes=split."""
    kernel = Kernel(compat="published", outs=("y0", "y1", "y2"))
    for place, shape in enumerate(("16x16xf32", "16x16xf32", "8x16xf32")):
        kernel.op("view", "x", f"v{place} ub", place, shape=shape)
        kernel.op("assemble", f"v{place}", f"y{place}", place)
    module = kernel.module()
    for shapes, count in (("mixed", 1), ("split", 2)):
        merge = NBufferMergePass(vec_nbuffer_setting="DEFAULT=3", shapes=shapes)
        assert subgraph_count(apply(module.clone(), merge)) == count
    assert (
        subgraph_count(apply(cubes(2), L1CopyInReuseMergePass(cube_l1_reuse_setting="DEFAULT=2", shapes="split"))) == 1
    )
