"""OVER ordered by a plain column: each change as by Flink's functions, however the input is cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.operators.over import sorted_over
from firesteel.runtime.operators.over.sorted_over import SortedOver
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.spec.over import SortedOverSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore, memory_backend
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType
from tests.reference.sorted_over import ReferenceSortedOver
from tests.runtime.changes import to_table
from tests.runtime.messages import Driver, all_rows
from tests.scale import examples

ROWS, RANGE = True, False


def spec(rows: bool, kind: SqlType = INT) -> SortedOverSpec:
    """COUNT(*) and SUM(id) over (k STRING, v, id INT), by v."""
    types = (STRING, kind, INT)
    calls = (AggregateSpec("COUNT", (), (), BIGINT), AggregateSpec("SUM", (2,), (INT,), INT))
    aggregate = GroupAggregateSpec((3,), calls, (*types, BIGINT), False, False, every_row=True, state_id="r")
    return SortedOverSpec(aggregate, (0,), 3, (), rows, 1)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["+I", "+I", "+U", "-U", "-D"]),
        st.sampled_from("ab"),
        st.one_of(st.none(), st.integers(0, 4)),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize("rows", [ROWS, RANGE], ids=["rows", "range"])
@settings(max_examples=examples(400), deadline=None)
@given(changes=CHANGES, cuts=st.lists(st.integers(0, 30), max_size=4), most=st.sampled_from([1, 8, 1 << 20]))
def test_each_change_is_flinks(
    rows: bool, changes: list[tuple[Any, ...]], cuts: list[int], most: int
) -> None:
    reference = ReferenceSortedOver(rows)
    wanted = [
        (kind, *row, *results)
        for change in changes
        for kind, row, results in reference.change(change[0], change[1:])
    ]
    store, got, start = MemoryStore(), [], 0
    before, sorted_over.MOST_ROWS = sorted_over.MOST_ROWS, most
    try:
        for end in [*sorted(cuts), len(changes)]:
            piece, first, start = changes[start:end], start, max(start, end)
            state = SortedRunBackend.open(store)
            operator = SortedOver(spec(rows), state)
            got += all_rows(operator.changes(to_table(piece, (STRING, INT, INT), first)))
            list(operator.barrier())
            state.commit()
    finally:
        sorted_over.MOST_ROWS = before
    assert got == wanted


def test_a_row_between_others_changes_those_behind_it() -> None:
    """As Flink 2.3 was seen to send it."""
    driver = Driver(SortedOver(spec(RANGE), memory_backend()), (STRING, INT, INT))
    assert driver.changes("+I a 1 1, +I a 5 5") == "+I[a,1,1,1,1] +I[a,5,5,2,6]"
    assert driver.changes("+I a 3 3") == "+I[a,3,3,2,4] -U[a,5,5,2,6] +U[a,5,5,3,9]"


def test_rows_with_equal_values_see_each_other_by_range_only() -> None:
    by_range = Driver(SortedOver(spec(RANGE), memory_backend()), (STRING, INT, INT))
    assert by_range.changes("+I a 1 1, +I a 1 2") == "+I[a,1,1,1,1] -U[a,1,1,1,1] +U[a,1,1,2,3] +I[a,1,2,2,3]"
    by_rows = Driver(SortedOver(spec(ROWS), memory_backend()), (STRING, INT, INT))
    assert by_rows.changes("+I a 1 1, +I a 1 2") == "+I[a,1,1,1,1] +I[a,1,2,2,3]"


def test_an_update_takes_the_old_row_away() -> None:
    driver = Driver(SortedOver(spec(ROWS), memory_backend()), (STRING, INT, INT))
    driver.changes("+I a 1 1, +I a 2 2")
    assert driver.changes("-U a 1 1, +U b 1 1") == "-D[a,1,1,1,1] -U[a,2,2,2,3] +U[a,2,2,1,2] +U[b,1,1,1,1]"


def test_zeros_are_equal() -> None:
    driver = Driver(SortedOver(spec(RANGE, DOUBLE), memory_backend()), (STRING, DOUBLE, INT))
    assert driver.changes("+I a 0.0 1, +I a -0.0 2") == (
        "+I[a,0.0,1,1,1] -U[a,0.0,1,1,1] +U[a,0.0,1,2,3] +I[a,-0.0,2,2,3]"
    )


def test_rows_behind_all_others_make_no_versions() -> None:
    """Their cost does not grow with the partition: no row's results are computed twice."""
    operator = SortedOver(spec(ROWS), memory_backend())
    table = to_table([("+I", "a", number, number) for number in range(1000)], (STRING, INT, INT))
    assert operator._batch(table).versions.size == 1000
