"""Results and jobs for the tests of views, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from firesteel.jobs.job import Job, Source
from firesteel.plan.tree import Field
from firesteel.session.result import ChangesResult
from firesteel.spark.progress import Progress
from firesteel.types.sql import BIGINT, STRING

KINDS = {"+I": 0, "-U": 1, "+U": 2, "-D": 3}
SCHEMA = [Field("name", STRING), Field("total", BIGINT)]


def changes(*rows: tuple[str, str, int]) -> pa.Table:
    kinds, names, totals = zip(*rows, strict=True)
    return pa.table(
        {
            "$kind": pa.array([KINDS[kind] for kind in kinds], pa.int8()),
            "f0": pa.array(names, pa.string()),
            "f1": pa.array(totals, pa.int64()),
        }
    )


def result(tables: Iterable[pa.Table], cancel: Callable[[], object] = lambda: None) -> ChangesResult:
    def read() -> Iterator[pa.Table]:
        yield from tables

    return ChangesResult(SCHEMA, read(), max_width=30, time_zone="UTC", cancel=cancel)


def job(progress: Progress) -> Job:
    made = Job("7", Source("INSERT INTO t SELECT 1"))
    made.planned(progress, str)
    made.run()
    return made
