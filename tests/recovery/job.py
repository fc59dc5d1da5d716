"""The program that is killed: aggregate canal-json changes into canal-json files or another sink, with a
checkpoint.

usage: python -m tests.recovery.job INPUT OUTPUT CHECKPOINT ROWS_A_BATCH MODE [KILL]

OUTPUT is a folder, or the options of a sink's table as a JSON object. MODE is `records`, or `bundles`: in two
phases, bundles of a tenth of a micro-batch. KILL is where in the commit of batch 2 the process kills itself:
with its files `written`, or `noted` in the manifest, or with the sink's transactions `committed`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.positions import Origin
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.delivery import Delivery, RunTasks
from firesteel.spark.launch.launch import create_session
from firesteel.spark.launch.settings import LaunchOptions
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import BIGINT, INT, STRING
from tests.spark.jobs import grouped, in_two_phases

NAMES = ("name", "total", "biggest", "different", "n")
FILES = {"connector": "filesystem", "format": "canal-json"}
CALLS = ("SUM", "MAX", "COUNT(DISTINCT)", "COUNT(*)")


def main() -> None:
    source, output, checkpoint, rows, mode, *kill = sys.argv[1:]
    if kill:
        kill_where(kill[0])
    options = json.loads(output) if output.startswith("{") else {**FILES, "path": output}
    sink = SinkSpec(
        options["connector"], tuple(options.items()), NAMES, (STRING, INT, INT, BIGINT, BIGINT), "t"
    )
    spark = create_session(LaunchOptions(host="stream"))
    settings = StreamSettings(checkpoint, parallelism=2, max_rows=int(rows))
    job = grouped(Path(source), CALLS, sink)
    if mode == "bundles":
        job = in_two_phases(job, max(1, int(rows) // 10))
    stream_host.start(job, spark, settings).wait()
    spark.stop()


def kill_where(place: str) -> None:
    run = Delivery._run

    def ran(self: Delivery, number: int, batch: int, origin: Origin, tasks: RunTasks) -> list[str]:
        tokens = run(self, number, batch, origin, tasks)
        if batch == 2 and place == "committed":
            os.kill(os.getpid(), signal.SIGKILL)
        return tokens

    commit, show = FilesystemSink.commit, FilesystemSink._show
    batches: list[int] = []

    def committed(self: FilesystemSink, batch: int, tokens: Sequence[str]) -> None:
        batches.append(batch)
        if batch == 2 and place == "written":
            os.kill(os.getpid(), signal.SIGKILL)
        commit(self, batch, tokens)

    def shown(self: FilesystemSink, files: Mapping[str, str]) -> None:
        if batches[-1:] == [2] and place == "noted":
            os.kill(os.getpid(), signal.SIGKILL)
        show(self, files)

    vars_of: Any = FilesystemSink
    vars_of.commit, vars_of._show = committed, shown
    delivery: Any = Delivery
    delivery._run = ran


if __name__ == "__main__":
    main()
