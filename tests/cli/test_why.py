"""`firesteel why`: its output and its exit statuses. No Spark runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.cli.main import main
from tests.session.why.test_group_by import make


def run(monkeypatch: pytest.MonkeyPatch, base: Path, *arguments: str) -> int:
    """Run the command over a job, and return its exit status."""
    job = make(base)
    (base / "job.sql").write_text(job.script)
    monkeypatch.chdir(base)
    words = ["firesteel", "why", "job.sql", "--checkpoint", str(job.checkpoint), *arguments]
    monkeypatch.setattr("sys.argv", words)
    return main()


def test_aligned_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(monkeypatch, tmp_path, "--key", "name = 'Tom'", "--limit", "2") == 0
    said = capsys.readouterr().out
    assert said.startswith("totals (name, total), name = Tom, after micro-batch 3\nnow: [Tom, 8]\n")
    assert (
        "source rows: the last 2 of 5\n"
        "  batch  table  from               row\n"
        "  2      sales  in/2.json, line 1  +I[Tom, 0, Bern]\n"
        "  3      sales  in/2.json, line 3  +I[Tom, 1, Bern]\n"
    ) in said
    assert (
        "  batch  from               received    state before  state after  sent\n"
        "  2      in/2.json, line 1  +I[Tom, 0]  v0=7          v0=7         "
        "(not sent: the result is unchanged)\n"
        "  3      in/2.json, line 3  +I[Tom, 1]  v0=7          v0=8         -U[Tom, 7] +U[Tom, 8]\n"
    ) in said


def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(monkeypatch, tmp_path, "--key", "name = 'Tom'", "--at", "1", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["version"], found["batch"], found["rows"]) == (1, 1, ["[Tom, 7]"])
    assert found["sources"][0] == {
        "batch": "0",
        "table": "sales",
        "place": {"file": "in/1.json", "line": 1},
        "row": "+I[Tom, 3, Bern]",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--key", "name = 'Eve'"), "error: totals has never had a row with name = 'Eve'"),
        (("--key", "name = 'Tom'", "--format", "xml"), "error: --format takes text or json, got 'xml'"),
        (("--key", "name = 'Tom'", "--limit", "0"), "error: --limit takes a number from 1 on, got 0"),
        ((), "error: --key is missing"),
    ],
)
def test_wrong_use_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    assert run(monkeypatch, tmp_path, *arguments) == 2
    assert said in capsys.readouterr().err
