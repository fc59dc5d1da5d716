"""Results: rows with kinds, and their printed forms."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from datetime import date

import pyarrow as pa
import pytest

from firesteel import Row, RowKind
from firesteel.errors import UsageError
from firesteel.plan.tree import Field
from firesteel.session.result import OK, ChangesResult, RowsResult, TextResult
from firesteel.types.sql import DATE, INT, STRING


def changes(*rows: tuple[int, str | None, int | None]) -> pa.Table:
    kinds, names, counts = zip(*rows, strict=True)
    columns = [pa.array(kinds, pa.int8()), pa.array(range(len(rows)), pa.int64())]
    columns += [pa.array(names, pa.string()), pa.array(counts, pa.int32())]
    return pa.table(columns, ["$kind", "$order", "f0", "f1"])


def result(*tables: pa.Table) -> ChangesResult:
    schema = [Field("name", STRING), Field("n", INT)]
    return ChangesResult(schema, iter(tables), max_width=6, time_zone="UTC", cancel=lambda: None)


def test_rows_have_kinds_and_names() -> None:
    first, second = result(changes((0, "Tom", 1)), changes((3, "Tom", None))).collect()
    assert first == ("Tom", 1)
    assert first["n"] == first[1] == 1
    assert first.get_row_kind() is RowKind.INSERT
    assert second.kind is RowKind.DELETE
    assert second.as_dict() == {"name": "Tom", "n": None}
    assert repr(second) == "-D[Tom, None]"
    with pytest.raises(KeyError):
        first["nothing"]


def test_a_row_can_be_made_by_hand() -> None:
    assert Row([1, "a"], ["x", "y"])["y"] == "a"


def test_changes_are_printed_as_a_tableau() -> None:
    out: list[str] = []
    result(changes((0, "Tom", 1), (1, "Tom", 1), (2, "a long name", None))).print(out.append)
    assert "".join(out) == (
        "+----+--------+-------------+\n"
        "| op |   name |           n |\n"
        "+----+--------+-------------+\n"
        "| +I |    Tom |           1 |\n"
        "| -U |    Tom |           1 |\n"
        "| +U | a l... |      <NULL> |\n"
        "+----+--------+-------------+\n"
        "3 rows in set\n"
    )


def test_a_result_is_read_once_and_says_so() -> None:
    taken = result(changes((0, "Tom", 1)))
    assert repr(taken) == "<ChangesResult: name STRING, n INT; print(), collect() or to_pandas() reads it>"
    assert "<td>name</td><td>STRING</td>" in taken._repr_html_()
    assert len(list(taken.collect())) == 1
    for read in (taken.collect, taken.texts, taken.print, taken.to_pandas):
        with pytest.raises(UsageError, match="was read already"):
            read()
    assert repr(taken).endswith("; was read>")


def test_pandas_gets_the_rows_that_are_left() -> None:
    first = changes((0, "Tom", 1), (0, "Ann", None), (0, "Tom", 1))
    frame = result(first, changes((3, "Tom", 1), (1, "Ann", None), (2, "Ann", 5))).to_pandas()
    assert frame.to_dict("list") == {"name": ["Tom", "Ann"], "n": [1, 5]}
    empty = result().to_pandas()
    assert list(empty.columns) == ["name", "n"]
    assert str(empty.dtypes["n"]) == "int32"
    endless = ChangesResult(
        [Field("n", INT)], iter(()), max_width=6, time_zone="UTC", cancel=lambda: None, bounded=False
    )
    with pytest.raises(UsageError, match="never ends"):
        endless.to_pandas()


def test_small_tables_and_texts_are_shown_in_notebooks() -> None:
    shown = RowsResult([Field("a<b", STRING)], [["x&y"], [None]])
    assert "<th>a&lt;b</th>" in shown._repr_html_()
    assert "<td>x&amp;y</td>" in shown._repr_html_()
    assert shown.to_pandas()["a<b"].to_list() == ["x&y", None]
    assert repr(OK) == "OK"
    assert OK._repr_html_() == "<pre>OK</pre>"


def test_no_change_is_an_empty_set() -> None:
    out: list[str] = []
    result().print(out.append)
    assert out == ["Empty set\n"]


def test_ok() -> None:
    out: list[str] = []
    OK.print(out.append)
    assert out == ["OK\n"]
    assert [tuple(row) for row in OK.collect()] == [("OK",)]


def test_a_result_prints_to_the_standard_output_of_the_moment() -> None:
    output = io.StringIO()
    with redirect_stdout(output):
        TextResult("OK").print()
    assert output.getvalue() == "OK\n"


def test_dates_that_python_does_not_have_are_texts() -> None:
    days = pa.array([-719528, 0, 10**7], pa.int32()).cast(pa.date32())
    columns = [pa.array([0] * 3, pa.int8()), pa.array(range(3), pa.int64()), days]

    def read() -> ChangesResult:
        table = pa.table(columns, ["$kind", "$order", "f0"])
        return ChangesResult(
            [Field("day", DATE)], iter([table]), max_width=6, time_zone="UTC", cancel=lambda: None
        )

    assert [day for (day,) in read().collect()] == ["0000-01-01", date(1970, 1, 1), "29349-01-26"]
    assert [day.year for day in read().to_pandas()["day"]] == [0, 1970, 29349]
