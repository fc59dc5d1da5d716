"""Each statement of a script has a folder of a checkpoint, and finds it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.errors import UsageError
from firesteel.job.spec import JobSpec
from firesteel.spark.checkpoint.fingerprint import Layout, check_or_write
from firesteel.spark.checkpoint.statements import Identity, Script, statement_folder
from tests.spark.jobs import grouped

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark
QUERY, OTHER = Identity("SELECT 1"), Identity("SELECT 2")
INSERT, SECOND = Identity("INSERT INTO s SELECT 1", "c.d.s"), Identity("INSERT INTO s SELECT 2", "c.d.s")


def job(one: Identity, functions: tuple[str, ...] = ("SUM",)) -> JobSpec:
    made = grouped(Path("/d/t.json"), functions)
    if one.sink is None:
        return made
    return grouped(Path("/d/t.json"), functions, replace(made.sinks[0], connector="print", table=one.sink))


class Checkpoint:
    """A checkpoint's folder; statements find theirs in it, or get one."""

    def __init__(self, folder: Path, spark: Spark) -> None:
        self.folder, self.context = folder, spark.context

    def of(self, this: Identity, *script: Identity, whole: bool = True) -> str:
        known = Script(script or (this,), is_whole=whole)
        folder = statement_folder(self.context, str(self.folder), job(this), this, known)
        check_or_write(self.context, folder, job(this), Layout(4, 2), this.text)
        return str(Path(folder).relative_to(self.folder))


@pytest.fixture
def checkpoint(tmp_path: Path, spark: Spark) -> Checkpoint:
    return Checkpoint(tmp_path, spark)


def test_found_again_in_another_order_and_beside_new_ones(checkpoint: Checkpoint) -> None:
    script = (QUERY, INSERT)
    first = [checkpoint.of(one, *script) for one in script]
    assert first[0].startswith("select-")
    assert first[1] == "insert-s"
    later = (OTHER, INSERT, QUERY)
    new, *again = [checkpoint.of(one, *later) for one in later]
    assert again == first[::-1]
    assert new not in first


def test_inserts_into_one_sink_are_distinguished_by_their_texts(checkpoint: Checkpoint) -> None:
    assert [checkpoint.of(one, INSERT, SECOND) for one in (INSERT, SECOND)] == ["insert-s", "insert-s-2"]
    assert [checkpoint.of(one, SECOND, INSERT) for one in (SECOND, INSERT)] == ["insert-s-2", "insert-s"]


def test_a_statement_that_stands_there_twice(checkpoint: Checkpoint) -> None:
    twice = (QUERY, Identity(QUERY.text, None, 1))
    first = [checkpoint.of(one, *twice) for one in twice]
    assert first[1] == f"{first[0]}-2"
    assert [checkpoint.of(one, *twice) for one in twice] == first


def test_an_insert_is_found_by_its_sink_and_notes_its_new_text(checkpoint: Checkpoint) -> None:
    assert checkpoint.of(INSERT) == checkpoint.of(SECOND) == "insert-s"
    assert (checkpoint.folder / "insert-s" / "statement.sql").read_text() == SECOND.text


def test_a_query_that_took_anothers_place_is_refused(
    checkpoint: Checkpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint.of(QUERY)
    with pytest.raises(
        UsageError, match="no state for the statement `SELECT 2`, but some for `SELECT 1`, which"
    ):
        checkpoint.of(OTHER)
    capsys.readouterr()
    assert checkpoint.of(OTHER, whole=False).startswith("select-")  # other statements may still come
    assert "has no state for `SELECT 2`: it begins at the start\n" in capsys.readouterr().err


def test_a_refusal_names_the_statement_and_the_change(checkpoint: Checkpoint) -> None:
    checkpoint.of(INSERT)
    with pytest.raises(
        UsageError, match=r"the statement `INSERT INTO s SELECT 1`: its aggregates were SUM\(INT\)"
    ):
        check_or_write(
            checkpoint.context,
            f"{checkpoint.folder}/insert-s",
            job(INSERT, ("MIN",)),
            Layout(4, 2),
            INSERT.text,
        )


@pytest.mark.parametrize("one", [QUERY, INSERT], ids=["query", "insert"])
def test_a_folder_of_the_time_when_it_had_one_query(checkpoint: Checkpoint, one: Identity) -> None:
    check_or_write(checkpoint.context, str(checkpoint.folder), job(one), Layout(4, 2))
    assert checkpoint.of(one) == "."
    assert checkpoint.of(one, OTHER, one) == "."


def test_a_folder_of_an_earlier_statement_set(checkpoint: Checkpoint) -> None:
    old = checkpoint.folder / "0-c.d.s"
    check_or_write(checkpoint.context, str(old), job(INSERT), Layout(4, 2))
    assert checkpoint.of(INSERT, QUERY, INSERT) == "0-c.d.s"
