"""The pages about tests and verification: their commands print what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.app import run_app
from tests.guide.test_examples import GUIDE, blocks


def test_the_file_of_tests_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "testing.md").read_text(encoding="utf-8"))
    for name in ("totals.sql", "totals.firesteel.yaml"):
        (tmp_path / name).write_text(parts[name], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run_app(["test", "totals.firesteel.yaml"]) == 1
    assert capsys.readouterr().out == parts["firesteel test totals.firesteel.yaml"]


@pytest.mark.parametrize("command", ["firesteel verify paid.sql", "firesteel verify --sink paid.sql"])
def test_verification_prints_what_the_page_shows(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "verify.md").read_text(encoding="utf-8"))
    (tmp_path / "paid").mkdir()
    for name in ("orders.json", "paid.sql", "paid/part-0.json"):
        (tmp_path / name).write_text(parts[name], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    expected = f"{command} -D DATA=."
    assert run_app([*command.split()[1:], "-D", "DATA=."]) == int("--sink" in command)
    assert capsys.readouterr().out == parts[expected]
