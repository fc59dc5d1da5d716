"""The page on `firesteel why`: its command, as it stands there, and the state that Spark's files have."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.cli.app import run_app
from firesteel.session.inspection.state_report import open_reports
from tests.guide.shell_session import check_session
from tests.guide.test_examples import GUIDE, blocks
from tests.guide.test_savepoints import run
from tests.spark.savepoint.test_savepoint import files

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.spark
@pytest.mark.slow
def test_the_page(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "why.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    Path("sales").mkdir()
    for name in ("job.sql", "sales/1.json"):
        Path(name).write_text(parts[name])
    run(spark, tmp_path, "checkpoint")
    before = files(tmp_path / "checkpoint")
    (command,) = (name for name in parts if name.startswith("firesteel why "))
    asked = command.replace("DATA=.", f"DATA={tmp_path}").replace("=check", f"={tmp_path}/check")
    words = shlex.split(asked)[1:]
    assert run_app(words) == 0
    assert capsys.readouterr().out == parts[command]
    assert run_app([*words, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["version"] == 1
    assert files(tmp_path / "checkpoint") == before

    (group,) = (each for each in answer["operators"] if each["operator"].startswith("GroupAggregate"))
    (report,) = open_reports(spark.session.newSession(), str(tmp_path / "checkpoint"))
    ((_, columns, rows),) = report.entries("group-aggregate-1", ["Tom"])
    (row,) = rows
    named = zip(columns, row, strict=True)
    assert group["steps"][-1]["after"] == [", ".join(f"{n}={v}" for n, v in named if n[0] != "k")]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_the_session_in_the_shell(tmp_path: Path) -> None:
    parts = blocks((GUIDE / "why.md").read_text(encoding="utf-8"))
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales/1.json").write_text(parts["sales/1.json"])
    check_session(parts, tmp_path)
