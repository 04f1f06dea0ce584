"""Laws of the merge passes on random kernels and settings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from merge_kernels import apply, subgraphs
from merge_strategies import kernels, settings_text
from tile_modules import parse_text, text_of
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from dialect.ops import functions_of
from transforms.graph_of_function import graph_of
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.reduce_copy_merge import ReduceCopyMergePass
from transforms.remarks import collect_remarks

REMOVALS = {"common-operations", "dead-operations", "duplicate-copies"}


def quotient_is_acyclic(module: ModuleOp) -> bool:
    """Whether the subgraphs of each function can be run one by one; found by removing what waits for nothing."""
    for function in functions_of(module):
        graph, operations = graph_of(function)
        subgraph = [op.subgraph for op in operations]
        before: dict[int | None, set[int | None]] = {one: set() for one in subgraph}
        for writer, outputs in enumerate(graph.outputs):
            for reader, inputs in enumerate(graph.inputs):
                if subgraph[reader] != subgraph[writer] and not set(outputs).isdisjoint(inputs):
                    before[subgraph[reader]].add(subgraph[writer])
        while before:
            free = {one for one, waiting in before.items() if not waiting}
            if not free:
                return False
            before = {one: waiting - free for one, waiting in before.items() if one not in free}
    return True


def magics(module: ModuleOp) -> set[int]:
    return {10_000 + place if op.magic is None else op.magic for place, op in enumerate(all_ops(module))}


def all_ops(module: ModuleOp) -> list[object]:
    return [op for function in functions_of(module) for op in function.operations()]


def merges(vector: str, reuse: str, cube: str, **options: object) -> Sequence[ModulePass]:
    return (
        NBufferMergePass(vec_nbuffer_setting=vector, mg_vec_parallel_lb=2, **options),  # type: ignore[arg-type]
        L1CopyInReuseMergePass(cube_l1_reuse_setting=reuse, cube_nbuffer_setting=cube, **options),  # type: ignore[arg-type]
        ReduceCopyMergePass(auto_mix_partition=1),
    )


ALL_SETTINGS = (settings_text(), settings_text(sides=True), settings_text())


@settings(max_examples=80)
@given(kernels(), st.sampled_from(["a2a3", "a5"]), *ALL_SETTINGS)
def test_results_are_sound(module: ModuleOp, soc: str, vector: str, reuse: str, cube: str) -> None:
    """Ids are contiguous, subgraphs acyclic, and every op is there or named as removed, after each pass."""
    module.attributes["tile.soc"] = StringAttr(soc)
    assert quotient_is_acyclic(module)
    for merge in merges(vector, reuse, cube):
        before = magics(module)
        with collect_remarks() as remarks:
            apply(module, merge)
        removed: list[int] = []
        for remark in remarks:
            if remark.kind in REMOVALS:
                named = remark.details["magics"]
                assert isinstance(named, tuple)
                removed.extend(named)  # type: ignore[arg-type]
        assert magics(module) | set(removed) == before
        assert not magics(module) & set(removed)
        assert len(removed) == len(set(removed))
        used = set(subgraphs(module))
        assert used == set(range(len(used)))
        assert quotient_is_acyclic(module)


@settings(max_examples=80)
@given(kernels(), *ALL_SETTINGS)
def test_both_rule_sets_agree_where_no_row_applies(module: ModuleOp, vector: str, reuse: str, cube: str) -> None:
    """With numbers for all classes, no veto and labels that exist, they only differ where the shipped one fails."""
    for function in functions_of(module):
        for op in function.operations():
            del op.properties["is_cube"]
    results: list[str] = []
    for compat in ("pypto", "published"):
        copy = module.clone()
        try:
            for merge in merges(vector, reuse, cube):
                copy.attributes["tile.compat"] = StringAttr(compat)
                apply(copy, merge)
        except PassFailedException as error:
            assert compat == "pypto" and "in a cycle after the merge" in str(error)
            assume(False)
        for function in functions_of(copy):
            for op in function.operations():
                op.properties.pop("hashorder", None)
        copy.attributes["tile.compat"] = StringAttr("same")
        results.append(text_of(copy))
    assert results[0] == results[1]


@settings(max_examples=40)
@given(kernels())
def test_default_of_one_changes_nothing(module: ModuleOp) -> None:
    """{"DEFAULT": 1} leaves every subgraph as it is; n-buffer-merge leaves all ops too."""
    before = subgraphs(module)
    apply(module, NBufferMergePass(vec_nbuffer_setting="DEFAULT=1"))
    assert subgraphs(module) == before
    together = list(zip(sorted(magics(module)), before, strict=True))
    apply(module, L1CopyInReuseMergePass(cube_l1_reuse_setting="DEFAULT=1", cube_nbuffer_setting="DEFAULT=1"))
    old = dict(together)
    new = {op.magic: op.subgraph for function in functions_of(module) for op in function.operations()}
    pairs = {(old[magic], subgraph) for magic, subgraph in new.items() if magic is not None}
    assert len({first for first, _ in pairs}) == len(pairs) == len({second for _, second in pairs})


@settings(max_examples=40)
@given(kernels(), *ALL_SETTINGS)
def test_functions_do_not_touch_one_another(module: ModuleOp, vector: str, reuse: str, cube: str) -> None:
    """Two functions in one module merge as each does alone."""
    (function,) = functions_of(module)
    pair = module.clone()
    twin = function.clone()
    twin.properties["sym_name"] = StringAttr("twin")
    pair.body.block.add_op(twin)
    for merge in merges(vector, reuse, cube):
        apply(module, merge)
        apply(pair, merge)
    first, second = functions_of(pair)
    second.properties["sym_name"] = first.properties["sym_name"]
    assert text_of(first) == text_of(second) == text_of(next(iter(functions_of(module))))


@settings(max_examples=40)
@given(kernels(), st.sampled_from(["enforce", "warn"]), *ALL_SETTINGS)
def test_capacity(module: ModuleOp, rule: str, vector: str, reuse: str, cube: str) -> None:
    """Enforced, no merged subgraph is overfull; otherwise a remark names each that is. A tile has 1 KiB here."""
    module.attributes["tile.soc"] = StringAttr("Kirin9030")
    with collect_remarks() as remarks:
        for merge in merges(vector, reuse, cube, capacity=rule)[:2]:
            apply(module, merge)
    if rule == "enforce":
        assert not [remark for remark in remarks if remark.kind == "capacity"]


@pytest.mark.parametrize("merge", merges("DEFAULT=2", "DEFAULT=2", "DEFAULT=2"), ids=lambda merge: merge.name)
def test_nothing_to_do(merge: ModulePass) -> None:
    """A module without functions, and a function without ops, are left as they are."""
    for text in ("builtin.module {}", "builtin.module { tile.func @f ins() outs() {} }"):
        module = parse_text(text)
        assert text_of(apply(module.clone(), merge)) == text_of(module)
