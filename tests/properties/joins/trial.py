"""One random query over random histories, in several modes: what its changes leave is the batch answer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import duckdb

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError
from firesteel.job.spec import JobSpec
from tests.cases.script import job
from tests.properties.joins.histories import Table, history
from tests.properties.joins.oracle import Answer, Oracle, text
from tests.properties.joins.queries import Query, query
from tests.properties.local_job import LocalJob
from tests.runtime.changes import Row

BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "1000",
}
Mode = tuple[str, int, Mapping[str, str]]

MULTI_JOINS = {"table.optimizer.multi-join.enabled": "true"}
MODES: list[Mode] = [
    ("at once", 1, {}),
    ("at once", 4, {}),
    ("batches of 7", 1, {}),
    ("batches of 7", 4, {}),
    ("random batches", 4, {}),
    ("row by row", 1, {}),
    ("at once", 1, BUNDLES),
    ("batches of 7", 4, BUNDLES),
    ("random batches", 1, BUNDLES),
    ("random batches", 4, MULTI_JOINS),
    ("row by row", 1, MULTI_JOINS),
    ("batches of 7", 2, MULTI_JOINS | BUNDLES),
]
"""How the rows are cut into micro-batches, the number of key groups, and options."""


@dataclass(frozen=True)
class Failure:
    """A query whose changes do not leave the batch answer, or that failed."""

    seed: str
    mode: str
    sql: str
    why: str

    def __str__(self) -> str:
        return f"{self.seed}, {self.mode}: {self.sql}\n   {self.why}"


@dataclass(frozen=True)
class Case:
    """Tables, a query over them, and the batch answer; None if the two cannot be compared."""

    seed: str
    tables: list[Table]
    query: Query
    expected: Answer | None

    def environment(self, path: str = "/nowhere/{}.json") -> TableEnvironment:
        """Return a session with the tables. Their files lie at `path`."""
        environment = TableEnvironment.create()
        for table in self.tables:
            environment.execute_sql(table.ddl(path.format(table.name)))
        return environment


def case(seed: str, events: int = 30, draw: Callable[[random.Random, str], Query] = query) -> Case:
    """Draw the case of a seed.

    Args:
        seed: Decides all that is drawn.
        events: Most changes of a table.
        draw: Draws the query over the tables with these names.
    """
    rng = random.Random(seed)
    names = "lrcde"[: rng.choice([2, 3, 3, 4, 5])]
    tables = [history(rng, name, rng.randint(0, events)) for name in names]
    drawn = draw(rng, names)
    return Case(seed, tables, drawn, _answer(tables, drawn))


def _answer(tables: list[Table], drawn: Query) -> Answer | None:
    oracle = Oracle(tables)
    try:
        if not all(oracle.rows(guard) for guard in drawn.duck_guards):
            return None
        return oracle.rows(drawn.duck)
    except duckdb.Error:
        return None


def trial(made: Case, modes: Iterable[Mode]) -> list[Failure]:
    """Run a case in some modes, and return those that differ from the batch answer.

    Raises:
        NotSupportedError: The query is refused.
    """
    failures = []
    jobs: dict[frozenset[tuple[str, str]], JobSpec] = {}
    for cutting, targets, options in modes:
        mode = ", ".join([cutting, f"{targets} key groups", *options])
        try:
            key = frozenset(options.items())
            if key not in jobs:
                jobs[key] = planned(made, options)
            why = difference(made, jobs[key], cutting, targets)
        except NotSupportedError:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        if why:
            failures.append(Failure(made.seed, mode, made.query.flink, why))
    return failures


def planned(made: Case, options: Mapping[str, str]) -> JobSpec:
    """Return the job of a case."""
    environment = made.environment()
    for key, value in options.items():
        environment.execute_sql(f"SET '{key}' = '{value}'")
    return job(environment, made.query.flink)


def difference(made: Case, spec: JobSpec, cutting: str, targets: int) -> str | None:
    """Why the changes of a job are invalid or do not leave the batch answer, or None."""
    local = LocalJob(spec, {table.name: table.rows for table in made.tables}, targets)
    if cutting == "batches of 7":
        return _difference_of_moments(made, local)
    rows, invalid = folded(changes(local, cutting, random.Random(f"{made.seed} {cutting}")))
    return invalid or (None if made.expected is None else _differ(made.expected, rows))


def _difference_of_moments(made: Case, local: LocalJob) -> str | None:
    """Compare after each micro-batch: all sources have given as many rows of each table."""
    found: list[Row] = []
    for number, batch in enumerate(local.in_batches(cuts(local, "batches of 7", random.Random())), 1):
        found += batch
        rows, invalid = folded(found)
        expected = _answer([table.after(7 * number) for table in made.tables], made.query)
        why = invalid or (None if expected is None else _differ(expected, rows))
        if why:
            return f"after micro-batch {number}: {why}"
    return None


def _differ(expected: Answer, rows: Answer) -> str | None:
    missing, extra = sorted((expected - rows).elements()), sorted((rows - expected).elements())
    return f"missing {missing[:6]}, too many {extra[:6]}" if missing or extra else None


def changes(local: LocalJob, cutting: str, rng: random.Random) -> Iterator[Row]:
    """Yield all changes of a job whose input is cut in this way."""
    if cutting == "at once":
        yield from local.at_once()
        return
    for batch in local.in_batches(cuts(local, cutting, rng)):
        yield from batch


def cuts(local: LocalJob, cutting: str, rng: random.Random) -> Iterator[dict[int, int]]:
    """Yield how many rows each source gives to each micro-batch."""
    left = {chain: len(local.tables[name].changes) for chain, name in local.sources().items()}
    while any(left.values()):
        if cutting == "batches of 7":
            cut = dict.fromkeys(left, 7)
        elif cutting == "row by row":
            cut = {rng.choice([chain for chain, rows in left.items() if rows]): 1}
        else:
            cut = {chain: rng.choice([0, 0, 1, 2, 5, 20]) for chain in left}
        yield cut
        left = {chain: max(rows - cut.get(chain, 0), 0) for chain, rows in left.items()}


def folded(found: Iterable[Row]) -> tuple[Answer, str | None]:
    """Return the rows that changes leave, and why they are not valid at some moment."""
    rows: Answer = Counter()
    for number, (kind, *values) in enumerate(found):
        row = tuple(map(text, values))
        if kind in ("+I", "+U"):
            rows[row] += 1
        elif rows[row] > 0:
            rows[row] -= 1
        else:
            return +rows, f"change {number}, {kind}{list(row)}, takes away a row that is not there"
    return +rows, None
