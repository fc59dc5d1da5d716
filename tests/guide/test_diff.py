"""The page about the comparison of scripts: its command prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.app import run_app
from tests.guide.test_examples import GUIDE, blocks


def test_the_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "diff.md").read_text(encoding="utf-8"))
    for name in ("orders.json", "old.sql", "new.sql"):
        (tmp_path / name).write_text(parts[name], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = "firesteel diff old.sql new.sql -D DATA=."
    assert run_app(command.split()[1:]) == 1
    assert capsys.readouterr().out == parts[command]
