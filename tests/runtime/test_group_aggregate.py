"""GroupAggregate against Flink's recorded traces."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from firesteel.runtime.operators.group_aggregate import GroupAggregate
from firesteel.runtime.spec import AggregateSpec, GroupAggregateSpec
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType
from tests.runtime.changes import parse, show, to_rows, to_table

COUNT_STAR = AggregateSpec("COUNT", (), (), BIGINT)


def call(function: str, retract: bool = True, distinct: bool = False, kind: SqlType = INT) -> AggregateSpec:
    """A call over field 1."""
    result = BIGINT if function == "COUNT" else kind
    return AggregateSpec(function, (1,), (kind,), result, retract, distinct)


def spec(
    calls: Sequence[AggregateSpec], update_before: bool = True, kind: SqlType = INT
) -> GroupAggregateSpec:
    """Calls over (k STRING, v), grouped by k, where the input retracts."""
    star = next((i for i, each in enumerate(calls) if each == COUNT_STAR), None)
    return GroupAggregateSpec((0,), tuple(calls), (STRING, kind), True, update_before, star)


def run(what: GroupAggregateSpec, text: str, batch: int = 1000) -> str:
    """The output, the input cut into batches of `batch` rows."""
    rows = parse(text, what.input_types)
    operator = GroupAggregate(what, None, lambda: 0)
    out = []
    for start in range(0, len(rows), batch):
        out += to_rows(operator.process(to_table(rows[start : start + batch], what.input_types, start)))
    return show(out)


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_trace(batch: int) -> None:
    calls = [call("SUM"), COUNT_STAR, call("COUNT"), call("MAX")]
    text = "+I a 1, +I a 2, -D a 2, -D a 1, -D b 1, +I b 5, +I b null"
    assert run(spec(calls), text, batch) == (
        "+I[a,1,1,1,1] -U[a,1,1,1,1] +U[a,3,2,2,2] -U[a,3,2,2,2] +U[a,1,1,1,1] -D[a,1,1,1,1] "
        "+I[b,5,1,1,5] -U[b,5,1,1,5] +U[b,5,2,1,5]"
    )


@pytest.mark.parametrize("update_before", [True, False])
def test_updating_the_only_row_deletes_and_creates_the_group(update_before: bool) -> None:
    out = run(spec([call("SUM")], update_before), "+I a 1, -U a 1, +U a 2, -D a 2")
    assert out == "+I[a,1] -D[a,1] +I[a,2] -D[a,2]"


def test_second_row_in_the_group() -> None:
    text = "+I a 1, +I a 5, -U a 1, +U a 2, -D a 2, -D a 5, +I b 1"
    assert run(spec([call("SUM")], update_before=False), text) == (
        "+I[a,1] +U[a,6] +U[a,5] +U[a,7] +U[a,5] -D[a,5] +I[b,1]"
    )
    assert run(spec([call("SUM")]), text) == (
        "+I[a,1] -U[a,1] +U[a,6] -U[a,6] +U[a,5] -U[a,5] +U[a,7] -U[a,7] +U[a,5] -D[a,5] +I[b,1]"
    )


def test_orphan_retractions() -> None:
    calls = [call("SUM"), COUNT_STAR, call("MAX")]
    text = "-D a 1, -U a 1, +U a 2, -D a 7, -D a 3, +I a 4"
    assert run(spec(calls), text) == "+I[a,2,1,2] -D[a,2,1,2] +I[a,4,1,4]"


def test_equal_results_are_not_sent() -> None:
    assert run(spec([call("SUM")]), "+I a 1, +I a 0") == "+I[a,1]"
    assert run(spec([]), "+I a 1, +I a 0, +I b 1") == "+I[a] +I[b]"


def test_nan_never_equals_itself() -> None:
    out = run(spec([call("SUM", kind=DOUBLE)], kind=DOUBLE), "+I a nan, +I a 1, +I b -0.0, +I b 0.0")
    assert out == "+I[a,NaN] -U[a,NaN] +U[a,NaN] +I[b,-0.0]"
