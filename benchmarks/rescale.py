"""Time of `firesteel rescale` and of a savepoint over many keys of state, and whether the job goes on right.

usage: python -m benchmarks.rescale [--keys N]

A job of N keys in two tasks is stopped, rescaled to four tasks and to one, copied by a savepoint and restored
from it. After each of these it gets another file of changes. At the end its sink must have the answer that
DuckDB gives over all files.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

NAME = "rescale"
WHAT = "seconds to rescale a checkpoint and to copy it by a savepoint"

FILES = 5
CHANGES = 50_000
SCRIPT = """\
SET 'parallelism.default' = '2';
SET 'firesteel.host' = 'stream';
CREATE TABLE source (k BIGINT, v INT)
WITH ('connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json');
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
        checkpoint = folder / "checkpoint"
        _timed("the job, from nothing", "run", folder / "job.sql", "--checkpoint", checkpoint)
        for number, parallelism in enumerate((4, 1)):
            _timed(f"rescale to {parallelism}", "rescale", checkpoint, "--parallelism", parallelism)
            _more(folder, number, keys, checkpoint)
        _timed("savepoint", "savepoint", checkpoint, folder / "savepoint")
        shutil.rmtree(checkpoint)
        _more(folder, 2, keys, folder / "savepoint")
        _check(folder)


def _more(folder: Path, number: int, keys: int, checkpoint: Path) -> None:
    """Let the job go on with one more file."""
    _write(folder, f"m{number}", f"(SELECT CAST(random() * {keys} AS BIGINT) FROM range({CHANGES}))")
    _timed(f"the job, {CHANGES:,} changes more", "run", folder / "job.sql", "--checkpoint", checkpoint)


def _write(folder: Path, name: str, keys: str) -> None:
    """Write a file of rows with the keys of a table function or query."""
    rows = f"SELECT k, CAST(random() * 1000 AS INT) AS v FROM {keys} AS t(k)"
    duckdb.sql(f"COPY ({rows}) TO '{folder}/{name}.json' (FORMAT json)")
    (folder / f"{name}.json").rename(folder / "in" / f"{name}.json")


def _timed(what: str, *arguments: object) -> None:
    """Run a command of firesteel and print its seconds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "firesteel.cli.main", *map(str, arguments)]
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
