"""Scalar functions of the user's, called by the Calc that a query would have."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.bind.names import BindContext, Relation, Scope
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.errors import JobError
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.python import udf
from firesteel.plan.tree import Field
from firesteel.process_cache import close_all
from firesteel.runtime.dataflow.chain import Chain
from firesteel.sql.parser import parse_query
from firesteel.types import sql
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import INT, STRING, SqlType
from tests.functions.python import sample

Columns = dict[str, tuple[SqlType, Sequence[Any]]]
PANDAS = ("share", "tagged")
NAMES = (
    "one_only",
    "CannotOpen",
    "plus_one",
    "coalesced",
    "shout",
    "wrong",
    "half",
    "pair",
    "shape",
    "forty_two",
    "Times",
)


@pytest.fixture
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    for name in (*NAMES, *PANDAS):
        made.execute_sql(
            f"CREATE TEMPORARY FUNCTION {name} AS 'tests.functions.python.sample.{name}' LANGUAGE PYTHON"
        )
    return made


def run(environment: TableEnvironment, expression: str, columns: Columns) -> list[Any]:
    """The expression's values, one a row."""
    fields = tuple(Field(name, kind) for name, (kind, _) in columns.items())
    text = f"SELECT {expression} FROM t"
    context = BindContext(environment.catalog, sql=text)
    bound = ScalarBinder(Scope((Relation(("t",), fields),)), context).bind(parse_query(text).query.items[0])
    spec = compile_calc([bound], None, [kind for kind, _ in columns.values()])
    arrays = [pa.array(values, to_arrow(kind)) for kind, values in columns.values()]
    count = len(arrays[0])
    head = [pa.array([0] * count, pa.int8()), pa.array(range(count), pa.int64())]
    table = pa.table([*head, *arrays], names=["$kind", "$order", *(f"f{i}" for i in range(len(arrays)))])
    chain = Chain.of([spec], None, lambda: 0)
    (out,) = [*chain.changes(table), *chain.barrier()]
    assert isinstance(out, pa.Table)
    values: list[Any] = out.column(2).to_pylist()
    return values


X: Columns = {"x": (INT, [1, None, 3]), "s": (STRING, ["a", None, "ü"])}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("plus_one(x)", [2, None, 4]),
        ("PLUS_ONE(x + 1) * 2", [6, None, 10]),
        ("coalesced(x)", [1, -1, 3]),
        ("plus_one(coalesced(x))", [2, 0, 4]),
        ("shout(s)", ["A!", None, "Ü!"]),
        ("forty_two()", [42, 42, 42]),
        ("Times(coalesced(x))", [10, -10, 30]),
        ("half(CAST(x AS DECIMAL(5, 1)))", [Decimal("0.50"), None, Decimal("1.50")]),
        ("pair(coalesced(x)).b[2]", ["1", "-1", "3"]),
        ("CASE WHEN x = 1 THEN plus_one(x) ELSE 0 END", [2, 0, 0]),
        ("shape(x, s, s || 'z')", ["int:1 str:a str:az", "NoneType:None NoneType:None NoneType:None",
                                   "int:3 str:ü str:üz"]),
    ],
)  # fmt: skip
def test_values(environment: TableEnvironment, expression: str, expected: list[Any]) -> None:
    assert run(environment, expression, X) == expected


@pytest.mark.parametrize(
    ("expression", "expected"), [("share(x)", [0.25, None, 1.0]), ("tagged(s)", ["a#", None, "ü#"])]
)
def test_series(environment: TableEnvironment, expression: str, expected: list[Any]) -> None:
    pytest.importorskip("pandas")
    columns: Columns = {"x": (INT, [1, None, 4]), "s": (STRING, ["a", None, "ü"])}
    assert run(environment, expression, columns) == expected


def test_a_column_of_another_length_or_type_is_an_error(environment: TableEnvironment) -> None:
    with pytest.raises(JobError, match="Function one_only gave 1 values for 3 rows"):
        run(environment, "one_only(x)", X)
    environment.create_temporary_function("texts", udf(lambda x: x, result_type="INT", func_type="arrow"))
    with pytest.raises(JobError, match="Function texts gave string, which is no int32"):
        run(environment, "texts(s)", {"s": (STRING, ["a", "b"])})


def test_values_come_as_pythons_own(environment: TableEnvironment) -> None:
    columns: Columns = {
        "d": (sql.DATE, [date(2020, 1, 2)]),
        "t": (sql.timestamp(3), [datetime(2020, 1, 2, 3, 4, 5)]),
        "m": (sql.decimal(5, 2), [Decimal("1.50")]),
        "a": (sql.array(INT), [[1, None]]),
        "p": (sql.map_of(STRING, INT), [[("k", 1)]]),
        "r": (SqlType(sql.TypeRoot.ROW, children=(INT, STRING), names=("i", "j")), [{"i": 1, "j": "x"}]),
    }
    assert run(environment, "shape(d, t, m, a, p, r)", columns) == [
        "date:2020-01-02 datetime:2020-01-02 03:04:05 Decimal:1.50 list:[1, None] dict:{'k': 1} "
        "Row:Row(i=1, j='x')"
    ]


def test_what_fails_is_named_with_its_arguments_and_row(environment: TableEnvironment) -> None:
    with pytest.raises(JobError) as found:
        run(environment, "plus_one(s)", {"x": (INT, [1, 2]), "s": (STRING, [None, "b"])})
    assert found.value.message == (
        "Function plus_one('b') failed: TypeError: can only concatenate str (not \"int\") to str; "
        "row +I[2, b]"
    )
    assert found.value.hint is not None
    assert "sample.py" in found.value.hint
    assert "in plus_one" in found.value.hint


def test_a_wrong_type_is_named(environment: TableEnvironment) -> None:
    with pytest.raises(JobError, match=r"Function wrong\(7\) gave 'seven', which is no int32; row \+I\[7\]"):
        run(environment, "wrong(x)", {"x": (INT, [6, 7, 8])})


def test_a_function_is_opened_once_before_its_first_rows_and_closed_once_at_the_end(
    environment: TableEnvironment,
) -> None:
    close_all()
    sample.Times.opened = sample.Times.closed = 0
    for _ in range(3):
        assert run(environment, "Times(x) + Times(x)", {"x": (INT, [1, 2])}) == [20, 40]
        assert (sample.Times.opened, sample.Times.closed) == (1, 0)
    close_all()
    close_all()
    assert (sample.Times.opened, sample.Times.closed) == (1, 1)


def test_a_function_that_cannot_be_opened_is_named(environment: TableEnvironment) -> None:
    with pytest.raises(JobError, match=r"Function CannotOpen.open failed: OSError: no licence") as found:
        run(environment, "CannotOpen(x)", X)
    assert "in open" in str(found.value.hint)


def test_another_function_under_the_same_name_takes_its_place(environment: TableEnvironment) -> None:
    environment.create_temporary_system_function("plus_one", "tests.functions.python.sample.coalesced")
    assert run(environment, "plus_one(x)", X) == [1, -1, 3]
    environment.drop_temporary_system_function("plus_one")
    assert run(environment, "plus_one(x)", X) == [2, None, 4]
