"""One query over a history: after each refresh its changes leave DuckDB's answer over the live rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

import duckdb

from firesteel import TableEnvironment
from firesteel.job.spec import JobSpec
from tests.cases.script import job
from tests.properties.local_job import LocalJob
from tests.runtime.changes import Row
from tests.tpch.history import History
from tests.tpch.schema import SCHEMAS, Values

QUERIES = {file.stem: file for file in sorted((Path(__file__).parent / "queries").glob("q*.sql"))}

Answer = list[Values]


@dataclass(frozen=True)
class Trial:
    """Histories and answers.

    Attributes:
        history: What happens to the tables.
        answers: For each query its answer after the filling and after each refresh.
    """

    history: History
    answers: Mapping[str, list[Answer]]


@cache
def trial(scale: float, refreshes: int, seed: int = 1) -> Trial:
    """Draw a history and ask DuckDB for all answers."""
    history = History.of(scale, seed)
    answers = {name: [answer] for name, answer in _batch_answers(history).items()}
    for _ in range(refreshes):
        history.refresh()
        for name, answer in _batch_answers(history).items():
            answers[name].append(answer)
    return Trial(history, answers)


def _batch_answers(history: History) -> dict[str, Answer]:
    connection = duckdb.connect(":memory:")
    connection.execute("SET threads = 1")
    for name, schema in SCHEMAS.items():
        connection.register(name, schema.arrow(list(history.live[name].values())))
    return {name: connection.execute(for_duckdb(text(name))).fetchall() for name in QUERIES}


def text(name: str) -> str:
    """Return a query."""
    return QUERIES[name].read_text(encoding="utf-8").strip()


def for_duckdb(sql: str) -> str:
    """Return a query with averages of decimals as decimals, which are DOUBLE in DuckDB."""
    return re.sub(r"AVG\((\w+)\)", r"CAST(AVG(\1) AS DECIMAL(24, 6))", sql)


def planned(name: str, options: Mapping[str, str]) -> JobSpec:
    """Return the job of a query."""
    environment = TableEnvironment.create()
    for schema in SCHEMAS.values():
        environment.execute_sql(schema.ddl(f"/nowhere/{schema.name}.json", "debezium-json"))
    for key, value in options.items():
        environment.execute_sql(f"SET '{key}' = '{value}'")
    return job(environment, text(name))


def failure(made: Trial, name: str, options: Mapping[str, str], targets: int) -> str | None:
    """Return where the changes of a query do not leave DuckDB's answer, None if they always do."""
    local = LocalJob(planned(name, options), made.history.rows, targets)
    cuts = made.history.cuts(local.sources())
    left: Counter[Values] = Counter()
    batches = zip(local.in_batches(cuts), made.answers[name], strict=True)
    for refresh, (changes, expected) in enumerate(batches):
        why = fold(left, changes) or difference(list(left.elements()), expected)
        if why is not None:
            return f"{name}, refresh {refresh}: {why}"
    return None


def fold(left: Counter[Values], changes: Iterable[Row]) -> str | None:
    """Apply changes to the rows that are left, and return why one of them is not valid."""
    for kind, *values in changes:
        row = tuple(values)
        left[row] += 1 if kind in ("+I", "+U") else -1
        if left[row] < 0:
            return f"{kind}{values} takes away a row that is not there"
        if not left[row]:
            del left[row]
    return None


def difference(found: Answer, expected: Answer) -> str | None:
    """Return how two answers differ. Numbers may differ in the digits behind the sixth."""
    found, expected = sorted(found, key=_exact), sorted(expected, key=_exact)
    if len(found) != len(expected):
        return f"{len(found)} rows, expected {len(expected)}: {found[:5]} and {expected[:5]}"
    for one, other in zip(found, expected, strict=True):
        if not all(map(_is_same, one, other)):
            return f"{one}, expected {other}"
    return None


def _exact(row: Values) -> tuple[str, ...]:
    """What orders the rows of an answer: in no query do two rows agree in all values but these numbers."""
    return tuple(str(value) for value in row if not isinstance(value, (Decimal, float, type(None))))


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, (Decimal, float)) and isinstance(other, (Decimal, float)):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-6)
    return bool(one == other)
