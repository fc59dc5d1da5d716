"""The Calc operator: kinds, order, types, errors."""

from __future__ import annotations

from datetime import datetime, timezone

import pyarrow as pa
import pytest

from firesteel.errors import JobError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import Call, InputRef
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.types import sql
from firesteel.types.sql import BIGINT, INT, timestamp_ltz
from firesteel.types.text import render
from tests.types.columns import changes

CHANGES = pa.table(
    {
        "$kind": pa.array([0, 1, 2, 3], pa.int8()),
        "$order": pa.array([10, 11, 11, 12], pa.int64()),
        "f0": pa.array([1, 2, 3, None], pa.int32()),
        "f1": pa.array([5, 6, 7, 8], pa.int64()),
    }
)


def test_kinds_and_order_stay_with_their_rows() -> None:
    result = Calc(CalcSpec(("f1", "f0 + 1"), (BIGINT, INT), "f0 >= 2")).process(CHANGES)
    assert result.column_names == ["$kind", "$order", "f0", "f1"]
    assert result.to_pydict() == {"$kind": [1, 2], "$order": [11, 11], "f0": [6, 7], "f1": [3, 4]}
    assert result.schema.field("f1").type == pa.int32()


def test_plain_columns_are_only_picked() -> None:
    result = Calc(CalcSpec(("f1", "f1"), (BIGINT, BIGINT))).process(CHANGES)
    assert result.column("f0").to_pylist() == result.column("f1").to_pylist() == [5, 6, 7, 8]


def test_an_empty_batch_has_the_output_s_columns() -> None:
    result = Calc(CalcSpec(("f0 + 1",), (INT,))).process(CHANGES.slice(0, 0))
    assert result.num_rows == 0
    assert result.schema.field("f0").type == pa.int32()


def test_batches_do_not_matter() -> None:
    calc = Calc(CalcSpec(("f0 * 2",), (INT,), "f0 IS NOT NULL"))
    parts = [calc.process(CHANGES.slice(i, 1)) for i in range(4)]
    assert pa.concat_tables(parts) == calc.process(CHANGES)


def test_many_rows_keep_their_order() -> None:
    count = 10_000
    rows = pa.table(
        {
            "$kind": pa.array([0] * count, pa.int8()),
            "$order": pa.array(range(count), pa.int64()),
            "f0": pa.array(range(count), pa.int32()),
        }
    )
    result = Calc(CalcSpec(("f0 + 1",), (INT,), "f0 % 3 = 0")).process(rows)
    assert result.column("$order").to_pylist() == list(range(0, count, 3))


def test_instants_keep_their_zone() -> None:
    moment = datetime(2024, 1, 1, tzinfo=timezone.utc)
    rows = CHANGES.append_column("f2", pa.array([moment] * 4, pa.timestamp("us", tz="UTC")))
    result = Calc(CalcSpec(("f2 + to_days(1)",), (timestamp_ltz(3),))).process(rows)
    assert result.column("f0")[0].as_py() == datetime(2024, 1, 2, tzinfo=timezone.utc)


def test_a_failing_row_fails_the_job_in_flink_s_words() -> None:
    with pytest.raises(JobError, match="/ by zero") as failure:
        Calc(CalcSpec(("divisor(1, f0 - 1)",), (INT,))).process(CHANGES)
    assert "DuckDB" not in str(failure.value)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (sql.INT, "-1"),
        (sql.BIGINT, "-1"),
        (sql.DOUBLE, "-1.0"),
        (sql.STRING, ""),
        (sql.BOOLEAN, "FALSE"),
        (sql.DATE, "1969-12-31"),
    ],
)
def test_a_null_that_must_not_be_one_is_what_java_has_there(kind: sql.SqlType, expected: str) -> None:
    never = kind.with_nullable(False)
    spec = compile_calc([Call("CAST", (InputRef(0, kind),), never)], None, [kind])
    result = Calc(spec).process(changes({"x": (kind, [None])}))
    assert render(result.column(2), never) == [expected]


def test_a_decimal_that_must_not_be_null_fails() -> None:
    kind = sql.decimal(10, 2)
    spec = compile_calc([Call("CAST", (InputRef(0, kind),), kind.with_nullable(False))], None, [kind])
    with pytest.raises(JobError, match="is NOT NULL, however"):
        Calc(spec).process(changes({"x": (kind, [None])}))
