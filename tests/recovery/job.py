"""The program that is killed: aggregate canal-json changes into canal-json files, with a checkpoint.

usage: python -m tests.recovery.job INPUT OUTPUT CHECKPOINT ROWS_A_BATCH MODE

MODE is `records`, or `bundles`: in two phases, bundles of a tenth of a micro-batch.
"""

from __future__ import annotations

import sys
from pathlib import Path

from firesteel.runtime.spec import SinkSpec
from firesteel.spark import stream_host
from firesteel.spark.launch import LaunchOptions, create_session
from firesteel.spark.stream_host import StreamSettings
from firesteel.types.sql import BIGINT, INT, STRING
from tests.spark.jobs import grouped, in_two_phases

NAMES = ("name", "total", "biggest", "different", "n")
CALLS = ("SUM", "MAX", "COUNT(DISTINCT)", "COUNT(*)")


def main() -> None:
    source, output, checkpoint, rows, mode = sys.argv[1:]
    options = (("connector", "filesystem"), ("path", output), ("format", "canal-json"))
    sink = SinkSpec("filesystem", options, NAMES, (STRING, INT, INT, BIGINT, BIGINT))
    spark = create_session(LaunchOptions(host="stream"))
    settings = StreamSettings(checkpoint, parallelism=2, max_rows=int(rows))
    job = grouped(Path(source), CALLS, sink)
    if mode == "bundles":
        job = in_two_phases(job, max(1, int(rows) // 10))
    stream_host.start(job, spark, settings).wait()
    spark.stop()


if __name__ == "__main__":
    main()
