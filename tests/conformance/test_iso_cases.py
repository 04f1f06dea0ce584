"""The Iso partition does what the shipped compiler does under pypto rules; published rules heal its defects."""

from __future__ import annotations

import pytest
from iso_cases import IsoCase, load_iso_cases
from iso_oracle import Oracle, OracleFailureError
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.graph_partition.iso import partition
from transforms.partition_check import check_partition

CASES = load_iso_cases()
HEALED_FAILURES = {"P-D1", "P-D2", "P-D6"}


def by_name(case: IsoCase) -> str:
    return case.name


def met_rows(case: IsoCase) -> set[str]:
    """The rows of the compatibility table that the graph meets under pypto rules."""
    oracle = Oracle(
        case.graph,
        Compat.PYPTO,
        case.parallel_lower_bound,
        case.lower_bound,
        case.mixed_cores,
        case.balanced,
    )
    try:
        oracle.run()
    except OracleFailureError:
        return oracle.rows
    return oracle.rows


def test_all_cases_are_here() -> None:
    """246 cases, 230 of which the shipped compiler partitions."""
    assert len(CASES) == 246
    assert sum(case.expected is not None for case in CASES) == 230


@pytest.mark.parametrize("case", [case for case in CASES if case.expected], ids=by_name)
def test_pypto_partition(case: IsoCase) -> None:
    """Order, ids, cube marks, scopes and CV-fuse ids are those of the shipped compiler."""
    result = partition(case.graph, case.parameters(Compat.PYPTO))
    expected = case.expected
    assert expected is not None and result.is_cube is not None
    assert [case.graph.magics[operation] for operation in result.order] == expected.order
    assert result.subgraph_count == expected.total
    assert [result.subgraphs[operation] for operation in result.order] == expected.subgraph
    assert [result.is_cube[operation] for operation in result.order] == expected.is_cube
    assert [result.scopes[operation].id for operation in result.order] == expected.scope
    assert [result.cv_fuse[operation] for operation in result.order] == expected.cv_fuse
    assert check_partition(case.graph, result.subgraphs, Compat.PYPTO, case.mixed_cores) == []


FAILURE_MESSAGES = {
    "cube and vector in one scope on a separated-core target": "holds cube and vector operations",
    "core types not mergeable inside one super node": "core types do not allow one super node",
    "some op got no subgraph id": "operations get no subgraph",
}


@pytest.mark.parametrize("case", [case for case in CASES if case.failure], ids=by_name)
def test_pypto_failure(case: IsoCase) -> None:
    """Where the shipped compiler fails, so do we, and the message says why and names operations."""
    assert case.failure is not None
    with pytest.raises(PassFailedException, match=FAILURE_MESSAGES[case.failure]) as failure:
        partition(case.graph, case.parameters(Compat.PYPTO))
    assert "(magic " in str(failure.value)


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_published_partition(case: IsoCase) -> None:
    """A graph that meets no row of the table gets the same ids; a failure that a row heals becomes a partition."""
    rows = met_rows(case)
    try:
        result = partition(case.graph, case.parameters(Compat.PUBLISHED))
    except PassFailedException as failure:
        assert "(magic " in str(failure)
        assert case.expected is None or rows
        assert not rows & HEALED_FAILURES
        return
    assert check_partition(case.graph, result.subgraphs, Compat.PUBLISHED, case.mixed_cores) == []
    if not rows:
        shipped = partition(case.graph, case.parameters(Compat.PYPTO))
        assert result == shipped


def test_few_cases_meet_a_row() -> None:
    """The instrumentation is not a way out: nearly all cases that succeed have to agree in both modes."""
    excused = [case.name for case in CASES if case.expected and met_rows(case)]
    assert len(excused) == 6
