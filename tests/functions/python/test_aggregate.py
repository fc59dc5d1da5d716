"""Aggregate functions of the user's in the row handler, in this process and in keyed state."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, array
from firesteel.types.user_function import UserFunction
from tests.runtime.changes import parse, show, to_rows, to_table

COUNT_STAR = AggregateSpec("COUNT", (), (), BIGINT)


def user(name: str, types: tuple[SqlType, ...], result: SqlType, **more: object) -> AggregateSpec:
    """A call over fields 1, 2, ..."""
    function = UserFunction(name, f"tests.functions.python.sample:{name}")
    args = tuple(range(1, len(types) + 1))
    return AggregateSpec(name, args, types, result, user=function, **more)  # type: ignore[arg-type]


def run(call: AggregateSpec, text: str, batch: int = 100, stored: bool = False, retracts: bool = True) -> str:
    """Grouped by field 0, with a COUNT(*) beside it."""
    types = (STRING, *call.arg_types)
    spec = GroupAggregateSpec((0,), (call, COUNT_STAR), types, retracts, True, 1 if retracts else None)
    operator = GroupAggregate(spec, memory_backend() if stored else None, lambda: 0)
    rows, out = parse(text, types), []
    for start in range(0, len(rows), batch):
        out += to_rows(operator.process(to_table(rows[start : start + batch], types, start)))
    return show(out)


WEIGHTED = user("weighted_average", (INT, INT), BIGINT)
ROWS = (
    "+I a 1 1, +I a 3 1, +I b null 1, +I a 8 2, -D a 3 1, -U a 8 2, +U a 4 4, -D b null 1, -D a 1 1, -D a 4 4"
)


@pytest.mark.parametrize("stored", [False, True], ids=["heap", "stored"])
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_rows_come_and_go(batch: int, stored: bool) -> None:
    assert run(WEIGHTED, ROWS, batch, stored) == (
        "+I[a,1,1] -U[a,1,1] +U[a,2,2] +I[b,null,1] -U[a,2,2] +U[a,5,3] -U[a,5,3] +U[a,5,2] "
        "-U[a,5,2] +U[a,1,1] -U[a,1,1] +U[a,3,2] -D[b,null,1] -U[a,3,2] +U[a,4,1] -D[a,4,1]"
    )


def test_distinct_and_filter_are_the_handlers() -> None:
    once = user("weighted_average", (INT,), BIGINT, distinct=True)
    assert run(once, "+I a 2, +I a 4, +I a 4, -D a 4, -D a 4") == (
        "+I[a,2,1] -U[a,2,1] +U[a,3,2] -U[a,3,2] +U[a,3,3] -U[a,3,3] +U[a,3,2] -U[a,3,2] +U[a,2,1]"
    )


@pytest.mark.parametrize("stored", [False, True], ids=["heap", "stored"])
def test_a_result_that_is_the_accumulator_itself_is_seen_to_change(stored: bool) -> None:
    calls = user("seen", (INT,), array(INT))
    assert run(calls, "+I a 1, +I a null, -D a 1", 1, stored) == (
        "+I[a,[1],1] -U[a,[1],1] +U[a,[1, None],2] -U[a,[1, None],2] +U[a,[None],1]"
    )


def test_what_fails_is_named_with_its_arguments_and_row() -> None:
    longest = user("Longest", (STRING,), STRING)
    with pytest.raises(JobError) as found:
        run(longest, "+I a x, +I b yy, +I a boom, +I a z", retracts=False)
    assert found.value.message == (
        "Function Longest.accumulate('boom') failed: ValueError: no booms; row +I[a, boom]"
    )
    assert found.value.hint is not None
    assert "in accumulate" in found.value.hint


def test_a_wrong_type_is_named() -> None:
    with pytest.raises(JobError, match=r"Longest.get_value.* gave 'x', which is no BIGINT; row \+I\[a, x\]"):
        run(user("Longest", (STRING,), BIGINT), "+I a x", retracts=False)
