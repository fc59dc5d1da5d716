"""Table functions of the user's: how they are made, the rows that they give, and their errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.errors import JobError, ValidationError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.python import DataTypes, TableFunction, udf, udtf
from firesteel.functions.python.load import find
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.correlate.correlate import build
from firesteel.runtime.spec.correlate import CorrelateSpec
from firesteel.session.functions import register
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, timestamp_ltz
from tests.runtime.changes import Row, show, to_rows, to_table

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

HERE = "tests.functions.python.test_table_functions"


@udtf(result_types=["STRING", DataTypes.INT()])
def words(text: str | None) -> Iterator[tuple[str, int]]:
    for word in (text or "").split():
        yield word, len(word)


class Repeat(TableFunction):
    """As often as its argument says."""

    result_types = "ROW<nth INT, again BIGINT>"

    def open(self, function_context: object) -> None:
        self.opened = True

    def eval(self, count: int | None) -> list[tuple[int, int]] | None:
        assert self.opened
        return None if count is None else [(i, count) for i in range(count)]


numbers = udtf(lambda n: range(n), result_types="BIGINT", name="numbers")
one_row = udtf(lambda n: (n, "x"), result_types=DataTypes.ROW(
    [DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())]
))  # fmt: skip
narrow = udtf(lambda n: [(n, "x"), n], result_types=["INT", "STRING"])
broken = udtf(lambda n: [1 // n], result_types="INT")
mistyped = udtf(lambda n: [n, str(n)], result_types="INT")
moments = udtf(lambda t: [t, None], result_types="TIMESTAMP_LTZ(3)")


def defined(name: str) -> Any:
    environment = TableEnvironment.create()
    register(environment, "temporary catalog", name, f"{HERE}.{name}")
    return environment.catalog.functions.of_catalog(name)


def rows_of(name: str, kind: SqlType, *rows: Row, pads: bool = False) -> list[Row]:
    function = defined(name)
    types = function.result.children
    spec = CorrelateSpec("USER", CalcSpec(("f1",), (kind,)), types, pads, user=function.function)
    operator = build(spec, None, standing_clock(1))
    out: list[Row] = []
    for message in operator.changes(to_table(rows, (INT, kind))):
        assert isinstance(message, pa.Table)
        out += to_rows(message)
    return out


# --- making them ----------------------------------------------------------------------------------
def test_result_types_are_those_of_pyflink() -> None:
    assert defined("words").result.names == ("f0", "f1")
    assert defined("words").result.children == (STRING, INT)
    assert defined("Repeat").result.names == ("nth", "again")
    assert defined("numbers").result.children == (BIGINT,)
    assert defined("one_row").result.names == ("f0", "f1")  # only a ROW in a text has names
    assert defined("one_row").is_table


def test_a_table_function_can_be_called_by_tests() -> None:
    assert list(words("a bc")) == [("a", 1), ("bc", 2)]
    assert find(f"{HERE}.Repeat").name == "Repeat"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "udtf needs result_types"),
        ({"result_types": []}, "udtf needs result_types"),
    ],
)
def test_result_types_are_needed(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        udtf(lambda n: n, **arguments)


def test_a_class_is_no_object_of_one() -> None:
    with pytest.raises(ValidationError, match="no object of a TableFunction"):
        udtf(Repeat, result_types="INT")


# --- the rows that they give ----------------------------------------------------------------------
def test_each_row_has_the_kind_of_its_argument() -> None:
    rows = [("+I", 1, "a bc"), ("-U", 2, None), ("+U", 3, "d"), ("-D", 4, "")]
    assert show(rows_of("words", STRING, *rows)) == "+I[1,a bc,a,1] +I[1,a bc,bc,2] +U[3,d,d,1]"
    padded = show(rows_of("words", STRING, *rows, pads=True))
    assert padded == "+I[1,a bc,a,1] +I[1,a bc,bc,2] -U[2,null,null,null] +U[3,d,d,1] -D[4,,null,null]"


def test_lists_ranges_and_single_rows() -> None:
    assert show(rows_of("Repeat", INT, ("+I", 1, 2), ("+I", 2, None))) == "+I[1,2,0,2] +I[1,2,1,2]"
    assert show(rows_of("numbers", INT, ("+I", 1, 2))) == "+I[1,2,0] +I[1,2,1]"
    assert show(rows_of("one_row", INT, ("+I", 1, 2))) == "+I[1,2,2,x]"
    assert rows_of("numbers", INT) == []


def test_instants_come_and_go_in_utc() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5)
    found = rows_of("moments", timestamp_ltz(3), ("+I", 1, moment))
    assert [row[3] and row[3].replace(tzinfo=None) for row in found] == [moment, None]


# --- errors ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("narrow", r"Function narrow\(0\) gave 0, which is no row of 2 columns; row \+I\[7, 0\]", "tuple"),
        ("broken", r"Function broken\(0\) failed: ZeroDivisionError.*; row \+I\[7, 0\]", __file__),
        ("mistyped", r"Function mistyped\(0\) gave '0', which is no int32; row \+I\[7, 0\]", None),
    ],
)
def test_errors_name_function_arguments_and_row(name: str, message: str, hint: str | None) -> None:
    with pytest.raises(JobError, match=message) as failed:
        rows_of(name, INT, ("+I", 7, 0))
    assert hint is None or hint in (failed.value.hint or "")


def test_the_row_that_fails_is_named_among_others() -> None:
    with pytest.raises(JobError, match=r"row -U\[8, 0\]"):
        rows_of("broken", INT, ("+I", 7, 1), ("-U", 8, 0), ("+I", 9, 2))


@pytest.fixture
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    made.execute_sql(
        "CREATE TABLE t (id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH "
        "('connector' = 'filesystem', 'path' = 'unread/t.json', 'format' = 'canal-json')"
    )
    made.execute_sql(f"CREATE FUNCTION words AS '{HERE}.words' LANGUAGE PYTHON")
    made.create_temporary_function("Repeat", Repeat())
    made.create_temporary_function("plus", udf(lambda x: x, result_type="STRING"))
    return made


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT words(s) FROM t", "Cannot call table function here: 'words'"),
        ("SELECT * FROM t, LATERAL TABLE(nope(s))", "No match found for function signature nope"),
        ("SELECT * FROM t, LATERAL TABLE(plus(s))", "Function 'plus' cannot be used as a table function"),
        ("SELECT * FROM t, TABLE(words(s))", "Column 's' not found"),
        ("SELECT * FROM t, LATERAL TABLE(words(s)) AS u (a)", "List of column aliases must have same degree"),
        ("SELECT * FROM t RIGHT JOIN LATERAL TABLE(words(s)) AS u ON TRUE", "Unknown join type RIGHT"),
        (
            "SELECT * FROM t LEFT JOIN LATERAL TABLE(words(s)) AS u (w, n) ON n > 1",
            "Currently Python correlate does not support conditions in left join",
        ),
    ],
)  # fmt: skip
def test_flinks_refusals(environment: TableEnvironment, query: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        environment.execute_sql(f"EXPLAIN {query}")


def test_a_view_names_its_function_in_full(environment: TableEnvironment) -> None:
    environment.execute_sql("CREATE VIEW v AS SELECT id, w FROM t, LATERAL TABLE(words(s)) AS u (w, n)")
    (row,) = environment.execute_sql("SHOW CREATE VIEW v").collect()
    assert row[0].endswith(
        "AS SELECT `t`.`id`, `u`.`w`\nFROM `default_catalog`.`default_database`.`t` AS `t`,\n"
        "LATERAL TABLE(`default_catalog`.`default_database`.`words`(`s`)) AS `u` (`w`, `n`)\n"
    )
    environment.execute_sql("EXPLAIN SELECT * FROM v")


# --- on Spark -------------------------------------------------------------------------------------
@pytest.mark.spark
@pytest.mark.parametrize("host", ["batch", "stream"])
def test_the_workers_of_both_hosts_call_it(spark: Spark, tmp_path: Path, host: str) -> None:
    rows = [("INSERT", 1, "a bc a"), ("INSERT", 2, "bc"), ("DELETE", 1, "a bc a"), ("INSERT", 3, None)]
    changes = [{"type": k, "data": [{"id": i, "s": s}], "old": None, "isDdl": False} for k, i, s in rows]
    lines = [json.dumps(change) for change in changes]
    (tmp_path / "t.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = TableEnvironment.create(spark, configuration={"firesteel.host": host, "parallelism.default": "2"})
    made.execute_sql(f"CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', "
                     f"'path' = '{tmp_path}/t.json', 'format' = 'canal-json')")  # fmt: skip
    made.execute_sql(f"CREATE FUNCTION words AS '{HERE}.words' LANGUAGE PYTHON")
    counted = "SELECT w, COUNT(*) FROM t, LATERAL TABLE(words(UPPER(s))) AS u (w, n) GROUP BY w"
    assert [str(row) for row in made.execute_sql(counted).collect()] == [
        "+I[A, 1]", "+I[BC, 1]", "-U[A, 1]", "+U[A, 2]", "-U[BC, 1]", "+U[BC, 2]",
        "-U[A, 2]", "+U[A, 1]", "-U[BC, 2]", "+U[BC, 1]", "-D[A, 1]",
    ]  # fmt: skip
    padded = "SELECT id, w FROM t LEFT JOIN LATERAL TABLE(words(s)) AS u (w, n) ON TRUE WHERE id > 1"
    assert [str(row) for row in made.execute_sql(padded).collect()] == ["+I[2, bc]", "+I[3, None]"]
