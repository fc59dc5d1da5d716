"""Keeps checkpoints of today's code, for tests/recovery/test_kept_checkpoint.py to take up from then on.

usage: python -m tests.recovery.kept_checkpoint NAME

It writes the folder tests/recovery/kept/NAME: an archive for each job (kept_jobs.py), what the jobs put out
when they are not interrupted (expected.json), what a job between topics leaves (kafka.json), and the last
commit that changed src/ by then (about.json). A kept checkpoint is never made anew for a change that keeps
the format; when the format changes, another one is put beside it.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyspark

from firesteel.spark.launch.launch import Spark, create_session
from tests.connectors.jdbc.databases import SqliteDatabase
from tests.recovery.kept_archive import pack, unpack
from tests.recovery.kept_jobs import ROWS_A_BATCH, Job, jobs
from tests.recovery.kept_kafka import keep_kafka
from tests.recovery.kept_run import KEPT, Outputs, Run, caught_up, continued, feed, logged, places

_ROOT = Path(__file__).parents[2]
_QUIET_SECONDS = 2.0
_CONFIGURATION = {
    "firesteel.host": "stream",
    "firesteel.source.max-rows-per-batch": str(ROWS_A_BATCH),
    "parallelism.default": "2",
    "pipeline.max-parallelism": "3",
    "table.local-time-zone": "UTC",
}


def main() -> None:
    (name,) = sys.argv[1:]
    assert not _git("status", "--porcelain", "src"), "commit src/ first: a checkpoint is of a commit"
    target = KEPT / name
    target.mkdir(parents=True)
    expected: dict[str, Outputs] = {}
    spark = create_session()
    try:
        for job in jobs():
            print(job.name, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                expected[job.name] = _keep(spark, job, Path(folder), target / f"{job.name}.tar.gz")
        print("kafka", flush=True)
        keep_kafka(spark, _CONFIGURATION, target / "kafka.json")
    finally:
        spark.stop()
    _write(target / "expected.json", expected)
    _write(target / "about.json", _about())


def _keep(spark: Spark, job: Job, folder: Path, archive: Path) -> Outputs:
    """Pack the job as it is when it was stopped; what it puts out in all, or of a query from then on."""
    before = _stopped(spark, job, folder / "stopped")
    pack(folder / "stopped", archive)
    shutil.rmtree(folder / "stopped")
    whole = _uninterrupted(spark, job, folder / "whole")
    if "changes" in whole:
        begun = before["changes"]
        assert whole["changes"][: len(begun)] == begun
        whole = {"changes": whole["changes"][len(begun) :]}
    unpack(archive, folder / "again")
    assert continued(spark, folder / "again", whole) == whole
    return whole


def _stopped(spark: Spark, job: Job, base: Path) -> Outputs:
    _lay_out(job, base)
    run = Run(spark, base)
    if job.batches is None:
        run.wait(lambda: caught_up(base))
        time.sleep(_QUIET_SECONDS)  # a query's changes come by another way
    else:
        batches = job.batches
        run.wait(lambda: len(logged(base, "commits")) >= batches)
    run.stop()
    if job.unfinished:
        _unfinish(base, in_file=job.batches is not None)
    return run.outputs()


def _unfinish(base: Path, in_file: bool) -> None:
    """As if the process had been killed when the sinks had the last micro-batch."""
    last = logged(base, "commits")[-1]
    for file in logged(base, "offsets"):
        if int(file.name) > int(last.name):
            file.unlink()
    assert all((place["byte"] > 0) == in_file for place in places(base)), "stopped at another place"
    last.unlink()


def _uninterrupted(spark: Spark, job: Job, base: Path) -> Outputs:
    _lay_out(job, base)
    run = Run(spark, base)
    run.wait(lambda: caught_up(base))
    feed(base)
    run.wait(lambda: caught_up(base))
    time.sleep(_QUIET_SECONDS)
    run.stop()
    return run.outputs()


def _lay_out(job: Job, base: Path) -> None:
    for name in ("in", "later"):
        (base / name).mkdir(parents=True)
    _write_lines(base / "in" / "1.json", job.lines[: job.stop])
    _write_lines(base / "later" / "2.json", job.lines[job.stop :])
    _write(base / "job.json", _CONFIGURATION | dict(job.configuration))
    (base / "script.sql").write_text(job.script.replace("{base}", str(base)), encoding="utf-8")
    for sql in job.tables:
        SqliteDatabase(base / "db").run(sql)


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _about() -> dict[str, str]:
    return {
        "commit": _git("log", "-1", "--format=%H", "--", "src"),
        "date": _git("log", "-1", "--format=%cs", "--", "src"),
        "pyspark": pyspark.__version__,
        "python": platform.python_version(),
    }


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
