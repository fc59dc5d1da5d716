"""The input of a job: the rows of its sources, up to their ends or up to the offsets of a checkpoint."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.connectors.base import Offset, ReadLimit, Source, Split
from firesteel.connectors.registry import open_source
from firesteel.errors import JobError, NotSupportedError, UsageError
from firesteel.job.topology import stages
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.checkpoints import statement_text
from firesteel.spark.checkpoint.fingerprint import SPARK
from firesteel.spark.checkpoint.folder import no_checkpoint
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.stream.reader_offset import own_offset
from firesteel.testing.script import Planned, Script
from firesteel.testing.verify.rows_left import as_table

_WITH_PRESENT_END = ("kafka", "upsert-kafka", "filesystem")
"""Connectors whose unbounded tables can be read up to their present end."""


@dataclass(frozen=True)
class Input:
    """The rows of a source chain.

    Attributes:
        scan: The scan of the chain.
        rows: Its rows as changes without sequences, with all columns of the scan.
        end: Offset up to which the rows were read. None if a bounded source was read without a checkpoint,
            up to its own end. None, too, if a checkpoint has no offset of the chain: then there are no rows.
    """

    scan: ScanSpec
    rows: pa.Table
    end: Offset | None

    def projected(self) -> pa.Table:
        """Return the rows with only the columns that the chain reads, in the chain's order."""
        read = {field(i): self.rows.column(field(place)) for i, place in enumerate(self.scan.projection)}
        return pa.table({KIND: self.rows.column(KIND), **read})


class KnownInputs:
    """Cache of inputs that were read. Scans with the same connector, options and columns share an input."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Input] = {}

    def find(self, scan: ScanSpec) -> Input | None:
        """Return the input that a scan with the same connector, options and columns has read, or None."""
        found = self._found.get(_rows_of(scan))
        return None if found is None else replace(found, scan=scan)

    def keep(self, read: Input) -> None:
        """Store an input in the cache."""
        self._found[_rows_of(read.scan)] = read


def _rows_of(scan: ScanSpec) -> tuple[object, ...]:
    return scan.connector, scan.options, scan.names, scan.types, scan.metadata, scan.upsert_key


def read_inputs(
    script: Script, planned: Planned, checkpoint: str | None, known: KnownInputs | None = None
) -> dict[int, Input]:
    """Return the input of each source chain of a job, by the chain's id.

    Args:
        script: The script.
        planned: The job.
        checkpoint: Folder of a checkpoint. The sources are read as far as its last committed micro-batch has
            read them. None reads them up to their end.
        known: Cache of inputs. Inputs in the cache are not read again, and newly read inputs are added.

    Raises:
        UsageError: A source has no end and there is no checkpoint, or the checkpoint has nothing of the job.
        FiresteelError: A source cannot be read.
    """
    offsets = {} if checkpoint is None else _offsets(script, planned, checkpoint)
    found = {}
    for chain in planned.job.chains:
        if isinstance(chain.source, ScanSpec):
            read = None if known is None else known.find(chain.source)
            if read is None:
                end, log = offsets.get(chain.id, (None, ""))
                read = _read(chain.source, end, log, is_bounded_by=checkpoint is not None)
            if known is not None:
                known.keep(read)
            found[chain.id] = read
    return found


def _read(scan: ScanSpec, end: Offset | None, log: str, *, is_bounded_by: bool) -> Input:
    source = open_source(replace(scan, projection=tuple(range(len(scan.names))), parts=()))
    splits: list[Split]
    if is_bounded_by:
        splits = _splits_to(source, end, log)
    elif source.bounded:
        splits = source.splits(1)
    elif scan.connector in _WITH_PRESENT_END:
        start = source.initial_offset()
        end = source.latest_offset(start, ReadLimit())
        splits = source.splits_between(start, end, 1)
    else:
        raise UsageError(
            f"'{scan.table}' has no end, so it is not known which of its rows the job has read",
            hint="name the job's checkpoint: --checkpoint DIR",
        )
    tables = [table for split in splits for table in source.read(split)]
    return Input(scan, as_table(tables, scan.types), end)


def _splits_to(source: Source, end: Offset | None, log: str) -> list[Split]:
    if end is None:
        return []
    source.keep_log(log)
    return source.splits_between(source.initial_offset(), end, 1)


def _offsets(script: Script, planned: Planned, checkpoint: str) -> dict[int, tuple[Offset, str]]:
    """Return the end of the last committed micro-batch for each source chain, by the chain's id.

    Each offset comes with the folder of the source's log in the checkpoint. The log has the data that offsets
    refer to, such as the files that a filesystem source has found.
    """
    if planned.target.in_set:
        raise NotSupportedError("Verification of a statement set with a checkpoint")
    text = statement_text(planned.target.statement, planned.target.text)
    environment = script.environment
    environment.expect(planned.target.text)
    folder = local_folder(checkpoint)
    if folder is None:
        raise NotSupportedError(f"Verification with a checkpoint on another file system ({checkpoint})")
    if not folder.is_dir():
        raise no_checkpoint(checkpoint)
    found = Path(environment.known_statements.folder(None, str(folder), planned.job, text))
    lines = _last_offsets(found, checkpoint)
    heads = [fragment.head for fragment in stages(planned.job)[0]]
    if len(lines) != len(heads):
        raise JobError(f"{found} has offsets of {len(lines)} sources, the query has {len(heads)}")
    return {
        head.id: (own_offset(json.loads(line)), str(found / "sources" / str(number)))
        for number, (head, line) in enumerate(zip(heads, lines, strict=True))
    }


def _last_offsets(folder: Path, checkpoint: str) -> list[str]:
    """Return the offsets of the last committed micro-batch, a line for each source."""
    commits = [int(file.name) for file in (folder / SPARK / "commits").glob("*") if file.name.isdigit()]
    if not commits:
        raise UsageError(
            f"{checkpoint} has no finished micro-batch of this query",
            hint="run the job first, with this script and this checkpoint",
        )
    return (folder / SPARK / "offsets" / str(max(commits))).read_text(encoding="utf-8").splitlines()[2:]
