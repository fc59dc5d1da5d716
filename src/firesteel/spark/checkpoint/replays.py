"""Replays in a checkpoint: the rows of replayed dead letters. The job reads each replay in one micro-batch.

    replays/NUMBER-ID/letters.arrow            chain and position of each message
    replays/NUMBER-ID/rows-CHAIN-CHANNEL.arrow   changes without sequences, by watermark channel

The folder gets its name when all its files are durable. The offset of a source names the last replay that the
source has read (spark/stream/replaying_source.py). So Spark's log of offsets decides which micro-batch has
the rows. If the process ends before a replay is read, the next run reads it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from firesteel.durability import sync_folder, sync_tree
from firesteel.errors import JobError, NotSupportedError
from firesteel.job.spec import JobSpec
from firesteel.job.topology import stages
from firesteel.spark.checkpoint.batch_origins import batches, offsets_text
from firesteel.spark.checkpoint.lock import local_folder

FOLDER = "replays"
TAKEN = "$replayed"
"""Key of an offset for the name of the last replay that the source has read."""
_LETTERS = "letters.arrow"
_ROWS_TOGETHER = 100_000
Letter = tuple[int, str]
"""Number of the chain that reads the source of a message, and the message's position."""


@dataclass(frozen=True)
class Replay:
    """Replayed messages for one job.

    Attributes:
        rows: Changes of the messages without sequences, by chain and channel.
        letters: The messages.
        id: Identity of the replay.
    """

    rows: Mapping[int, Mapping[int, pa.Table]]
    letters: Sequence[Letter]
    id: str = field(default_factory=lambda: uuid4().hex[:12])


@dataclass(frozen=True)
class ReplayRows:
    """Rows of one replay for one source.

    Attributes:
        name: Name of the replay.
        channel: Watermark channel of the rows.
        file: File of the rows.
    """

    name: str
    channel: int
    file: str


def keep(folder: str, replay: Replay) -> None:
    """Write a replay durably into the folder of a statement, unless the folder has it already (by its ID).

    Raises:
        NotSupportedError: The checkpoint is on a file system of other machines.
        JobError: Another replay has some of the messages.
    """
    local = local_folder(folder)
    if local is None:
        raise NotSupportedError(
            "dead letters cannot be replayed into a checkpoint that is not on this machine"
        )
    names = _names(local)
    if not replay.letters or any(name.endswith(f"-{replay.id}") for name in names):
        return
    if twice := replayed_letters(folder).intersection(replay.letters):
        raise JobError(f"another run has just replayed {min(twice)[1]}", hint="replay again")
    root = local / FOLDER
    draft = root / f".{replay.id}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    chains, positions = zip(*replay.letters, strict=True)
    letters = {"chain": pa.array(chains, pa.int32()), "position": pa.array(positions, pa.string())}
    _write(draft / _LETTERS, pa.table(letters))
    for chain, channels in replay.rows.items():
        for channel, rows in channels.items():
            _write(draft / f"rows-{chain}-{channel}.arrow", rows)
    sync_tree(draft)
    number = 1 + max((int(name.partition("-")[0]) for name in names), default=0)
    draft.rename(root / f"{number:06}-{replay.id}")
    sync_folder(root)
    sync_folder(local)


def _write(file: Path, rows: pa.Table) -> None:
    with pa.OSFile(str(file), "wb") as stream, pa.ipc.new_stream(stream, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=_ROWS_TOGETHER)


def _names(folder: Path) -> list[str]:
    """Return the names of the replays in the folder of a statement, ascending."""
    root = folder / FOLDER
    found = (each.name for each in root.iterdir()) if root.is_dir() else iter(())
    return sorted(name for name in found if name[:1].isdigit())


def replayed_letters(folder: str) -> set[Letter]:
    """Return all messages of a statement's replays, including those that the job has not read yet."""
    local = local_folder(folder)
    found: set[Letter] = set()
    for name in [] if local is None else _names(local):
        assert local is not None
        with pa.OSFile(str(local / FOLDER / name / _LETTERS)) as stream:
            letters = pa.ipc.open_stream(stream).read_all()
        found.update(zip(letters["chain"].to_pylist(), letters["position"].to_pylist(), strict=True))
    return found


def rows_of_chain(folder: str, chain: int) -> tuple[ReplayRows, ...]:
    """Return the rows of all replays for the source that a chain reads, in the order of the replays."""
    local, start = local_folder(folder), f"rows-{chain}-"
    if local is None:
        return ()
    return tuple(
        ReplayRows(name, int(file.stem.removeprefix(start)), str(file))
        for name in _names(local)
        for file in sorted((local / FOLDER / name).glob(f"{start}*.arrow"))
    )


def has_untaken(folder: str, job: JobSpec) -> bool:
    """Return whether a job has a replay whose rows are in no committed micro-batch."""
    committed = batches(None, folder, "commits")
    text = offsets_text(None, folder, committed[-1]) if committed else None
    taken = _taken([] if text is None else text.splitlines()[2:])
    for number, fragment in enumerate(stages(job)[0]):
        rows = rows_of_chain(folder, fragment.head.id)
        if rows and rows[-1].name > (taken[number] if number < len(taken) else ""):
            return True
    return False


def _taken(offsets: Iterable[str]) -> list[str]:
    """Return, for each offset of a source, the name of the last replay that the source has read; or ""."""
    values = map(json.loads, offsets)
    return [value.get(TAKEN, "") if isinstance(value, dict) else "" for value in values]
