"""Two runs of a job that write into one folder: a paused one changes nothing that the other has decided."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.base import ONCE
from firesteel.connectors.filesystem import manifests as filesystem_manifests
from firesteel.connectors.filesystem.manifests import Manifests
from firesteel.errors import JobError
from tests.connectors.filesystem.test_sink import hidden, manifests, seen, sink, table, unopened, write


class Hook:
    """Calls `other` once, in the middle of what the paused run does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, other: Callable[[], None]):
        whole = getattr(place, name)
        begun: list[bool] = []

        def paused(*arguments: Any) -> Any:
            if not begun:
                begun.append(True)
                other()
            return whole(*arguments)

        monkeypatch.setattr(place, name, paused)


@pytest.mark.parametrize("batches", [1, 2, 3, 9])
@pytest.mark.parametrize("place", ["deciding", "linking", "showing"])
def test_a_batch_that_others_have_committed_meanwhile(
    tmp_path: Path, place: str, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run comes with batch 10, is paused, and another commits 10 and those after it."""
    paused = sink(tmp_path)
    paused.commit(9, [write(tmp_path, table(9), batch=9)])
    token = write(tmp_path, table(10), batch=10)

    def other() -> None:
        run = sink(tmp_path)
        for batch in range(10, 10 + batches):
            run.commit(batch, [write(tmp_path, table(batch), batch=batch)])

    where = {
        "deciding": (Manifests, "decide"),
        "linking": (filesystem_manifests, "_give_name"),
        "showing": (type(paused), "_show"),
    }
    Hook(monkeypatch, *where[place], other)
    if place != "showing" and batches > 1:
        with pytest.raises(JobError, match=r"batch 10 of the job q is committed already.*another run"):
            paused.commit(10, [token])
    else:  # it decided, or the other did
        paused.commit(10, [token])
    assert seen(tmp_path) == list(range(9, 10 + batches))
    assert Manifests(tmp_path, "q").last()[0] == 9 + batches
    run = sink(tmp_path)
    run.commit(9 + batches, [write(tmp_path, table(9 + batches), batch=9 + batches)])
    assert (seen(tmp_path), hidden(tmp_path)) == (list(range(9, 10 + batches)), [])


def test_a_batch_whose_draft_another_run_has_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run opens the table while one is about to name the manifest of batch 10."""
    paused = sink(tmp_path)
    paused.commit(9, [write(tmp_path, table(9), batch=9)])
    token = write(tmp_path, table(10), batch=10)
    Hook(monkeypatch, filesystem_manifests, "_give_name", lambda: sink(tmp_path))
    with pytest.raises(JobError, match="another run has taken over the job q"):
        paused.commit(10, [token])
    assert seen(tmp_path) == [9]


@pytest.mark.parametrize("place", ["open", "abort"])
def test_a_paused_sweep_leaves_the_files_of_the_run_that_took_over(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = sink(tmp_path)
    owners, tokens = ["paused"], list[str]()

    def take_over() -> None:
        owners.append("other")
        tokens.append(write(tmp_path, table(1)))

    def guard() -> None:
        if owners[-1] != "paused":
            raise JobError("taken over")

    paused.guard = guard
    Hook(monkeypatch, Path, "glob", take_over)
    with pytest.raises(JobError, match="taken over"):
        paused.open("q") if place == "open" else paused.abort(0, [])
    other = unopened(tmp_path)
    other._job = "q"
    other.commit(0, tokens)
    assert (seen(tmp_path), len(tokens)) == ([1], 1)


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "link", refuse)
    made = sink(tmp_path)
    for batch in (0, 1, 1):
        made.commit(batch, [write(tmp_path, table(batch), batch=batch)])
    assert (seen(tmp_path), hidden(tmp_path)) == ([0, 1], [])


def test_a_manifest_that_is_not_written_whole_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = sink(tmp_path)
    token = write(tmp_path, table(1))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(JobError, match="No space left"):
            made.commit(0, [token])
    assert manifests(tmp_path) == []
    assert made._manifests.last() == (-1, {})


def test_a_job_that_ends_while_another_one_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other shows what is decided, and removes the manifest of a job that no run goes on with."""
    once = sink(tmp_path, f"{ONCE}1")
    token = write(tmp_path, table(1), job=f"{ONCE}1")
    whole = Manifests._make

    def made(self: Manifests, *arguments: Any) -> Any:
        path = whole(self, *arguments)
        sink(tmp_path)
        return path

    monkeypatch.setattr(Manifests, "_make", made)
    once.commit(0, [token])
    assert (seen(tmp_path), hidden(tmp_path)) == ([1], [])


@pytest.mark.parametrize("text", ["", '{"batch": 9', "\0" * 40, "[9]"])
def test_a_damaged_manifest_is_named(tmp_path: Path, text: str) -> None:
    run = sink(tmp_path)
    run.commit(9, [write(tmp_path, table(9), batch=9)])
    (kept,) = manifests(tmp_path)
    file = tmp_path / "_firesteel" / kept
    file.write_text(text)
    with pytest.raises(JobError, match=f"{file}: .* is damaged"):
        sink(tmp_path)
