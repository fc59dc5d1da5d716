"""A job puts out the same after its checkpoint was rescaled, from two tasks to four or three to one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.errors import UsageError
from firesteel.spark.checkpoint.recovery_plan import RESUME
from firesteel.spark.internals import lazy_state
from firesteel.spark.rescale.rescale import rescale
from tests.recovery.kept_archive import unpack
from tests.recovery.kept_run import KEPT, Outputs, Run, caught_up, continued

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytest.importorskip("sqlalchemy")

FINISHED = ["windows", "over", "bundles", "incremental", "sorted"]
UNFINISHED = ["conflicts", pytest.param("upserts", marks=pytest.mark.full)]
"""Jobs whose last micro-batch is at the sinks, and not in Spark's log of commits."""


def rescaled(spark: Spark, base: Path, parallelism: int) -> tuple[int, int]:
    """Rescale the job in a folder. Return its parallelism before and after."""
    (done,) = rescale(str(base / "checkpoint"), parallelism, lambda: spark)
    return done.before, done.after


def kept(name: str, base: Path) -> Outputs:
    """Unpack a kept job with two tasks and three key groups. Return what it puts out in all."""
    archive = KEPT / "2026-11-25" / f"{name}.tar.gz"
    unpack(archive, base)
    expected: dict[str, Outputs] = json.loads(archive.with_name("expected.json").read_text(encoding="utf-8"))
    return expected[name]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("name", FINISHED)
def test_a_kept_job(name: str, tmp_path: Path, spark: Spark) -> None:
    base = tmp_path / "job"
    expected = kept(name, base)
    assert rescaled(spark, base, 3) == (2, 3)
    assert rescaled(spark, base, 1) == (3, 1)
    assert rescaled(spark, base, 1) == (1, 1)
    assert continued(spark, base, expected) == expected


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(not lazy_state.MAY_BE_LATE, reason="Spark 4.2 cannot read this state")
@pytest.mark.parametrize("name", UNFINISHED)
def test_sinks_that_are_ahead(name: str, tmp_path: Path, spark: Spark) -> None:
    """The rows of the last micro-batch would come to other tasks: the user says how to go on."""
    base = tmp_path / "job"
    expected = kept(name, base)
    rescaled(spark, base, 1)
    with pytest.raises(UsageError, match="which is not in the log") as refused:
        Run(spark, base).wait(lambda: False)
    assert f"--recover {RESUME}" in str(refused.value.hint)
    options = json.loads((base / "job.json").read_text()) | {"firesteel.sink-recovery": RESUME}
    (base / "job.json").write_text(json.dumps(options))
    assert continued(spark, base, expected) == expected


SCRIPT = """\
CREATE TABLE sales (id INT, name STRING, cnt INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json',
  'source.monitor-interval' = '100 ms');
CREATE TABLE sums (name STRING, total INT, most INT, n BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/sums', 'format' = 'debezium-json');
CREATE TABLE pairs (id INT, name STRING, partner INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/pairs', 'format' = 'debezium-json');
CREATE TABLE leaders (name STRING, id INT, cnt INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/leaders', 'format' = 'debezium-json');
CREATE TABLE window_sums (name STRING, s TIMESTAMP(3), total INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/window_sums', 'format' = 'debezium-json');
CREATE TABLE sums_over (name STRING, id INT, total INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/sums_over', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sums SELECT name, SUM(cnt), MAX(cnt), COUNT(DISTINCT cnt) FROM sales GROUP BY name;
INSERT INTO pairs SELECT a.id, a.name, b.id FROM sales a LEFT JOIN sales b ON a.id = b.cnt;
INSERT INTO leaders SELECT name, id, cnt FROM
  (SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY cnt DESC) AS r FROM sales) WHERE r <= 2;
INSERT INTO window_sums SELECT name, window_start, SUM(cnt)
  FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '5' SECOND))
  GROUP BY name, window_start, window_end;
INSERT INTO sums_over SELECT name, id, SUM(cnt) OVER (PARTITION BY name ORDER BY ts) FROM sales;
END"""
ROWS = 24
"""Rows of a file."""


def lay_out(base: Path) -> None:
    (base / "in").mkdir(parents=True)
    configuration = {
        "firesteel.host": "stream",
        "parallelism.default": "2",
        "pipeline.max-parallelism": "8",
        "table.local-time-zone": "UTC",
    }
    (base / "job.json").write_text(json.dumps(configuration))
    (base / "script.sql").write_text(SCRIPT.format(base=base))


def feed(base: Path, number: int) -> None:
    """Add a file of rows whose time goes on."""
    rows = []
    for i in range(number * ROWS, (number + 1) * ROWS):
        time = f"2026-01-01 00:00:{i % 60:02}" if i < 60 else f"2026-01-01 00:01:{i % 60:02}"
        rows.append({"id": i, "name": f"n{i * i % 7}", "cnt": (i * 5) % 23, "ts": time})
    new = base / "new.json"
    new.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    new.rename(base / "in" / f"{number}.json")


def run(spark: Spark, base: Path, steps: Sequence[int | None]) -> Outputs:
    """Run the job over a file, and over one more for each step. Return what it puts out.

    Args:
        spark: On which it runs.
        base: Its folder.
        steps: Before each further file: the parallelism that the job, once stopped, is rescaled to, or None
            if the job goes on.
    """
    lay_out(base)
    feed(base, 0)
    job = Run(spark, base)
    job.wait(lambda: caught_up(base))
    for number, parallelism in enumerate(steps, 1):
        if parallelism is not None:
            job.stop()
            assert rescaled(spark, base, parallelism)[1] == parallelism
        feed(base, number)
        if parallelism is not None:
            job = Run(spark, base)
        job.wait(lambda: caught_up(base))
    job.stop()
    return job.outputs()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_from_two_to_four_to_one(tmp_path: Path, spark: Spark) -> None:
    """An aggregate, a join, a Top-N, a window and an OVER put out the same (conflicts: a materializer)."""
    outputs = [run(spark, tmp_path / "as-it-is", (None, None)), run(spark, tmp_path / "rescaled", (4, 1))]
    different = {key: [each.get(key) for each in outputs] for key in {**outputs[0], **outputs[1]}}
    assert {key: both for key, both in different.items() if both[0] != both[1]} == {}
    assert {name.partition("/")[0] for name in outputs[0]} == {
        *("sums", "pairs", "leaders", "window_sums", "sums_over")
    }
