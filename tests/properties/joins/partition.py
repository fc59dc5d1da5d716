"""Ternary logic: a query is what its rows are for which a condition is true, false and unknown.

Q = Q WHERE p + Q WHERE NOT p + Q WHERE p IS NULL, as bags of rows that are left (Rigger and Su: Finding
bugs in database systems via query partitioning, 2020).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from firesteel.errors import NotSupportedError
from firesteel.job.spec import JobSpec
from tests.cases.script import job
from tests.properties.joins.histories import history
from tests.properties.joins.oracle import Answer, Oracle
from tests.properties.joins.queries import Query, partitioned
from tests.properties.joins.trial import Case, Failure, changes, folded
from tests.properties.local_job import LocalJob


@dataclass(frozen=True)
class Partitioned:
    """A query without a condition, and the three queries that share its rows."""

    whole: Case
    parts: tuple[str, ...]


def partitioned_case(seed: str, events: int = 25) -> Partitioned | None:
    """Draw the case of a seed. None if streams differ from batch there by design (queries.py)."""
    rng = random.Random(f"partition {seed}")
    names = "lrcd"[: rng.choice([2, 3, 4])]
    tables = [history(rng, name, rng.randint(0, events)) for name in names]
    sql, condition, guards = partitioned(rng, names)
    oracle = Oracle(tables)
    try:
        if not all(oracle.rows(guard) for guard in Query(sql, guards).duck_guards):
            return None
    except duckdb.Error:
        return None
    parts = (condition, f"NOT ({condition})", f"({condition}) IS NULL")
    whole = Case(seed, tables, Query(sql, ()), None)
    return Partitioned(whole, tuple(Query(f"{sql} WHERE {part}", ()).flink for part in parts))


def partition_failure(
    made: Partitioned, cutting: str, targets: int, options: Mapping[str, str]
) -> Failure | None:
    """Run the four queries of a case, and return why the parts are not the whole.

    Raises:
        NotSupportedError: A query is refused.
    """
    environment = made.whole.environment()
    for key, value in options.items():
        environment.execute_sql(f"SET '{key}' = '{value}'")
    answers = []
    for sql in (made.whole.query.flink, *made.parts):
        try:
            rows, invalid = _answer(made.whole, job(environment, sql), cutting, targets)
        except NotSupportedError:
            raise
        except Exception as error:
            rows, invalid = Counter(), f"{type(error).__name__}: {error}"
        if invalid:
            return Failure(made.whole.seed, cutting, sql, invalid)
        answers.append(rows)
    whole, *parts = answers
    together = sum(parts, Counter[tuple[str, ...]]())
    if together == whole:
        return None
    missing, extra = sorted((whole - together).elements()), sorted((together - whole).elements())
    why = f"missing {missing[:6]}, too many {extra[:6]}; parts have {[part.total() for part in parts]} rows"
    return Failure(made.whole.seed, f"{cutting}, {targets}", made.parts[0], why)


def _answer(made: Case, spec: JobSpec, cutting: str, targets: int) -> tuple[Answer, str | None]:
    local = LocalJob(spec, {table.name: table.rows for table in made.tables}, targets)
    return folded(changes(local, cutting, random.Random(made.seed)))
