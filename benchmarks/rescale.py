"""Time of `firesteel rescale` and of a savepoint over many keys of state, and whether the job goes on right.

usage: python -m benchmarks.rescale [--keys N]

A job of N keys in two tasks is stopped, rescaled to four tasks and to one, copied by a savepoint and restored
from it. After each of these it gets another file of changes. At the end its sink must have the answer that
DuckDB gives over all files.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

NAME = "rescale"
WHAT = "seconds to rescale a checkpoint and to copy it by a savepoint"

_COMMAND = [sys.executable, "-m", "firesteel.cli.main"]
FILES = 5
CHANGES = 50_000
SCRIPT = """\
SET 'parallelism.default' = '2';
SET 'firesteel.host' = 'stream';
CREATE TABLE source (k BIGINT, v INT)
WITH ('connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json',
  'source.monitor-interval' = '200 ms');
CREATE TABLE sums (k BIGINT, s INT, c BIGINT)
WITH ('connector' = 'filesystem', 'path' = '{folder}/out', 'format' = 'debezium-json');
INSERT INTO sums SELECT k, SUM(v), COUNT(*) FROM source GROUP BY k;
"""
EXPECTED = "SELECT k, SUM(v) AS s, COUNT(*) AS c FROM read_json('{folder}/in/*.json') GROUP BY k"
WRITTEN = """\
SELECT COALESCE(after.k, before.k) AS k, COALESCE(after.s, before.s) AS s, COALESCE(after.c, before.c) AS c
FROM read_json('{folder}/out/*', columns = {{
  'before': 'STRUCT(k BIGINT, s INT, c BIGINT)', 'after': 'STRUCT(k BIGINT, s INT, c BIGINT)', 'op': 'VARCHAR'
}})
GROUP BY ALL HAVING SUM(CASE WHEN op = 'c' THEN 1 ELSE -1 END) <> 0
"""


def run(keys: int = 5_000_000) -> None:
    """Print the seconds of each command.

    Raises:
        AssertionError: A command failed, or the sink does not have the answer.
    """
    print(f"\n{NAME}: {WHAT}, {keys:,} keys", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        (folder / "job.sql").write_text(SCRIPT.format(folder=folder))
        for file in range(FILES):
            _write(folder, f"k{file}", f"range({file}, {keys}, {FILES})")
        checkpoint, lines = folder / "checkpoint", Lines(folder / "out")
        _run("the job, from nothing", folder, checkpoint, lines, keys)
        for number, parallelism in enumerate((4, 1)):
            _timed(f"rescale to {parallelism}", "rescale", checkpoint, "--parallelism", parallelism)
            _more(folder, number, keys, checkpoint, lines)
        _timed("savepoint", "savepoint", checkpoint, folder / "savepoint")
        shutil.rmtree(checkpoint)
        _more(folder, 2, keys, folder / "savepoint", lines)
        _check(folder)


def _more(folder: Path, number: int, keys: int, checkpoint: Path, lines: Lines) -> None:
    """Let the job go on with one more file. Each of its rows retracts a result and sends a new one."""
    _write(folder, f"m{number}", f"(SELECT CAST(FLOOR(random() * {keys}) AS BIGINT) FROM range({CHANGES}))")
    _run(f"the job, {CHANGES:,} changes more", folder, checkpoint, lines, 2 * CHANGES)


class Lines:
    """Lines that a job has written.

    Args:
        folder: The folder of its sink.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._counts: dict[Path, int] = {}

    def count(self) -> int:
        """Return the number of lines of all files that the sink shows. A file that it shows is whole."""
        for file in self._folder.glob("part-*"):
            if file not in self._counts:
                self._counts[file] = file.read_bytes().count(b"\n")
        return sum(self._counts.values())


def _run(what: str, folder: Path, checkpoint: Path, lines: Lines, more: int) -> None:
    """Run the job until it has written some lines more, and stop it. Print the seconds of all."""
    began, wanted = time.monotonic(), lines.count() + more
    command = [*_COMMAND, "run", str(folder / "job.sql"), "--checkpoint", str(checkpoint)]
    with (folder / "said").open("w") as said, subprocess.Popen(command, stderr=said) as job:
        while lines.count() < wanted:
            assert job.poll() is None, (folder / "said").read_text()
            time.sleep(0.1)
        job.send_signal(signal.SIGINT)
    assert lines.count() == wanted, f"{lines.count():,} lines in place of {wanted:,}"
    print(f"  {what:<30} {time.monotonic() - began:8.1f} s", flush=True)


def _write(folder: Path, name: str, keys: str) -> None:
    """Write a file of rows with the keys of a table function or query."""
    rows = f"SELECT k, CAST(random() * 1000 AS INT) AS v FROM {keys} AS t(k)"
    duckdb.sql(f"COPY ({rows}) TO '{folder}/{name}.json' (FORMAT json)")
    (folder / f"{name}.json").rename(folder / "in" / f"{name}.json")


def _timed(what: str, *arguments: object) -> None:
    """Run a command of firesteel and print its seconds."""
    began = time.monotonic()
    command = [*_COMMAND, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(f"  {what:<30} {time.monotonic() - began:8.1f} s", flush=True)


def _check(folder: Path) -> None:
    """Compare what the sink has with the answer."""
    written, expected = WRITTEN.format(folder=folder), EXPECTED.format(folder=folder)
    both = f"(({written}) EXCEPT ({expected})) UNION ALL (({expected}) EXCEPT ({written}))"
    ((differ,),) = duckdb.execute(f"SELECT COUNT(*) FROM ({both})").fetchall()
    assert differ == 0, f"{differ:,} rows differ"
    ((count,),) = duckdb.execute(f"SELECT COUNT(*) FROM ({expected})").fetchall()
    print(f"  the sink has the answer: {count:,} rows", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keys", type=int, default=5_000_000)
    run(parser.parse_args().keys)
