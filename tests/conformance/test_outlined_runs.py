"""The corpus after every run of the merges: its leaves are those of the shipped compiler, and its values are kept.

`corpus/leaf_launches.json` has for each run how often the shipped compiler launches each of its leaf functions in one
run of the graph; leaves that take equally long are one entry there.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from merge_runs import MergeRun, merge_runs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.outlined import launches_in, leaves_of
from tools.evaluate.evaluator import evaluate
from tools.evaluate.number_formats import Array
from tools.evaluate.target import random_input
from transforms.inline_subgraphs import InlineSubgraphsPass
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.outline_subgraphs import OutlineSubgraphsPass
from transforms.reduce_copy_merge import ReduceCopyMergePass

LAUNCHES = json.loads((Path(__file__).parent / "corpus" / "leaf_launches.json").read_text(encoding="utf-8"))
RUNS = merge_runs()
ORDER_SENSITIVE = {"matmul_grid-29": [1, 5, 16]}
"""Here 3 and 2 subgraphs are isomorphic, but the shipped compiler lists their ops in two orders and has two leaves."""


def merged(run: MergeRun) -> ModuleOp:
    """The graph of a run after all its merges."""
    module = run.partitioned(Compat.PYPTO)
    NBufferMergePass(vec_nbuffer_setting=run.setting_text("vec_nbuffer_setting")).apply(Context(), module)
    L1CopyInReuseMergePass(
        cube_l1_reuse_setting=run.setting_text("cube_l1_reuse_setting"),
        cube_nbuffer_setting=run.setting_text("cube_nbuffer_setting"),
    ).apply(Context(), module)
    if "ReduceCopyMerge" in run.after:
        ReduceCopyMergePass(auto_mix_partition=run.settings.get("auto_mix_partition")).apply(Context(), module)
    return module


def results_of(module: ModuleOp) -> list[Array]:
    (function,) = functions_of(module)
    inputs = [random_input(0, position, value) for position, value in enumerate(function.ins)]
    return evaluate(function, inputs, {"loop_idx_i": 1}, leaves_of(module))


@cache
def results_op_by_op(graph: Path) -> list[Array]:
    """What a graph computes without any subgraphs."""
    module = next(run for run in RUNS if run.graph == graph).partitioned(Compat.PYPTO)
    (function,) = functions_of(module)
    for op in function.operations():
        del op.properties["subgraph"]
    return results_of(module)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_leaves_and_values_of_every_run(run: MergeRun) -> None:
    """As many leaves, launched as often; equal outputs by subgraphs and by launches; inlining restores every op."""
    module = merged(run)
    before = {
        op.magic: (op.name, dict(op.properties)) for function in functions_of(module) for op in function.operations()
    }
    np.testing.assert_equal(results_of(module), results_op_by_op(run.graph))
    OutlineSubgraphsPass().apply(Context(), module)
    module.verify()
    (function,) = functions_of(module)
    counts = sorted(Counter(launch.leaf_name for launch in launches_in(function)).values())
    if run.name in LAUNCHES:
        assert counts == ORDER_SENSITIVE.get(run.name, LAUNCHES[run.name])
    np.testing.assert_equal(results_of(module), results_op_by_op(run.graph))
    InlineSubgraphsPass().apply(Context(), module)
    module.verify()
    after = {
        op.magic: (op.name, dict(op.properties)) for function in functions_of(module) for op in function.operations()
    }
    assert after == before


def test_every_run_with_known_leaves_is_here() -> None:
    """The facts name runs of the corpus, nearly all of them."""
    assert len(LAUNCHES) > 50
    assert set(LAUNCHES) <= {run.name for run in RUNS}
