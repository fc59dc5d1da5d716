"""The recorder of Flink's answers, without Flink: how it cuts scripts and reads printed tables."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cases.record_with_flink import reason, statements, table

PRINTED = """\
+----+--------------------------------+-------------+
| op |                           name |       total |
+----+--------------------------------+-------------+
| +I |                          a | b |           1 |
| -U |                            日本 |           2 |
| +U |                                |      <NULL> |
+----+--------------------------------+-------------+
3 rows in set
"""


def test_a_printed_table_is_read_back() -> None:
    assert table(PRINTED) == {
        "columns": ["name", "total"],
        "rows": [["+I", "a | b", "1"], ["-U", "日本", "2"], ["+U", "", "<NULL>"]],
    }


def test_the_queries_of_a_recorded_case_are_those_of_its_script() -> None:
    case = Path(__file__).parent / "recorded" / "ranks"
    asked = [entry["sql"] for entry in json.loads((case / "flink.json").read_text(encoding="utf-8"))]
    script = statements((case / "case.sql").read_text(encoding="utf-8"))
    assert [sql for sql in script if sql.startswith("SELECT")] == asked


def test_an_error_is_recorded_by_its_innermost_cause() -> None:
    outer = "An error occurred\n: org.apache.flink.table.api.ValidationException: outer"
    error = Exception(f"{outer}\nCaused by: a.b.C: inner\n\tat")
    assert reason(error) == "inner"
