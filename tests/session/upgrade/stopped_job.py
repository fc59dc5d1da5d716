"""A stopped job's checkpoint, made without Spark: as far as the checks of an upgrade look at it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from firesteel import TableEnvironment
from firesteel.connectors.base import ReadLimit
from firesteel.job.spec import JobSpec
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.session.upgrade.upgrade import CheckpointUpgrade, opened_upgrade
from firesteel.spark.checkpoint import fingerprint
from firesteel.spark.checkpoint.fingerprint import Layout
from firesteel.spark.checkpoint.upgrade.kept_script import FILE, KeptScript
from firesteel.spark.stream.source_start import note_start
from firesteel.spark.task.splits import open_head
from firesteel.spark.upgrade.source_history import heads

TABLES = """\
CREATE TABLE sales (id INT, name STRING, cnt INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json');
CREATE TABLE totals (name STRING, total INT, n BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/totals', 'format' = 'debezium-json');
CREATE TABLE more (name STRING, total INT, n BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/more', 'format' = 'debezium-json');
CREATE TABLE plain (name STRING, cnt INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/plain', 'format' = 'json');
"""
SUMS = "INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) FROM sales GROUP BY name;"


class StoppedJob:
    """A checkpoint with one micro-batch of each INSERT of a script.

    Args:
        base: Folder of all files.
        statements: The INSERTs.
        tables: Definitions before them.
    """

    def __init__(self, base: Path, statements: str = SUMS, tables: str = TABLES) -> None:
        self.base, self.checkpoint = base, base / "checkpoint"
        (base / "in").mkdir()
        (base / "in" / "1.json").write_text('{"id": 1, "name": "Tom", "cnt": 3}\n')
        self.checkpoint.mkdir(mode=0o700)
        self._tables = tables.format(base=base)
        text = self._tables + statements
        for number, each in enumerate(script_jobs(TableEnvironment.create(), text)):
            self._write(f"insert-{number}", text, each.job.job, each.job.identity.text)

    def _write(self, name: str, text: str, job: JobSpec, statement: str) -> None:
        folder = self.folder(name)
        for place in ("spark/offsets", "spark/commits"):
            (folder / place).mkdir(parents=True)
        saved = {"id": name} | fingerprint._fingerprint(job, Layout(8, 2))
        (folder / fingerprint.FILE).write_text(json.dumps(saved))
        (folder / fingerprint.STATEMENT).write_text(statement)
        kept = asdict(KeptScript.of(text, {}))
        (folder / FILE).write_text(json.dumps(kept))
        offsets = []
        for number, head in enumerate(heads(job)):
            source = open_head(head)
            source.keep_log(str(folder / "sources" / str(number)))
            begin = source.initial_offset()
            note_start(str(folder / "sources" / str(number)), begin)
            offsets.append(json.dumps(source.latest_offset(begin, ReadLimit())))
        (folder / "spark/offsets/0").write_text("\n".join(("v1", "{}", *offsets)))
        (folder / "spark/commits/0").write_text("v1\n{}")

    def folder(self, name: str = "insert-0") -> Path:
        """Return the folder of a statement."""
        return self.checkpoint / name

    @contextmanager
    def upgraded(
        self,
        statements: str,
        tables: str | None = None,
        options: Mapping[str, str] | None = None,
        *,
        any_order: bool = False,
    ) -> Iterator[CheckpointUpgrade]:
        """Open the upgrade to other statements."""
        text = (self._tables if tables is None else tables.format(base=self.base)) + statements
        given = {"execution.checkpointing.dir": str(self.checkpoint), **(options or {})}
        environment = TableEnvironment.create(configuration=given)
        with opened_upgrade(text, given, "", environment, any_order=any_order) as upgrade:
            yield upgrade
