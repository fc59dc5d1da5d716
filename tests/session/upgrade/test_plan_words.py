"""The plan of an upgrade in words, as `firesteel upgrade --plan` prints it. No Spark runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.cli.checkpoint.upgrade import Wanted, upgrade_checkpoint
from firesteel.errors import NotSupportedError, UsageError
from firesteel.session.upgrade.extensions import added_parts
from tests.session.upgrade.stopped_job import SUMS, TABLES, StoppedJob
from tests.session.upgrade.test_upgrade import FILTERED, without_locks
from tests.spark.savepoint.test_savepoint import files


@pytest.mark.parametrize(
    ("before", "after", "added"),
    [
        ("A(select=[a, b])", "A(select=[b, f(a, 'x,''y]') AS c, a])", ("select f(a, 'x,''y]')",)),
        ("A(select=[a])", "A(select=[a], where=[>(a, 7)])", ("where >(a, 7)",)),
        ("A(select=[SUM(a) AS EXPR$1])", "A(select=[MAX(a) AS EXPR$1, SUM(a) AS s])", ("select MAX(a)",)),
        ("A(select=[a, a])", "A(select=[a, a, a], changelogMode=[I])", ("select a",)),
        ("A(select=[a, b])", "A(select=[a, c, d])", ()),
        ("A(select=[a], where=[a])", "A(select=[a, b])", ()),
        ("A(select=[a])", "A(select=[a], changelogMode=[I])", ()),
    ],
)
def test_parts_that_are_added(before: str, after: str, added: tuple[str, ...]) -> None:
    assert added_parts(before, after) == added


_LOST: tuple[tuple[Callable[[Path], object], str], ...] = (
    (lambda file: file.unlink(), "1.json: cannot be read: No such file"),
    (lambda file: file.write_text('{"id": 2}\n'), "the file has changed"),
)


@pytest.mark.parametrize(("damage", "message"), _LOST, ids=["gone", "changed"])
def test_a_plan_says_what_is_impossible(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], object],
    message: str,
) -> None:
    job = StoppedJob(tmp_path)
    damage(job.base / "in" / "1.json")
    text = TABLES.format(base=job.base) + FILTERED
    before = without_locks(files(job.checkpoint))
    options = {"execution.checkpointing.dir": str(job.checkpoint)}
    with pytest.raises(UsageError, match=f"sales no longer has its history: .*{message}"):
        upgrade_checkpoint(text, options, folder="", wanted=Wanted(plan=True))
    said = capsys.readouterr().out
    assert said.startswith("insert-0: cannot be upgraded\n")
    assert "    state: cannot be rebuilt\n" in said
    assert re.search(f"  impossible: .*{message}", said)
    assert "nothing to upgrade" not in said
    assert without_locks(files(job.checkpoint)) == before


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        (
            SUMS.replace(";", " HAVING COUNT(*) > 1;"),
            ("    state: kept\n", "  keeps its state: no source is read again\n"),
        ),
        (
            FILTERED,
            (
                "    adds: filter >(cnt, 3)\n",
                "    state: rebuilt from sales\n",
                "  reads again: sales, 1 file, 35 bytes\n    1.json, byte 0, to byte 35\n",
            ),
        ),
    ],
)
def test_a_plan_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: str, lines: tuple[str, ...]
) -> None:
    job = StoppedJob(tmp_path)
    options = {"execution.checkpointing.dir": str(job.checkpoint)}
    text = TABLES.format(base=job.base) + changed
    assert upgrade_checkpoint(text, options, folder="", wanted=Wanted(plan=True)) == 0
    said = capsys.readouterr().out
    assert all(each in said for each in lines), said


def test_a_source_that_cannot_be_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The new rows of datagen would be others."""
    generated = """\
CREATE TABLE made (name STRING, cnt INT) WITH ('connector' = 'datagen', 'number-of-rows' = '5');
"""
    before = "INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) FROM made GROUP BY name;"
    job = StoppedJob(tmp_path, before, TABLES + generated)
    text = (TABLES + generated).format(base=job.base) + before.replace("made", "made WHERE cnt > 3")
    options = {"execution.checkpointing.dir": str(job.checkpoint)}
    with pytest.raises(NotSupportedError, match="made cannot be read again"):
        upgrade_checkpoint(text, options, folder="", wanted=Wanted(plan=True))
    said = capsys.readouterr().out
    assert "  impossible: " in said
    assert "made cannot be read again" in said
