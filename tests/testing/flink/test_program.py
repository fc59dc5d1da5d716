"""The program that Flink's Python runs: what it does without a Flink."""

from __future__ import annotations

from firesteel.testing.flink.program import reason, split_rows


def test_rows_are_split_at_the_separator() -> None:
    assert split_rows(["+I", "-D"], ["1, a", "2, "], 2, 2) == [["+I", "1", "a"], ["-D", "2", ""]]
    assert split_rows([], [], 0, 3) == []


def test_one_column_may_hold_the_separator() -> None:
    assert split_rows(["+I"], ["[1, 2]"], 1, 1) == [["+I", "[1, 2]"]]


def test_a_cell_with_a_separator_or_a_line_end_is_not_split() -> None:
    assert split_rows(["+I"], ["1, x, y"], 1, 2) is None
    assert split_rows(["+I"], ["1, x", "y"], 1, 2) is None
    assert split_rows(["+I", "+I"], ["1, x"], 1, 2) is None


def test_the_reason_is_the_innermost_cause() -> None:
    text = (
        "An error occurred while calling o8.executeSql.\n"
        ": org.apache.flink.table.api.ValidationException: SQL validation failed.\n"
        "\tat org.apache.flink.Some.method(Some.java:1)\n"
        "Caused by: org.apache.calcite.sql.validate.SqlValidatorException: Object 't' not found\n"
        "\t... 5 more\n"
    )
    assert reason(RuntimeError(text)) == "Object 't' not found"
    assert reason(RuntimeError("lost\nmore")) == "lost"
