"""Manifests: the visible name of each hidden file of a batch, decided only once.

The manifest of a batch is a file, `_firesteel/JOB-BATCH.json`, which is created only if it does not exist. If
two runs of a job commit one batch, only one of them decides. A paused run may come late with a batch that
another run has committed. It then finds a later manifest and removes its own:

    run A  ready for batch 10, is paused
    run B  takes over: JOB-10.json, JOB-11.json, JOB-12.json; only the last two are kept
    run A  continues: makes JOB-10.json, sees 12, removes it: nothing of A's batch 10 is shown

Only the newest manifest may name files that are not visible yet: a batch begins when those of the previous
batch are visible.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from firesteel.connectors.positions import NOTHING, UNKNOWN, Origin, Position, from_json, to_json
from firesteel.durability import make_folders, sync_folder, sync_stream, write_whole
from firesteel.errors import JobError

FOLDER = "_firesteel"
_KEPT = 2
"""Number of manifests to keep, so that a listing always finds one while a new one replaces an old one."""
_DRAFT = re.compile(r"\.(?P<job>(?:run-)?[^-]+)(?:-\d+)?\.[0-9a-f]{32}\.tmp")
_NAME = re.compile(r"(?P<job>(?:run-)?[^-]+)(?:-(?P<batch>\d+))?\.json")

Files = Mapping[str, str]
"""Visible names of files by hidden names, both relative to the table's folder."""


class Manifests:
    """The manifests of one job in a table's folder."""

    def __init__(self, table: Path, job: str) -> None:
        self._folder = table / FOLDER
        self._job = job

    def last(self) -> tuple[int, Files]:
        """Return number and files of the last batch with a manifest; -1 and no files if there is none."""
        return max(self._read(self._found()), default=(-1, {}), key=lambda each: each[0])

    def position(self) -> Position:
        """Return the number of the last batch with a manifest, and the range of its source rows.

        If the job has no manifest, return NOTHING, whose number is -1.
        """
        newest = NOTHING
        for number, path in self._found().items():
            noted = read(path)
            batch = -1 if noted is None else number if noted[0] is None else noted[0]
            if batch > newest.batch:
                with suppress(FileNotFoundError):
                    value = json.loads(path.read_text(encoding="utf-8"))
                    newest = Position(batch, from_json(value.get("origin")))
        return newest

    def move(self, position: Position) -> None:
        """Replace all manifests of the job by one for the batch of `position`, for a recovery.

        For the batch number -1, only remove the manifests. The files of all batches must be visible already,
        because the new manifest names no files.
        """
        kept = self._folder / f"{self._job}-{position.batch}.json"
        if position.batch >= 0:
            origin = to_json(position.origin)
            write_whole(kept, json.dumps({"batch": position.batch, "files": {}, "origin": origin}))
        for path in self._found().values():
            if path != kept:
                path.unlink(missing_ok=True)
        if self._folder.is_dir():
            sync_folder(self._folder)

    def decide(self, batch: int, files: Files, origin: Origin = UNKNOWN) -> Files:
        """Create the manifest of a batch durably, unless it exists already.

        Args:
            batch: Number of the batch.
            files: Files of the batch that this run has written.
            origin: Range of source rows of the batch. An unknown origin is not recorded.

        Returns:
            The files in the batch's manifest. If another run has created it, these are that run's files.

        Raises:
            JobError: Another run has taken over the job: a later batch has a manifest, or the run has removed
                the draft of this manifest.
        """
        value: dict[str, object] = {"batch": batch, "files": dict(files)}
        if origin.is_known:
            value["origin"] = to_json(origin)
        swept = False
        try:
            made = self._make(self._folder / f"{self._job}-{batch}.json", value)
        except _Swept:
            swept, made = True, None
        found = self._found()
        done, decided = max(self._read(found), default=(batch, files), key=lambda each: each[0])
        if done > batch:
            if made is not None:
                made.unlink(missing_ok=True)
            raise JobError(
                f"batch {batch} of the job {self._job} is committed already, and so are all up to {done}: "
                "another run has taken over the job",
                hint="see that one run at a time uses the checkpoint",
            )
        if swept:
            raise JobError(
                f"another run has taken over the job {self._job}: it has removed the draft of batch {batch}",
                hint="see that one run at a time uses the checkpoint",
            )
        for _, path in sorted(found.items())[:-_KEPT]:
            path.unlink(missing_ok=True)
        return decided

    def forget(self) -> None:
        """Remove all manifests of a job that no other run will continue."""
        for path in self._found().values():
            path.unlink(missing_ok=True)

    def _found(self) -> dict[int, Path]:
        """Return the manifests by the batch number in their names; -1 for an early version's `JOB.json`."""
        found = {}
        for path in self._folder.glob(f"{self._job}*.json"):
            name = _NAME.fullmatch(path.name)
            if name is not None and name["job"] == self._job:
                found[int(name["batch"] or -1)] = path
        return found

    def _read(self, found: Mapping[int, Path]) -> Iterator[tuple[int, Files]]:
        for batch, path in found.items():
            if (noted := read(path)) is not None:
                yield (batch if noted[0] is None else noted[0]), noted[1]

    def _make(self, path: Path, value: object) -> Path | None:
        """Create a file with `value` as JSON and return its path, or None if the file exists already.

        The file is written under the name of a draft and then renamed, so nobody reads a part of it.

        Raises:
            _Swept: Another run has removed the draft.
        """
        make_folders(path.parent)
        draft = path.with_name(f".{path.stem}.{uuid.uuid4().hex}.tmp")
        try:
            with draft.open("w", encoding="utf-8") as stream:
                stream.write(json.dumps(value))
                sync_stream(stream)
            made = _give_name(draft, path)
            sync_folder(path.parent)
            return path if made else None
        finally:
            draft.unlink(missing_ok=True)


class _Swept(Exception):
    """Error: a draft is gone, because a run that has taken over the job has removed it (leftovers.py)."""


def _give_name(draft: Path, path: Path) -> bool:
    """Give a draft its final name unless this name is taken. Return whether the draft has got it.

    Raises:
        _Swept: The draft is gone.
    """
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # The draft is gone, or the file system has no hard links.
        if path.exists():
            return False
        if not draft.exists():
            raise _Swept from None
        draft.replace(path)
    return True


def drafts_in(table: Path) -> Iterator[tuple[str, Path]]:
    """Yield the job and the path of each draft of a manifest.

    A draft of a killed run never gets its final name.
    """
    for path in (table / FOLDER).glob(".*.tmp"):
        name = _DRAFT.fullmatch(path.name)
        if name is not None:
            yield name["job"], path


def jobs_in(table: Path) -> set[str]:
    """Return the names of the jobs that have manifests in a table's folder."""
    names = (_NAME.fullmatch(path.name) for path in (table / FOLDER).glob("*.json"))
    return {name["job"] for name in names if name is not None}


def read(manifest: Path) -> tuple[int | None, Files] | None:
    """Return a manifest's batch and files; None if the manifest is gone.

    Early versions wrote only the files, in one manifest for each batch. Their batch is None here.

    Raises:
        JobError: The manifest is damaged.
    """
    try:
        noted = json.loads(manifest.read_text(encoding="utf-8"))
        if not isinstance(noted, dict):
            raise ValueError("it is no JSON object")
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise JobError(
            f"{manifest}: the sink's file about its last micro-batches is damaged: {error}",
            hint="restore it from a copy; if you remove it, an interrupted micro-batch may be written twice",
        ) from None
    return (noted["batch"], noted.get("files", {})) if "batch" in noted else (None, noted)
