"""Joins whose inputs send updates without the rows before them, below a sink with a primary key.

A row of such an input replaces the one of its key. The table that a sink keeps must be the batch answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from firesteel.job.spec import JobSpec
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.sql.statements import Insert
from tests.properties.joins.histories import Table, history
from tests.properties.joins.oracle import Answer, Oracle, text
from tests.properties.joins.queries import Query
from tests.properties.joins.trial import Case, Failure, Mode, changes
from tests.properties.local_job import LocalJob
from tests.runtime.changes import Row

_BY_K = "(SELECT k, COUNT(*) AS n, MAX(v) AS x FROM {t} WHERE k IS NOT NULL GROUP BY k)"
_BY_K_G = (
    "(SELECT k, g, COUNT(*) AS n, MAX(v) AS x FROM {t} WHERE k IS NOT NULL AND g IS NOT NULL GROUP BY k, g)"
)
_AND = ["", "", " AND a.n > b.n", " AND b.x > 0", " AND a.x <= b.x", " AND a.n + b.n > 3", " AND a.x > 1"]
TEMPLATES = [
    ("k", "SELECT a.k, a.n, b.n, b.x FROM {K} AS a {join} {K} AS b ON a.k = b.k{and}"),
    ("k, g", "SELECT a.k, a.g, a.n, b.x FROM {KG} AS a {join} {K} AS b ON a.k = b.k{and}"),
    ("k, g", "SELECT b.k, b.g, b.n, a.x FROM {K} AS a {right} {KG} AS b ON a.k = b.k{and}"),
    ("k, g", "SELECT b.k, b.g, a.n, b.x FROM {K} AS a JOIN {KG} AS b ON a.k = b.k{and}"),
    (
        "k",
        "SELECT a.k, a.n, a.x FROM {K} AS a WHERE {not}EXISTS (SELECT 1 FROM {K} AS b WHERE a.k = b.k{and})",
    ),
    (
        "k",
        "SELECT a.k, a.n, a.x FROM {K} AS a WHERE {not}EXISTS (SELECT 1 FROM {KG} AS b WHERE a.k = b.k{and})",
    ),
    (
        "k, g",
        "SELECT a.k, a.g, a.n FROM {KG} AS a WHERE {not}EXISTS "
        "(SELECT 1 FROM {KG} AS b WHERE a.k = b.k{and})",
    ),
    ("k, g", "SELECT a.k, a.g, a.n FROM {KG} AS a WHERE a.k {not}IN (SELECT b.k FROM {K} AS b)"),
    (
        "k",
        "SELECT a.k, a.n, b.n, c.x FROM {K} AS a {join} {K} AS b ON a.k = b.k{and} LEFT JOIN {K} AS c "
        "ON a.k = c.k AND c.n >= a.n",
    ),
]
"""The primary key of the sink, and a query: {K} has the key k, {KG} the key (k, g)."""


@dataclass(frozen=True)
class UpsertCase:
    """A query with the primary key of its sink, and the batch answer."""

    case: Case
    key: str
    expected: Answer


def upsert_case(seed: str, events: int = 40) -> UpsertCase:
    """Draw the case of a seed."""
    rng = random.Random(f"upserts {seed}")
    tables = [history(rng, name, rng.randint(3, events)) for name in "lr"]
    key, sql = TEMPLATES[rng.randrange(len(TEMPLATES))]
    while "{K" in sql:
        for slot, by in (("{K}", _BY_K), ("{KG}", _BY_K_G)):
            sql = sql.replace(slot, by.replace("{t}", rng.choice("lr")), 1)
    sql = sql.replace("{join}", rng.choice(["JOIN", "LEFT JOIN", "LEFT JOIN"]))
    sql = sql.replace("{right}", rng.choice(["JOIN", "RIGHT JOIN"]))
    sql = sql.replace("{and}", rng.choice(_AND)).replace("{not}", rng.choice(["", "NOT "]))
    made = Case(seed, tables, Query(sql, ()), None)
    return UpsertCase(made, key, Oracle(tables).rows(sql))


def upsert_failure(made: UpsertCase, mode: Mode) -> Failure | None:
    """Run a case, and return why the sink's table is not the batch answer."""
    cutting, targets, options = mode
    try:
        local = LocalJob(upsert_job(made, options), _rows(made.case.tables), targets)
        found = changes(local, cutting, random.Random(made.case.seed))
        rows = Answer(tuple(map(text, row)) for row in upserted(found, len(made.key.split(","))))
        missing, extra = sorted((made.expected - rows).elements()), sorted((rows - made.expected).elements())
        why = f"missing {missing[:6]}, too many {extra[:6]}" if missing or extra else ""
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
    return Failure(made.case.seed, str(mode), made.case.query.sql, why) if why else None


def _rows(tables: Iterable[Table]) -> dict[str, Any]:
    return {table.name: table.rows for table in tables}


def upsert_job(made: UpsertCase, options: Any) -> JobSpec:
    """Return the job of an INSERT into a table with the key. Its rows go to the caller."""
    environment = made.case.environment()
    for key, value in options.items():
        environment.execute_sql(f"SET '{key}' = '{value}'")
    names = ["k", "g"][: len(made.key.split(","))]
    kinds = ["INT", "STRING"][: len(names)]
    selected = made.case.query.sql.partition(" FROM ")[0].count(",") + 1
    for i in range(len(names), selected):
        item = made.case.query.sql.removeprefix("SELECT ").partition(" FROM ")[0].split(", ")[i]
        names.append(f"c{i}")
        kinds.append("BIGINT" if item.endswith(".n") else "INT")
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
    environment.execute_sql(
        f"CREATE TABLE snk ({columns}, PRIMARY KEY ({made.key}) NOT ENFORCED) WITH ('connector' = 'jdbc', "
        "'url' = 'jdbc:sqlite:/nowhere.db', 'table-name' = 'snk')"
    )
    sql = f"INSERT INTO snk {made.case.query.sql}"
    (statement,) = environment.parse(sql)
    assert isinstance(statement, Insert)
    (plans,) = plan_all(environment, (statement,), sql)
    spec = job_of(environment, [plans.physical])
    (sink,) = spec.sinks
    return replace(spec, sinks=(replace(sink, connector=None),))


def upserted(found: Iterable[Row], keys: int) -> list[tuple[Any, ...]]:
    """Return the rows of a table after changes by its key: its first columns. What goes is deleted by key."""
    table: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for kind, *values in found:
        if kind in ("-D", "-U"):
            table.pop(tuple(values[:keys]), None)
        else:
            table[tuple(values[:keys])] = tuple(values)
    return list(table.values())
