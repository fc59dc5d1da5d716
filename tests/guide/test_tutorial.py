"""The tutorial: what its scripts print, and the job that goes on where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.run import Runner
from firesteel.sql.variables import substitute
from tests.guide.test_examples import GUIDE, blocks

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

PARTS = blocks((GUIDE / "tutorial.md").read_text(encoding="utf-8"))
SEARCHES = ",\n      'source.monitor-interval' = '1 s'"
"""Without it, the job ends with its files, and the test does not have to stop it."""


@pytest.mark.spark
@pytest.mark.parametrize(
    ("command", "show"),
    [
        ("firesteel run totals.sql -D DATA=.", None),
        ("firesteel run totals.sql -D DATA=. --show table", "table"),
        ("firesteel run cities.sql -D DATA=.", None),
    ],
)
def test_what_a_script_prints(
    command: str, show: str | None, spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("orders.json", "customers.json"):
        (tmp_path / name).write_text(PARTS[name])
    text = substitute(PARTS[command.split()[2]], {"DATA": str(tmp_path)})
    assert Runner(TableEnvironment.create(spark), show=show).run(text) == 0
    assert capsys.readouterr().out == PARTS[command]


@pytest.mark.spark
@pytest.mark.slow
def test_the_job_that_goes_on(spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert SEARCHES in PARTS["job.sql"]
    messages = PARTS["orders.json"].splitlines(keepends=True)
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "1.json").write_text("".join(messages[:3]))
    (tmp_path / "live" / "2.json").write_text("".join(messages[3:]))
    text = substitute(PARTS["job.sql"].replace(SEARCHES, ""), {"DATA": str(tmp_path)})
    text = f"SET 'execution.checkpointing.dir' = '{tmp_path / 'progress'}';\n{text}"
    assert Runner(TableEnvironment.create(spark)).run(text) == 0
    assert capsys.readouterr().out == PARTS["live/1.json"] + PARTS["live/2.json"]
