"""One row of a dimension changes that all facts join: a storm of changes through a join and an aggregate.

usage: python -m benchmarks.storm [--rows N] [--updates N] [--width N] [--mini-batch]

N facts are joined to a dimension of one row; above the join, SUM and MIN by a key that ten facts share. All
of it is in the state of a stream with a checkpoint when the dimension's row is updated. The update takes back
N rows of the join and sends N others, so the aggregate gets 2N changes in one micro-batch. With --width the
facts have a text of so many characters, of which the aggregate takes MIN: all changes are as wide.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from benchmarks.process_tree import Peak, cpu_seconds
from benchmarks.state_cost import Reader, put_file
from benchmarks.workload import HOLE, IN_BUNDLES

NAME = "storm"
WHAT = "an update of the one dimension row that 10M facts join, SUM and MIN over 1M keys above, stream host"

ROWS = 10_000_000
PER_KEY = 10
UPDATES = 2

FACTS = """\
CREATE TABLE facts (k INT, v INT{note}, d AS CASE WHEN k > 0 THEN 1 ELSE 2 END) WITH ('connector' = 'datagen',
  'rows-per-second' = '100000000', 'number-of-rows' = '{rows}', 'fields.k.min' = '1',
  'fields.k.max' = '{keys}', 'fields.v.min' = '1', 'fields.v.max' = '1000000'{options})"""
"""All facts have the same d."""
DIMENSION = """\
CREATE TABLE dimension (d INT, rate INT, PRIMARY KEY (d) NOT ENFORCED) WITH ('connector' = 'filesystem',
  'path' = '{folder}', 'format' = 'canal-json', 'source.monitor-interval' = '100 ms')"""
QUERY = (
    "INSERT INTO hole SELECT f.k, SUM(CAST(f.v AS BIGINT) * c.rate), MIN({least}) FROM facts AS f "
    "JOIN dimension AS c ON f.d = c.d GROUP BY f.k"
)
MESSAGE = '{{"data":[{{"d":"1","rate":"{rate}"}}],"old":{old},"type":"{kind}"}}\n'


def run(
    rows: int = ROWS, updates: int = UPDATES, settings: dict[str, str] | None = None, width: int = 0
) -> None:
    """Measure the load and each update, and print seconds, processor seconds and the peak of memory."""
    from firesteel import TableEnvironment
    from firesteel.sql.parser import parse_statement

    query = QUERY.format(least="f.note" if width else "f.v + c.rate")
    note = ", note STRING" if width else ""
    length = f", 'fields.note.length' = '{width}'" if width else ""
    facts = FACTS.format(rows=rows, keys=rows // PER_KEY, note=note, options=length)
    print(f"\n{NAME}: {WHAT}, {rows:,} facts, {width} characters more each", flush=True)
    with tempfile.TemporaryDirectory() as folder, Peak(os.getpid()) as peak:
        source = Path(folder) / "dimension"
        source.mkdir()
        environment = TableEnvironment.create(
            configuration={
                "execution.checkpointing.dir": str(Path(folder) / "checkpoint"),
                **(settings or {}),
            }
        )
        environment.execute_sql(facts)
        environment.execute_sql(DIMENSION.format(folder=source))
        environment.execute_sql(HOLE.format(columns=f"k INT, s BIGINT, m {'STRING' if width else 'INT'}"))
        reader = Reader()
        put_file(source, "first", MESSAGE.format(rate=1, old="null", kind="INSERT"))
        began = time.monotonic(), cpu_seconds(os.getpid())
        result = environment.execute(parse_statement(query), query, watch=reader.watch)
        try:
            read = rows + 1
            reader.wait_for(read)
            _tell("load", began, peak)
            for number in range(updates):
                text = MESSAGE.format(rate=number + 2, old=f'[{{"rate":"{number + 1}"}}]', kind="UPDATE")
                began = time.monotonic(), cpu_seconds(os.getpid())
                put_file(source, f"update-{number}", text)
                read += 2  # -U and +U
                reader.wait_for(read)
                _tell(f"update {number + 1}", began, peak)
        finally:
            result.cancel()


def _tell(what: str, began: tuple[float, float], peak: Peak) -> None:
    seconds, cpu = time.monotonic() - began[0], cpu_seconds(os.getpid()) - began[1]
    print(f"  {what:<10} {seconds:8.2f} s, {cpu:8.2f} CPU s, {peak.take():6.2f} GiB at most", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--updates", type=int, default=UPDATES)
    parser.add_argument("--width", type=int, default=0)
    parser.add_argument("--mini-batch", action="store_true")
    options = parser.parse_args()
    run(options.rows, options.updates, IN_BUNDLES if options.mini_batch else None, options.width)


if __name__ == "__main__":
    main()
