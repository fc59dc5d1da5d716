"""The tableau against what Flink 2.3 printed for the same rows."""

from __future__ import annotations

import pytest

from firesteel.session.tableau import (
    display_width,
    fit,
    print_tableau,
    width_of_type,
    widths_by_content,
    widths_by_type,
)
from firesteel.types import sql as t


def _printed(names: list[str], rows: list[list[str]], widths: list[int]) -> str:
    out: list[str] = []
    print_tableau(names, rows, widths, out.append)
    return "".join(out)


def test_a_result_with_wide_and_long_text_is_drawn_as_flink_draws_it() -> None:
    names, types = ["a", "b", "c", "d"], [t.STRING, t.STRING, t.varchar(3), t.INT]
    rows = [
        ["+I", "李", "é", "x", "<NULL>"],
        ["+I", "李" * 20, "a234567890123456789012345678901234567890", "abc", "2"],
    ]
    assert _printed(["op", *names], rows, [2, *widths_by_type(names, types, 30)]) == (
        "+----+--------------------------------+--------------------------------+"
        "--------------------------------+-------------+\n"
        "| op |                              a |                              b |"
        "                              c |           d |\n"
        "+----+--------------------------------+--------------------------------+"
        "--------------------------------+-------------+\n"
        "| +I |                             李 |                              é |"
        "                              x |      <NULL> |\n"
        "| +I |  李李李李李李李李李李李李李... | a23456789012345678901234567... |"
        "                            abc |           2 |\n"
        "+----+--------------------------------+--------------------------------+"
        "--------------------------------+-------------+\n"
        "2 rows in set\n"
    )


@pytest.mark.parametrize(
    ("kind", "width"),
    [
        (t.TINYINT, 6),
        (t.SMALLINT, 6),
        (t.INT, 11),
        (t.BIGINT, 20),
        (t.decimal(5, 2), 7),
        (t.decimal(38, 10), 40),
        (t.BOOLEAN, 6),
        (t.DATE, 10),
        (t.time(0), 8),
        (t.timestamp(0), 19),
        (t.timestamp(6), 26),
        (t.timestamp(9), 29),
        (t.timestamp_ltz(3), 23),
        (t.char(3), 30),
        (t.DOUBLE, 30),
        (t.array(t.INT), 30),
    ],
)
def test_widths_follow_the_type(kind: t.SqlType, width: int) -> None:
    assert width_of_type(kind, 30) == width


def test_a_long_column_name_widens_its_column() -> None:
    assert widths_by_type(["a_very_long_name"], [t.INT], 30) == [16]


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("é", 1), ("李", 2), ("😀", 3), ("ａ", 2), ("ｱ", 1), ("…", 1)]
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_a_cell_is_cut_between_wide_characters() -> None:
    assert fit("李李李李", 6) == " 李..."


def test_content_decides_the_width_of_a_whole_result() -> None:
    assert widths_by_content(["name", "x"], [["a", "long"], ["李李李", ""]]) == [6, 4]


def test_one_row_and_no_row() -> None:
    assert _printed(["table name"], [["t"]], [10]) == (
        "+------------+\n| table name |\n+------------+\n|          t |\n+------------+\n1 row in set\n"
    )
    assert _printed(["table name"], [], [10]) == "Empty set\n"


def test_rows_are_written_as_they_come() -> None:
    out: list[str] = []

    def rows():  # type: ignore[no-untyped-def]
        yield ["1"]
        assert "| 1 |" in "".join(out)
        yield ["2"]

    assert print_tableau(["n"], rows(), [1], out.append) == 2


def test_a_query_that_is_stopped_closes_its_table() -> None:
    out: list[str] = []

    def rows():  # type: ignore[no-untyped-def]
        yield ["1"]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        print_tableau(["n"], rows(), [1], out.append)
    assert "".join(out).endswith("| 1 |\n+---+\nQuery terminated, received a total of 1 row\n")
