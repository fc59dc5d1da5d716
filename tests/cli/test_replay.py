"""The command `firesteel replay`: refusals before Spark starts, and what it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.app import run_app
from firesteel.cli.checkpoint.replay import report
from firesteel.errors import NotSupportedError, UsageError
from firesteel.session.launch import open_checkpoint
from firesteel.session.replay.replay import StatementReplay

TABLE = "CREATE TABLE t (n INT) WITH ('connector' = 'datagen');\n"


def script(folder: Path, text: str) -> str:
    file = folder / "job.sql"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_running_job_is_left_alone(tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "checkpoint")
    held = open_checkpoint({"execution.checkpointing.dir": checkpoint})
    assert held is not None
    try:
        with pytest.raises(UsageError, match="in use"):
            run_app(["replay", script(tmp_path, TABLE), "--checkpoint", checkpoint])
    finally:
        held.release()


def test_it_needs_a_checkpoint(tmp_path: Path) -> None:
    text = "-- no table is read\nCREATE VIEW v AS SELECT 1 AS n;\n TABLE v;"
    with pytest.raises(UsageError, match="no checkpoint is named"):
        run_app(["replay", script(tmp_path, text)])


@pytest.mark.parametrize("in_script", [False, True])
def test_a_checkpoint_that_does_not_exist_is_an_error_and_is_not_made(
    tmp_path: Path, in_script: bool
) -> None:
    checkpoint = str(tmp_path / "nowhere")
    setting = f"SET 'execution.checkpointing.dir' = '{checkpoint}';\n" if in_script else ""
    file = script(tmp_path, f"{TABLE}{setting}CREATE VIEW v AS SELECT 1 AS n;\n TABLE v;")
    with pytest.raises(UsageError, match=r"there is no folder .*nowhere"):
        run_app(["replay", file, *([] if in_script else ["--checkpoint", checkpoint])])
    assert not (tmp_path / "nowhere").exists()


def test_create_table_as_is_refused(tmp_path: Path) -> None:
    text = "CREATE TABLE u WITH ('connector' = 'blackhole') AS VALUES (1);"
    (tmp_path / "checkpoint").mkdir()
    with pytest.raises(NotSupportedError, match="CREATE TABLE AS"):
        run_app(["replay", script(tmp_path, text), "--checkpoint", str(tmp_path / "checkpoint")])


def test_a_script_without_dead_letters_runs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{TABLE}CREATE VIEW v AS SELECT 1 AS n;\nSHOW TABLES;\n TABLE v;"
    (tmp_path / "checkpoint").mkdir()
    assert run_app(["replay", script(tmp_path, text), "--checkpoint", str(tmp_path / "checkpoint")]) == 0
    assert capsys.readouterr().out == "No statement of the script has a checkpoint with dead letters.\n"


def test_the_lines_of_a_report() -> None:
    unreadable = {f"f, line {number}": "no\njson" for number in range(1, 8)}
    assert report(StatementReplay(None, 1200, unreadable, 3, is_completed=True, rows=1), "bad") == [
        "A replay that was interrupted is complete.",
        "1,200 messages of bad replayed, 7 still cannot be read, 3 were replayed before.",
        *(f"  f, line {number}: no json" for number in range(1, 6)),
        "  and 2 more",
        "1 row of bad not replayed: they are results, not messages. Write them to their table with INSERT.",
    ]
    assert report(StatementReplay(None), "bad") == []
