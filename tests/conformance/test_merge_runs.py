"""The merge passes put the ops of the corpus together as the shipped compiler does, and name the same classes."""

from __future__ import annotations

import pytest
from merge_runs import MergeRun, membership, merge_runs
from xdsl.context import Context
from xdsl.passes import ModulePass

from dialect.compat import Compat
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.reduce_copy_merge import ReduceCopyMergePass

RUNS = merge_runs()


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_every_pass_equals_the_shipped_compiler(run: MergeRun) -> None:
    """Ids after n-buffer-merge, membership and deleted ops after the others, and all hints, with pypto rules."""
    module = run.partitioned(Compat.PYPTO)
    passes: dict[str, ModulePass] = {
        "NBufferMerge": NBufferMergePass(vec_nbuffer_setting=run.setting_text("vec_nbuffer_setting")),
        "L1CopyInReuseMerge": L1CopyInReuseMergePass(
            cube_l1_reuse_setting=run.setting_text("cube_l1_reuse_setting"),
            cube_nbuffer_setting=run.setting_text("cube_nbuffer_setting"),
        ),
    }
    if "ReduceCopyMerge" in run.after:
        passes["ReduceCopyMerge"] = ReduceCopyMergePass(auto_mix_partition=run.settings.get("auto_mix_partition"))
    for name, merge in passes.items():
        merge.apply(Context(), module)
        module.verify()
        expected, found = run.after[name], run.outcome(module)
        assert found.count == expected.count, name
        if name == "NBufferMerge":
            assert found.subgraphs == expected.subgraphs
        assert membership(found.subgraphs) == membership(expected.subgraphs), name
        assert found.hints == expected.hints, name
