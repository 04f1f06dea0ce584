"""The merge passes put the ops of the corpus together as the shipped compiler does, and name the same classes."""

from __future__ import annotations

import numpy as np
import pytest
from merge_runs import AfterPass, MergeRun, membership, merge_runs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialect.compat import Compat
from dialect.ops import functions_of
from tools.evaluate.evaluator import evaluate
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.reduce_copy_merge import ReduceCopyMergePass

RUNS = merge_runs()


def passes_of(run: MergeRun) -> list[ModulePass]:
    """The merges with the settings of a run."""
    return [
        NBufferMergePass(vec_nbuffer_setting=run.setting_text("vec_nbuffer_setting")),
        L1CopyInReuseMergePass(
            cube_l1_reuse_setting=run.setting_text("cube_l1_reuse_setting"),
            cube_nbuffer_setting=run.setting_text("cube_nbuffer_setting"),
        ),
        ReduceCopyMergePass(auto_mix_partition=run.settings.get("auto_mix_partition")),
    ]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_every_pass_equals_the_shipped_compiler(run: MergeRun) -> None:
    """Ids after n-buffer-merge, membership and deleted ops after the others, and all hints, with pypto rules."""
    module = run.partitioned(Compat.PYPTO)
    names = ("NBufferMerge", "L1CopyInReuseMerge", "ReduceCopyMerge")
    for name, merge in zip(names, passes_of(run), strict=True):
        if name not in run.after:
            continue
        merge.apply(Context(), module)
        module.verify()
        expected, found = run.after[name], run.outcome(module)
        assert found.count == expected.count, name
        if name == "NBufferMerge":
            assert found.subgraphs == expected.subgraphs
        assert membership(found.subgraphs) == membership(expected.subgraphs), name
        assert found.hints == expected.hints, name


def after_all(run: MergeRun) -> AfterPass:
    """What the last of the merges left; ReduceCopyMerge only runs on A5."""
    return run.after.get("ReduceCopyMerge", run.after["L1CopyInReuseMerge"])


def merged(run: MergeRun, compat: Compat) -> ModuleOp:
    module = run.partitioned(compat)
    for merge in passes_of(run):
        merge.apply(Context(), module)
    return module


WITH_ROW_D13 = {"matmul_grid-22", "matmul_grid-28", "matmul_grid-29", "attention_512-86", "attention_512-87"}
"""Runs whose automatic L1 limit differs by row D13: 64 subgraphs on 24 cores."""


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_published_rules_differ_only_by_rows(run: MergeRun) -> None:
    """By default the ops are together and gone as the shipped compiler has it, except where row D13 applies."""
    last = after_all(run)
    found = run.outcome(merged(run, Compat.PUBLISHED)).subgraphs
    assert (membership(found) == membership(last.subgraphs)) == (run.name not in WITH_ROW_D13)


MOST_MERGED = {run.graph: run for run in sorted(RUNS, key=lambda run: -after_all(run).count)}
"""Per graph, the run that leaves the fewest subgraphs."""


@pytest.mark.parametrize("run", MOST_MERGED.values(), ids=lambda run: run.name)
def test_merging_changes_no_value(run: MergeRun) -> None:
    """The function computes the same bits, subgraph by subgraph, before and after the merges."""
    before, after = run.partitioned(Compat.PUBLISHED), merged(run, Compat.PUBLISHED)
    results: list[list[np.ndarray]] = []
    for module in (before, after):
        (function,) = functions_of(module)
        numbers = np.random.default_rng(7)
        inputs = [numbers.standard_normal(tensor.type.shape).astype(np.float32) for tensor in function.ins]
        results.append(evaluate(function, inputs, {"loop_idx_i": 0}))
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one, other)
