"""The page about the comparison with Flink: its command prints what the page shows.

`recorded/diff-flink.json` has Flink's answers. If it does not exist, the test with a real Flink writes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from firesteel.cli.app import run_app
from firesteel.testing.flink.flink import FlinkRun
from firesteel.testing.flink.requests import Request
from tests.guide.test_examples import GUIDE, blocks
from tests.testing.flink.fake_flink import fake_python

RECORDED = Path(__file__).parent / "recorded" / "diff-flink.json"
PYTHON = os.environ.get("FIRESTEEL_FLINK_PYTHON", "")
PARTS = blocks((GUIDE / "diff-flink.md").read_text(encoding="utf-8"))
SHOWN = PARTS["firesteel diff-flink job.sql -D DATA=."]


def write_example(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("orders.json", "job.sql"):
        (folder / name).write_text(PARTS[name], encoding="utf-8")
    monkeypatch.chdir(folder)


def test_the_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_example(tmp_path, monkeypatch)
    python = fake_python(tmp_path, json.loads(RECORDED.read_text(encoding="utf-8")))
    assert run_app(["diff-flink", "job.sql", "-D", "DATA=.", "--flink-python", python]) == 1
    assert capsys.readouterr().out == SHOWN


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="FIRESTEEL_FLINK_PYTHON names no Python with apache-flink")
def test_the_real_flink_gives_the_recorded_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_example(tmp_path, monkeypatch)
    given: list[dict[str, Any]] = []
    ask = FlinkRun._answers

    def answers(run: FlinkRun, wanted: Sequence[Request]) -> list[dict[str, Any]]:
        given.extend(ask(run, wanted))
        return given

    monkeypatch.setattr(FlinkRun, "_answers", answers)
    status = run_app(["diff-flink", "job.sql", "-D", "DATA=.", "--flink-python", PYTHON])
    if not RECORDED.exists():
        RECORDED.write_text(json.dumps(given, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert given == json.loads(RECORDED.read_text(encoding="utf-8"))
    assert (status, capsys.readouterr().out) == (1, SHOWN)
