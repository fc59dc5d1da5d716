"""The runner of recorded cases in all settings: what it counts as a difference, and its parts."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cases.agree import AGREE, DIFFER, REFUSED, Part, Setting, run, settings
from tests.cases.script import Query

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

ANSWERS = [
    ("SELECT a FROM (VALUES (1)) AS t (a)", [["+I", "1"]]),
    ("SELECT a FROM (VALUES (2)) AS t (a)", [["+I", "1"]]),
    ("SELECT * FROM t MATCH_RECOGNIZE (PATTERN (x) DEFINE x AS a = 1) AS m", [["+I", "1"]]),
    ("SELECT b FROM (VALUES (1)) AS t (a)", None),
]


@pytest.fixture
def case(tmp_path: Path) -> Path:
    heads = ["-- keys: 0, compare: final\n" if rows is not None else "" for _, rows in ANSWERS]
    script = "".join(f"{head}{sql};\n" for head, (sql, _) in zip(heads, ANSWERS, strict=True))
    explain = "EXPLAIN SELECT a FROM (VALUES (1)) AS t (a)"
    (tmp_path / "case.sql").write_text(f"{explain};\n{script}")
    answers = [
        {"sql": sql, "error": "refused"} if rows is None else {"sql": sql, "columns": [], "rows": rows}
        for sql, rows in ANSWERS
    ]
    (tmp_path / "flink.json").write_text(json.dumps([{"sql": explain, "plan": ""}, *answers]))
    return tmp_path


@pytest.mark.spark
def test_each_select_agrees_differs_or_is_refused(
    case: Path, spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(spark, Setting(), [case], Part()) == Counter({AGREE: 2, DIFFER: 1, REFUSED: 1})
    assert "rows missing [('1',)], too many [('2',)]" in capsys.readouterr().out


def test_parts_are_the_whole() -> None:
    queries = [Query(number, "") for number in range(1, 50)]
    for query in queries:
        assert sum(Part(5, offset).has(Path("join-0001"), query) for offset in range(5)) == 1


def test_the_batch_host_has_one_setting_for_all_sizes_of_micro_batches() -> None:
    options = argparse.Namespace(hosts="batch,stream", parallelism="1,4", rows="all,7", mini_batch="off,on")
    found = settings(options)
    assert Counter(setting.host for setting in found) == {"batch": 4, "stream": 8}
    assert {setting.rows for setting in found if setting.host == "stream"} == {None, 7}
