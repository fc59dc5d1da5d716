"""A checkpoint with several micro-batches, made without Spark: as far as `firesteel why` reads it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from firesteel import TableEnvironment
from firesteel.connectors.base import Offset, ReadLimit
from firesteel.runtime.dataflow.sequence import concat, in_order
from firesteel.session.upgrade.script_jobs import PlannedStatement, script_jobs
from firesteel.session.why.explanation import Explanation
from firesteel.session.why.texts import row_texts
from firesteel.session.why.why import Question, explain_row
from firesteel.spark.checkpoint import fingerprint
from firesteel.spark.checkpoint.fingerprint import Layout
from firesteel.spark.checkpoint.upgrade.kept_script import FILE, KeptScript
from firesteel.spark.in_process.host import InProcessJob
from firesteel.spark.stream.ending_source import EndingSource
from firesteel.spark.stream.source_start import note_start
from firesteel.spark.task.splits import open_head
from firesteel.spark.upgrade.source_history import heads
from firesteel.spark.why.condition import Condition
from firesteel.spark.why.recorder import Recorder, tables
from firesteel.spark.why.rerun import Rerun

NOW = 1_767_225_600_000
"""Processing time of the first micro-batch. Each one is a second later."""


class PastJob:
    """Checkpoint of the statements of a script, which have read all that is there.

    Args:
        base: Folder of all files; `{base}` in the script.
        script: The script.
        rows: Most rows of each source in a micro-batch.
        options: Options of the session.
    """

    def __init__(
        self, base: Path, script: str, rows: int = 2, options: Mapping[str, str] | None = None
    ) -> None:
        self.base, self.checkpoint, self.options = base, base / "checkpoint", dict(options or {})
        self.script = script.replace("{base}", str(base))
        self.checkpoint.mkdir(mode=0o700)
        planned = script_jobs(TableEnvironment.create(configuration=self.options), self.script)
        for number, each in enumerate(planned):
            self._write(self.folder(number), each, rows)

    def folder(self, number: int = 0) -> Path:
        """Return the folder of a statement."""
        return self.checkpoint / f"insert-{number}"

    def _write(self, folder: Path, planned: PlannedStatement, rows: int) -> None:
        for place in ("spark/offsets", "spark/commits"):
            (folder / place).mkdir(parents=True)
        job = planned.job.job
        saved = {"id": folder.name} | fingerprint._fingerprint(job, Layout(8, 2))
        (folder / fingerprint.FILE).write_text(json.dumps(saved))
        (folder / fingerprint.STATEMENT).write_text(planned.job.identity.text)
        (folder / FILE).write_text(json.dumps(asdict(KeptScript.of(self.script, {}))))
        sources: list[Any] = []
        for number, head in enumerate(heads(job)):
            source = open_head(head)
            source.keep_log(str(folder / "sources" / str(number)))
            note_start(str(folder / "sources" / str(number)), source.initial_offset())
            marks = any(
                "Watermark" in type(each).__name__ for chain in job.chains for each in chain.operators
            )
            sources.append(EndingSource(source) if marks and source.bounded else source)
        at = [source.initial_offset() for source in sources]
        limit = ReadLimit(rows=rows)
        batch = 0
        while (ends := [s.latest_offset(start, limit) for s, start in zip(sources, at, strict=True)]) != at:
            self._batch(folder, batch, ends)
            at, batch = ends, batch + 1

    def _batch(self, folder: Path, number: int, ends: Sequence[Offset]) -> None:
        lines = [json.dumps({**end, "$now": NOW + 1000 * number, "$ticked": 0}) for end in ends]
        (folder / f"spark/offsets/{number}").write_text("\n".join(("v1", "{}", *lines)))
        (folder / f"spark/commits/{number}").write_text("v1\n{}")

    def why(self, *key: str, script: str | None = None, **asked: Any) -> Explanation:
        """Ask for a row."""
        options = {"execution.checkpointing.dir": str(self.checkpoint), **self.options}
        environment = TableEnvironment.create(configuration=options)
        return explain_row(environment, script or self.script, Question(key, **asked))


def all_changes(job: PastJob, wanted: Condition) -> list[str]:
    """Return the changes of the sink that a condition picks, from a run of all rows without a filter."""
    changes = whole_run(job).changes
    return [] if changes is None else row_texts(changes.filter(pa.array(wanted.mask(changes))))


@dataclass(frozen=True)
class WholeRun:
    """A run of all rows without a filter.

    Attributes:
        planned: The only statement.
        changes: The changes of its sink; None without any.
        job: The job, which has the states after the last micro-batch.
    """

    planned: PlannedStatement
    changes: pa.Table | None
    job: InProcessJob


def whole_run(job: PastJob) -> WholeRun:
    """Run all rows of the only statement of a job without a filter."""
    options = {"execution.checkpointing.dir": str(job.checkpoint), **job.options}
    (planned,) = script_jobs(TableEnvironment.create(configuration=options), job.script)
    recorder = Recorder({}, frozenset())
    with TemporaryDirectory() as scratch:
        ended = Rerun(planned.job.job, job.folder(), 2, Path(scratch), None).run(recorder)
    found = defaultdict[int, list[pa.Table]](list)
    for chain in planned.job.job.chains:
        if any(output.to < 0 for output in chain.outputs):
            for batch, rows in tables(recorder.events.get((chain.id, len(chain.operators), 0), [])):
                found[batch].append(rows)
    parts = [in_order(concat(found[batch])) for batch in sorted(found)]
    return WholeRun(planned, concat(parts) if parts else None, ended)


def write_lines(file: Path, *lines: Mapping[str, object]) -> None:
    """Write objects as the lines of a file, whose folder is made."""
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
