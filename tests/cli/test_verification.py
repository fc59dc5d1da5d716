"""`firesteel verify`: its exit statuses and its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.main import main
from tests.testing.verify.planted import TOTALS, write_job, write_totals


@pytest.mark.parametrize(
    ("sql", "status", "said"),
    [
        ("SELECT 1", 0, "agree with the answer of DuckDB (4 rows)"),
        (
            "DELETE FROM totals WHERE name = 'Bob'",
            1,
            "    expected  [Bob, 1, 5, <NULL>]\n    found     no row\n",
        ),
    ],
)
def test_the_exit_status_says_if_the_sink_is_right(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    sql: str,
    status: int,
    said: str,
) -> None:
    script = write_job(tmp_path, TOTALS)
    write_totals(tmp_path, lambda database: database.execute(sql))
    command = ["firesteel", "verify", str(script), "-D", f"DATA={tmp_path}", "--sink"]
    monkeypatch.setattr("sys.argv", command)
    assert main() == status
    assert said in capsys.readouterr().out


def test_a_script_that_is_not_there_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["firesteel", "verify", "/no/such/job.sql"])
    assert main() == 2
    assert capsys.readouterr().err == "error: cannot read /no/such/job.sql: No such file or directory\n"
