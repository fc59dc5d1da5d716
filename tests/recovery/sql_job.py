"""The program that is killed where a job is a script: it runs it with a checkpoint, and tells how many rows
were late.

usage: python -m tests.recovery.sql_job SCRIPT CHECKPOINT ROWS_A_BATCH TOLD

TOLD is a file that gets a line for each micro-batch that the sinks have: its number, and its late rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

from firesteel import TableEnvironment
from firesteel.spark.progress import Progress
from tests.recovery.runs import commits


class Told:
    """Takes a running job's progress."""

    def __init__(self, told: Path, checkpoint: Path) -> None:
        self._told, self._checkpoint = told, checkpoint
        self._batches = self._late = 0

    def watch(self, progress: Progress) -> None:
        """A micro-batch counts before Spark commits it, so its number is that of the next to be committed."""
        if progress.batches == self._batches:
            return
        with self._told.open("a") as file:
            file.write(f"{commits(self._checkpoint)} {progress.late - self._late}\n")
        self._batches, self._late = progress.batches, progress.late


def main() -> None:
    script, checkpoint, rows, told = sys.argv[1:]
    environment = TableEnvironment.create(
        configuration={
            "firesteel.host": "stream",
            "execution.checkpointing.dir": checkpoint,
            "firesteel.source.max-rows-per-batch": rows,
            "parallelism.default": "2",
            "table.exec.source.idle-timeout": "1 ms",
            "restart-strategy.type": "none",  # a killed JVM ends the process
        }
    )
    teller = Told(Path(told), Path(checkpoint))
    text = Path(script).read_text()
    for piece in environment.split(text):
        (statement,) = environment.parse(piece)
        environment.execute(statement, piece, watch=teller.watch).wait()
    environment.close()


if __name__ == "__main__":
    main()
