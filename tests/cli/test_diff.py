"""`firesteel diff`: its exit statuses and its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.main import main
from tests.testing.verify.planted import TOTALS, write_job


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["firesteel", "diff", *arguments, "-D", f"DATA={folder}"])
    return main()


def test_the_exit_status_says_if_the_scripts_differ(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = str(write_job(tmp_path, TOTALS))
    new = tmp_path / "new.sql"
    new.write_text(Path(old).read_text(encoding="utf-8").replace("SUM(cnt)", "MAX(cnt)"), encoding="utf-8")
    assert run(monkeypatch, tmp_path, old, old) == 0
    assert capsys.readouterr().out == "totals: the same plan, the same rows (4)\n"
    assert run(monkeypatch, tmp_path, old, str(new)) == 1
    out = capsys.readouterr().out
    assert out.startswith("totals: the plan changes, 1 key differs (rows: old 4, new 4)\n")
    assert "  name = Tom\n    old  [Tom, 2, 32, 0.3" in out


def test_one_side_is_not_enough(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(monkeypatch, tmp_path, str(write_job(tmp_path, TOTALS))) == 2
    assert "two sides are compared, got 1" in capsys.readouterr().err
