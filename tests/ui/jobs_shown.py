"""Jobs for the page's tests: planned for real, with counters that a test sets."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from firesteel.explain.sections import explain_physical
from firesteel.job.steps import step_names
from firesteel.jobs.job import Source
from firesteel.jobs.registry import Registry
from firesteel.plan.tree import Field
from firesteel.runtime.dataflow.counters import Counters
from firesteel.runtime.state.size import StateSize
from firesteel.session.environment import TableEnvironment
from firesteel.session.graph.job_graph import Origins, about_job
from firesteel.session.jobs import job_of
from firesteel.session.live.live_rows import LiveRows
from firesteel.session.planning import plan_all
from firesteel.spark.batch_log import DELIVERY, TASKS, WAITING, Batch, Totals
from firesteel.spark.hot_keys import HotKeys
from firesteel.spark.progress import Progress
from firesteel.types.sql import BIGINT, STRING

_BEGIN = 1_767_325_800.0
"""Time of the first micro-batch in seconds since 1970."""
TABLES = """
CREATE TABLE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen', 'rows-per-second' = '10');
CREATE TABLE customers (name STRING, country STRING, PRIMARY KEY (name) NOT ENFORCED)
WITH ('connector' = 'datagen', 'rows-per-second' = '10');
CREATE TABLE totals (country STRING, total BIGINT, n BIGINT) WITH ('connector' = 'blackhole');
"""
INSERT = """INSERT INTO totals
SELECT country, SUM(amount), COUNT(*)
FROM orders JOIN customers ON customer = name
WHERE amount > 10
GROUP BY country"""


def registry_of_jobs() -> tuple[Registry, Progress]:
    """Return a registry with a running job, a failed one, one that is being planned and a finished one.

    Returns:
        The registry, and the counters of the running job.
    """
    registry = Registry()
    environment = TableEnvironment.create(configuration={"parallelism.default": "2", "my.password": "hidden"})
    for statement in environment.parse(TABLES):
        environment.execute(statement, TABLES)
    (insert,) = environment.parse(INSERT)
    origins: Origins = []
    plans = [each.physical for each in plan_all(environment, (insert,), INSERT, collect=False)]
    spec = job_of(environment, plans, None, origins)
    job = registry.add(Source(INSERT, "orders.sql", 12, 1))
    progress = Progress(name="orders.sql: totals", steps=step_names(spec), watermark=1_767_325_845_000)
    for chain, names in progress.steps.items():
        progress.chains[chain] = [Counters(100, 100, 10**9, 0) for _ in names]
    progress.states = {
        (1, 0): {"join-1/left": StateSize(4000, 90_000), "join-1/right": StateSize(200, 3000)},
        (2, 0): {"group-aggregate-2": StateSize(12, 800)},
    }
    progress.hot_keys[1, 0] = HotKeys()
    progress.hot_keys[1, 0].add(12_000, [(("Smith",), 5400), (("Miller",), 840)])
    progress.lag = lambda: {("orders", 0): 12, ("orders", 1): 3400}
    about = about_job(environment, spec, plans, origins)
    text = partial(explain_physical, plans, ("CHANGELOG_MODE",))
    registry.planned(job, progress, text, None, about)
    job.run()
    job.rows = _rows()
    _fail(registry)
    registry.add(Source("SELECT 1"))
    _finish(registry)
    return registry, progress


def _rows() -> LiveRows:
    """Return rows of more than one page."""
    rows = LiveRows([Field("country", STRING), Field("total", BIGINT)], "UTC")
    totals = pa.array(range(120), pa.int64())
    kinds = pa.array([0] * 120, pa.int8())
    rows.add(pa.table({"$kind": kinds, "f0": [f"country {n % 40}" for n in range(120)], "f1": totals}))
    return rows


def _fail(registry: Registry) -> None:
    job = registry.add(Source("INSERT INTO totals SELECT a FROM t", "orders.sql", 30, 1))
    registry.planned(job, Progress(name="orders.sql: broken"))
    job.run()
    job.restart("The broker is away.")
    job.run()
    job.end(ValueError("The message cannot be read.\n  --> orders.sql:30:25\n30 | INSERT\n   |   ^"))


def _finish(registry: Registry) -> None:
    job = registry.add(Source("INSERT INTO totals SELECT a FROM u", "orders.sql", 40, 1))
    registry.planned(job, Progress(name="orders.sql: done"))
    job.run()
    job.end()


def end_batches(progress: Progress, number: int) -> None:
    """End some micro-batches of a job, one each second of a past minute."""
    for _ in range(number):
        progress.batch += 1
        progress.batches += 1
        rows = 1000 + 300 * (progress.batch % 7)
        progress.read += rows
        progress.changes += 40
        for steps in progress.chains.values():
            for step in steps:
                step.add((rows, rows - 100, 2 * 10**8, 1))
        seconds = 0.8 + 0.1 * (progress.batch % 5)
        progress.log._batches.append(
            Batch(
                number=progress.batch,
                ended=_BEGIN + progress.batch,
                seconds=seconds,
                spent={WAITING: 0.2, TASKS: seconds - 0.3, DELIVERY: 0.1},
                counts=Totals(rows, 40),
                busy={chain: (10**8,) * len(steps) for chain, steps in progress.chains.items()},
            )
        )
