"""The part of each source that the upgrade of a statement reads again.

A source that both the old and the new job have is read from the offset at which the old job began up to the
offset in the checkpoint. A source that only the new job has is read from its beginning up to its present end.

A `filesystem` source keeps a log in the checkpoint: the list of the files that it has found. Its offsets are
positions in this list. So the log is copied for the new job, and the same offsets name the same files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firesteel.connectors.base import History, Offset, ReadLimit, Source
from firesteel.connectors.registry import deciding
from firesteel.errors import FiresteelError, JobError, NotSupportedError, UsageError
from firesteel.job.spec import JobSpec
from firesteel.job.topology import stages
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.spark.checkpoint.batch_origins import batches, offsets_text
from firesteel.spark.stream.reader_offset import own_offset
from firesteel.spark.stream.source_start import FILE as START
from firesteel.spark.stream.source_start import noted_start
from firesteel.spark.task.splits import open_head

SOURCES = "sources"
_FROM_A_COPY = "restore the checkpoint from a copy"
_ANEW = "begin with an empty checkpoint folder and an empty sink"
_FROM_ZERO = ("filesystem",)
"""Connectors whose first offset is always the same. It is known even if a checkpoint does not record it."""


@dataclass(frozen=True)
class ReadSource:
    """A source as a checkpoint has read it.

    Attributes:
        head: The scan, or the literal rows.
        log: Folder of the source's log, such as the list of files found (Source.keep_log).
        end: Offset up to which it was read.
    """

    head: ScanSpec | ValuesSpec
    log: Path
    end: Offset


def heads(job: JobSpec) -> list[ScanSpec | ValuesSpec]:
    """Return the sources of a job, in the order of Spark's offsets."""
    found = [fragment.head.source for fragment in stages(job)[0]]
    return [head for head in found if head is not None]


def read_sources(folder: Path, job: JobSpec) -> list[ReadSource]:
    """Return the sources of a statement as of its last committed micro-batch.

    Args:
        folder: The statement's folder in a checkpoint.
        job: The statement's job.

    Raises:
        UsageError: No micro-batch has ended.
        JobError: The offsets are lost or damaged.
    """
    committed = batches(None, str(folder), "commits")
    if not committed:
        raise UsageError(
            f"no micro-batch of the checkpoint {folder} has ended",
            hint=_ANEW,
        )
    text = offsets_text(None, str(folder), committed[-1])
    lines = [] if text is None else text.splitlines()[2:]
    found = heads(job)
    if len(lines) != len(found):
        raise JobError(
            f"the checkpoint {folder} has offsets of {len(lines)} sources after micro-batch {committed[-1]}, "
            f"and its query reads {len(found)}",
            hint=_FROM_A_COPY,
        )
    return [
        ReadSource(head, folder / SOURCES / str(number), own_offset(json.loads(line)))
        for number, (head, line) in enumerate(zip(found, lines, strict=True))
    ]


def match(read: Sequence[ReadSource], job: JobSpec) -> list[ReadSource | None]:
    """Return for each source of a job the checkpoint's source with the same rows; None for a new source.

    Two scans have the same rows if they have the same connector, and equal values of the options that decide
    what an offset means. Literal rows always count as a new source.
    """
    left = list(read)
    found: list[ReadSource | None] = []
    for head in heads(job):
        same = [each for each in read if _is_same(each.head, head)]
        unused = [each for each in same if each in left]
        chosen = next(iter(unused or same), None)
        if chosen in left:
            left.remove(chosen)
        found.append(chosen)
    return found


def _is_same(one: ScanSpec | ValuesSpec, other: ScanSpec | ValuesSpec) -> bool:
    if isinstance(one, ScanSpec) and isinstance(other, ScanSpec):
        return one.connector == other.connector and deciding(dict(one.options)) == deciding(
            dict(other.options)
        )
    return False


def histories(read: Sequence[ReadSource], job: JobSpec, to: Path) -> list[History]:
    """Return the part of each source that a job reads again, and copy the logs of the sources.

    Args:
        read: Sources of the checkpoint.
        job: The job that reads them again.
        to: The statement's folder in the new checkpoint.

    Raises:
        UsageError: A source has lost rows that the old job has read, or the checkpoint does not have the
            offset at which the old job began.
        NotSupportedError: A source is of a kind that cannot be read again.
        JobError: The log of a source is damaged.
    """
    found = []
    for number, (head, known) in enumerate(zip(heads(job), match(read, job), strict=True)):
        log = to / SOURCES / str(number)
        log.mkdir(parents=True)
        if known is not None and known.log.is_dir():
            shutil.copytree(known.log, log, dirs_exist_ok=True)
            (log / START).unlink(missing_ok=True)
        found.append(_history(head, known, log))
        if job.bounded:
            for earlier in range(number):
                shutil.copytree(to / SOURCES / str(earlier), log.with_name(f"{number}-after-{earlier}"))
    return found


def _history(head: ScanSpec | ValuesSpec, known: ReadSource | None, log: Path) -> History:
    source = open_head(head)
    source.keep_log(str(log))
    with named_history(head, log, None if known is None else known.log):
        if known is None:
            first = source.initial_offset()
            return _all_of(source, first, source.latest_offset(first, ReadLimit()))
        return source.history(start_of(known, source), known.end)


@contextmanager
def named_history(
    head: ScanSpec | ValuesSpec, copy: Path | None = None, log: Path | None = None
) -> Iterator[None]:
    """Add the table's name to errors of a source that the `with` block reads again.

    Args:
        head: The source.
        copy: Folder with the copy of the log that the source reads; None if the source has no log.
        log: Folder of the original log, in the user's checkpoint. An error about the copy names this folder
            instead. None if the checkpoint has no log of the source.

    Raises:
        JobError: The log is damaged.
        UsageError: The source has lost rows that the old job has read.
        NotSupportedError: The source is of a kind that cannot be read again.
    """
    name = head.table if isinstance(head, ScanSpec) else "the literal rows"
    try:
        yield
    except NotSupportedError as error:
        raise NotSupportedError(f"{name} cannot be read again: {error.message}", hint=error.hint) from None
    except FiresteelError as error:
        if log is not None and str(copy) in error.message:
            message = error.message.replace(str(copy), str(log))
            raise JobError(f"{name}: {message}", hint=_FROM_A_COPY) from None
        hint = error.hint if isinstance(error, UsageError) else _ANEW
        raise UsageError(f"{name} no longer has its history: {error.message}", hint=hint) from None


def _all_of(source: Source, first: Offset, last: Offset) -> History:
    """Return the History of the rows between two offsets of a source that only the new job has.

    The rows are read only once. So the source may be of a kind that cannot be read again. The History of such
    a source has no description of its files or partitions.
    """
    try:
        return source.history(first, last)
    except NotSupportedError:
        return History(first, last, "all rows")


def start_of(known: ReadSource, source: Source) -> Offset:
    """Return the offset at which the job of a checkpoint began to read a source.

    Args:
        known: The source in the checkpoint.
        source: The same source, opened.

    Raises:
        UsageError: The checkpoint is of an earlier version, which did not record the offset.
    """
    noted = noted_start(known.log)
    if noted is not None:
        return noted
    if isinstance(known.head, ValuesSpec) or known.head.connector in _FROM_ZERO:
        return source.initial_offset()
    raise UsageError(
        "the checkpoint was begun by a version of Firesteel that did not note where its sources began",
        hint=_ANEW,
    )
