"""The README's first screen shows what the demo prints, and its Python example runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

ROOT = Path(__file__).parents[2]


def test_the_messages_cause_the_changes_that_stand_beside_them() -> None:
    expected = (ROOT / "examples" / "demo" / "expected.txt").read_text(encoding="utf-8")
    printed = re.findall(r"^\| ([+-][IUD]) +\| +(\w+) \| +(\d+) \| +(\d+) \|$", expected, re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"`([+-][IUD])\[(\w+), (\d+), (\d+)\]`", readme)
    assert shown == printed
    assert len(shown) == 17
    rows = [line for line in readme.splitlines() if re.match(r"\| (INSERT|UPDATE|DELETE) ", line)]
    messages = (ROOT / "examples" / "demo" / "table1.json").read_text(encoding="utf-8").splitlines()
    assert [row.split()[1] for row in rows] == [re.findall(r'"type": "(\w+)"', m)[0] for m in messages]


@pytest.mark.spark
def test_the_python_example_runs(
    spark: Spark, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    started = "TableEnvironment.create()"
    assert example.count(started) == 1
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {"spark": spark}
    exec(example.replace(started, "TableEnvironment.create(spark)"), names)
    assert "| -D |                           John |          15 |" in capsys.readouterr().out
    assert names["totals"].to_pandas().to_numpy().tolist() == [["Tom", 19]]
    assert names["changes"].isStreaming
    assert names["changes"].columns == ["_change_type", "name", "total"]
