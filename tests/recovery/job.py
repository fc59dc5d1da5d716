"""The program that is killed: aggregate canal-json changes into canal-json files, with a checkpoint.

usage: python -m tests.recovery.job INPUT OUTPUT CHECKPOINT ROWS_A_BATCH
"""

from __future__ import annotations

import sys
from pathlib import Path

from firesteel.runtime.spec import SinkSpec
from firesteel.spark import stream_host
from firesteel.spark.launch import LaunchOptions, create_session
from firesteel.spark.stream_host import StreamSettings
from firesteel.types.sql import BIGINT, INT, STRING
from tests.spark.jobs import grouped


def main() -> None:
    source, output, checkpoint, rows = sys.argv[1:]
    options = (("connector", "filesystem"), ("path", output), ("format", "canal-json"))
    sink = SinkSpec("filesystem", options, ("name", "total", "biggest", "n"), (STRING, INT, INT, BIGINT))
    spark = create_session(LaunchOptions(host="stream"))
    settings = StreamSettings(checkpoint, parallelism=2, max_rows=int(rows))
    stream_host.start(grouped(Path(source), sink=sink), spark, settings).wait()
    spark.stop()


if __name__ == "__main__":
    main()
