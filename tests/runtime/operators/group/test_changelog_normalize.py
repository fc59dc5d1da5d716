"""ChangelogNormalize and DropUpdateBefore against Flink's recorded traces, and a row at a time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.operators.calc.drop_update_before import DropUpdateBefore
from firesteel.runtime.operators.group.changelog_normalize import ChangelogNormalize
from firesteel.runtime.spec.operators import ChangelogNormalizeSpec
from firesteel.types.sql import DOUBLE, FLOAT, INT, STRING, SqlType, array, row
from tests.reference.changelog_normalize import normalize
from tests.runtime.changes import Row, parse, show, to_rows, to_table
from tests.scale import examples

TYPES = (STRING, INT)
TRACE = "+I a 1, +U a 1, +U a 2, +I b 5, -D a null, -D z null, +U c 7, -U b 9, +I b 1"
MORE_THAN_ONE = CalcSpec((), (), condition="java_gt(f1, 1)")


def run(spec: ChangelogNormalizeSpec, rows: list[Row], batch: int, now: tuple[int, ...] = (0,)) -> list[Row]:
    times = iter(now)
    operator = ChangelogNormalize(spec, None, lambda: next(times, now[-1]))
    out: list[Row] = []
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        out += to_rows(operator.process(to_table(part, spec.input_types, start)))
    return out


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_trace(batch: int) -> None:
    spec = ChangelogNormalizeSpec((0,), TYPES, emit_update_before=True)
    assert show(run(spec, parse(TRACE, TYPES), batch)) == (
        "+I[a,1] -U[a,1] +U[a,2] +I[b,5] -D[a,2] +I[c,7] -D[b,5] +I[b,1]"
    )


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_condition(batch: int) -> None:
    spec = ChangelogNormalizeSpec((0,), TYPES, emit_update_before=True, condition=MORE_THAN_ONE)
    assert show(run(spec, parse(TRACE, TYPES), batch)) == "+I[a,2] +I[b,5] -D[a,2] +I[c,7] -D[b,5]"


def test_without_update_before() -> None:
    spec = ChangelogNormalizeSpec((0,), TYPES, emit_update_before=False)
    assert show(run(spec, parse("+I a 1, +U a 2, +U a 2, -D a 2", TYPES), 10)) == "+I[a,1] +U[a,2] -D[a,2]"


def test_time_to_live() -> None:
    spec = ChangelogNormalizeSpec((0,), TYPES, emit_update_before=True, ttl=100)
    rows = parse("+I a 1, +U a 1, +U a 2, -D a 2", TYPES)
    assert show(run(spec, rows, 1, (0, 99, 199, 298))) == "+I[a,1] -U[a,1] +U[a,1] +I[a,2] -D[a,2]"


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
def test_rows_are_compared_by_their_bytes(kind: SqlType, batch: int) -> None:
    """Flink's answer: 0.0 is not -0.0, NaN is NaN."""
    spec = ChangelogNormalizeSpec((0,), (STRING, kind), emit_update_before=True)
    rows = parse("+I a 0.0, +U a -0.0, +U a -0.0, +U a nan, +U a nan, +U a null, +U a null", spec.input_types)
    assert show(run(spec, rows, batch)) == (
        "+I[a,0.0] -U[a,0.0] +U[a,-0.0] -U[a,-0.0] +U[a,NaN] -U[a,NaN] +U[a,null]"
    )


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_so_are_values_within_rows_and_lists(batch: int) -> None:
    spec = ChangelogNormalizeSpec((0,), (STRING, row(("x",), (array(DOUBLE),))), emit_update_before=True)
    nan = float("nan")
    given: list[Row] = [("+U", "a", {"x": [each]}) for each in (0.0, 0.0, -0.0, -0.0, nan, nan, None, None)]
    found = [(kind, repr(value["x"])) for kind, _, value in run(spec, given, batch)]
    assert found == [
        *(("+I", "[0.0]"), ("-U", "[0.0]"), ("+U", "[-0.0]"), ("-U", "[-0.0]")),
        *(("+U", "[nan]"), ("-U", "[nan]"), ("+U", "[None]")),
    ]


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["+I", "-U", "+U", "-D"]),
        st.sampled_from(["a", "b", None]),
        st.sampled_from([0.0, -0.0, 1.0, 2.0, float("nan"), None]),
    ),
    max_size=30,
)


@given(ROWS, st.integers(1, 8), st.booleans(), st.booleans())
@settings(max_examples=examples(100), deadline=None)
def test_as_a_row_at_a_time(rows: list[Row], batch: int, update_before: bool, filtered: bool) -> None:
    condition = MORE_THAN_ONE if filtered else None
    spec = ChangelogNormalizeSpec((0,), (STRING, DOUBLE), update_before, condition)
    expected = normalize(
        rows,
        key=lambda row: row[0],
        update_before=update_before,
        condition=(lambda row: row[1] is not None and row[1] > 1) if filtered else None,
    )
    assert show(run(spec, rows, batch)) == show(expected)


def test_drop_update_before() -> None:
    operator = DropUpdateBefore()
    rows = parse("+I a 1, -U a 1, +U a 2, -D a 2", TYPES)
    assert show(to_rows(operator.process(to_table(rows, TYPES)))) == "+I[a,1] +U[a,2] -D[a,2]"
