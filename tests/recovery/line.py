"""A job that is stopped, cut off and started again in one process: files of changes to GROUP BY to a sink."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from firesteel import durability
from firesteel.connectors.filesystem.manifests import Manifests
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.jdbc.batches import Batches
from firesteel.connectors.kafka.producer import Producer
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.spark.checkpoint.fingerprint import job_id
from firesteel.spark.checkpoint.recovery_plan import REFUSE
from firesteel.spark.delivery import Delivery
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.host import StreamJob
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import BIGINT, INT, STRING
from tests.recovery.job import CALLS, FILES, NAMES
from tests.recovery.kills import Row, totals, written
from tests.recovery.runs import commits
from tests.spark.jobs import grouped, random_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark
    from tests.recovery.sinks import Sink

ROWS = 25
"""Of a micro-batch."""
_SECONDS = 120.0


class CutError(Exception):
    """The power is gone."""


class Line:
    """The job, its input, and where it writes. sink: options of a table, and what is left there; None for
    files in `out` beside the checkpoint. home: the folder with both, of which a cut or a restore puts another
    one in place: Spark's state holds its path."""

    def __init__(
        self,
        spark: Spark,
        folder: Path,
        seed: int,
        sink: Sink | None = None,
    ) -> None:
        self.spark = spark
        self._folder = folder
        self._chance = random.Random(seed)
        self._rows: dict[int, dict[str, Any]] = {}
        self._changes = random_changes(self._chance, self._rows, names=9)
        self._sink = sink
        self.files = 0
        self.home = folder / "home"
        self.out = self.home / "out"
        self.home.mkdir(parents=True)
        (folder / "in").mkdir()

    @property
    def checkpoint(self) -> Path:
        return self.home / "checkpoint"

    def put(self, home: Path) -> None:
        """Put another folder in place of `home`."""
        shutil.rmtree(self.home)
        home.rename(self.home)

    def feed(self, messages: int) -> None:
        """Add a file of changes to the input."""
        text = "".join(f"{message}\n" for _, message in itertools.islice(self._changes, messages))
        hidden = self._folder / "in" / ".new"
        hidden.write_text(text)
        hidden.rename(self._folder / "in" / f"{self.files:06}.json")
        self.files += 1

    def run(
        self,
        recovery: str = REFUSE,
        during: Callable[[StreamJob], object] | None = None,
        source_recovery: str = REFUSE,
    ) -> None:
        """Run the job until it has read all input. during: called all the time.

        Raises what ends it.
        """
        job = stream_host.start(self._job(), self.spark, self._settings(recovery, source_recovery))
        end = time.monotonic() + _SECONDS
        try:
            while not self.has_read_all():
                if not job._query.isActive:
                    job.wait()
                    return
                assert time.monotonic() < end, "the job does not come to the end of its input"
                if during is not None:
                    during(job)
                time.sleep(0.02)
        finally:
            job.stop()
        job.wait()

    def sink_spec(self) -> SinkSpec:
        """The sink of the job."""
        files = {**FILES, "path": str(self.out)}
        options = files if self._sink is None else json.loads(self._sink[0])
        types = (STRING, INT, INT, BIGINT, BIGINT)
        return SinkSpec(options["connector"], tuple(options.items()), NAMES, types, "t")

    def job_name(self) -> str:
        """The name by which the sink knows the job, once it has begun."""
        return job_id(self.spark.context, str(self.checkpoint))

    def _job(self) -> Any:
        job = grouped(self._folder / "in", CALLS, self.sink_spec())
        chain = job.chains[0]
        scan = chain.inputs[0].of
        assert isinstance(scan, ScanSpec)
        scan = replace(scan, options=(*scan.options, ("source.monitor-interval", "50 ms")))
        chain = replace(chain, inputs=(replace(chain.inputs[0], of=scan),))
        return replace(job, chains=(chain, *job.chains[1:]), bounded=False)

    def _settings(self, recovery: str, source_recovery: str) -> StreamSettings:
        return StreamSettings(
            str(self.checkpoint),
            parallelism=2,
            max_rows=ROWS,
            recovery=recovery,
            source_recovery=source_recovery,
        )

    def has_read_all(self) -> bool:
        """Whether the last committed batch ends with the last file."""
        last = commits(self.checkpoint) - 1
        if last < 0:
            return False
        with suppress(OSError, ValueError):
            text = (self.checkpoint / "spark" / "offsets" / str(last)).read_text()
            offset = json.loads(text.splitlines()[2])
            return bool(offset["file"] == self.files and not offset["byte"])
        return False

    def left(self) -> Counter[Row]:
        """The rows that are left in the sink. Raises where a change does not go with those before."""
        return written(self.out) if self._sink is None else self._sink[1]()

    def ever(self) -> set[Row]:
        """All rows that ever came to the sink."""
        if self._sink is not None:
            return self._sink[1].ever()
        files = (path for path in self.out.iterdir() if path.name.startswith("part-"))
        lines = (json.loads(line)["data"][0] for path in files for line in path.read_text().splitlines())
        return {(row["name"], *(int(row[name]) for name in NAMES[1:])) for row in lines}

    def answer(self) -> Counter[Row]:
        """Those that must be left."""
        return totals((row["name"], row["cnt"]) for row in self._rows.values())


@contextmanager
def stepped(step: Callable[[str], None]) -> Iterator[None]:
    """Within it `step` is called before and after all that a micro-batch does on the driver: each sync, each
    sink's commit. What it raises ends the job there."""
    with ExitStack() as patches:
        for owner, name in (
            (durability, "_sync"),
            (StreamJob, "_deliver"),
            (Delivery, "_run"),
            (FilesystemSink, "commit"),
            (Manifests, "decide"),
            (FilesystemSink, "_show"),
            (Batches, "is_new"),
            (Producer, "begin"),
            (Producer, "commit"),
        ):
            patches.enter_context(mock.patch.object(owner, name, _stepped(getattr(owner, name), name, step)))
        yield


def _stepped(call: Any, name: str, step: Callable[[str], None]) -> Any:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        step(f"before {name}")
        given = call(*args, **kwargs)
        step(f"after {name}")
        return given

    return wrapped
