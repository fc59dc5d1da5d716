"""Recorded cases in this process, their inputs cut into micro-batches: what is left must be Flink's answer.

usage: python -m tests.cases.cut [--rows N] [--targets N] [--mini-batch on|off] FOLDER...
    runs each SELECT of the cases with N rows of each table in a micro-batch, and prints those that differ
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError
from firesteel.job.spec import ChainSpec
from firesteel.plan.tree import Field
from firesteel.rules.mini_batch.mini_batch_options import ENABLED, LATENCY, SIZE, is_mini_batch
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.session.result import ChangesResult
from firesteel.spark.in_process.host import read_bounded
from firesteel.sql.statements import Query as QueryStatement
from tests.cases.changes import difference
from tests.cases.script import Query, steps
from tests.properties.local_job import LocalJob


@dataclass
class CutJob(LocalJob):
    """A job over the tables of its own sources, which are read once.

    Attributes:
        read_tables: All rows of each source chain.
    """

    read_tables: dict[int, pa.Table] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.read_tables = read_bounded(self.job)

    def read(self, head: ChainSpec, start: int, stop: int) -> pa.Table:
        return self.read_tables[head.id].slice(start, stop - start).combine_chunks()

    def cut(self, rows: int) -> Iterator[pa.Table]:
        """Yield all changes, with so many rows of each source in a micro-batch."""
        lengths = {chain: table.num_rows for chain, table in self.read_tables.items()}
        batches = max(1, -(-max(lengths.values(), default=0) // rows))
        for number in range(batches):
            pieces = {
                chain: (min(number * rows, length), min((number + 1) * rows, length))
                for chain, length in lengths.items()
            }
            yield from self.tables_of_batch(number, pieces, number == 0, last=number == batches - 1)


@dataclass(frozen=True)
class Cutting:
    """How the inputs of a case are cut.

    Attributes:
        rows: Rows of each table in a micro-batch.
        targets: Number of key groups.
        mini_batch: Whether mini-batches are on. None: as the script sets it.
    """

    rows: int = 7
    targets: int = 3
    mini_batch: bool | None = None

    def differences(self, case: Path, open_: frozenset[int] = frozenset()) -> Iterator[tuple[Query, str]]:
        """Yield the SELECTs of a case whose changes are not valid or do not leave Flink's answer, and why.

        If no mini-batch bundles rows, each key's changes must be Flink's, too, where the case says so. What
        Flink refuses must be refused.

        Args:
            case: Folder of the case.
            open_: Numbers of the SELECTs to leave out.
        """
        environment = TableEnvironment.create()
        self._set(environment)
        for step in steps(environment, case):
            if isinstance(step, str):
                with suppress(FiresteelError):  # scripts have statements that Flink refuses, too
                    environment.execute_sql(step)
                self._set(environment)
            elif step.number not in open_:
                why = self._difference(environment, step)
                if why:
                    yield step, why

    def _set(self, environment: TableEnvironment) -> None:
        if self.mini_batch is not None:
            environment.configuration.set(ENABLED, str(self.mini_batch).lower())
            environment.configuration.set(LATENCY, "5 s")
            environment.configuration.set(SIZE, "5000")

    def _difference(self, environment: TableEnvironment, query: Query) -> str | None:
        try:
            got = list(changes(environment, query.sql, self.rows, self.targets))
        except FiresteelError as error:
            return None if query.changes is None else f"{type(error).__name__}: {error}"
        if query.changes is None:
            return "Flink refuses it"
        exact = query.compare == "exact" and not is_mini_batch(environment.configuration)
        return difference(query.changes, got, query.key_columns, exact, query.compare == "text")


def changes(environment: TableEnvironment, sql: str, rows: int, targets: int) -> Iterator[tuple[str, ...]]:
    """Return the changes of a query over tables in files, as print() shows them."""
    (statement,) = environment.parse(sql)
    assert isinstance(statement, QueryStatement)
    (plans,) = plan_all(environment, (statement,), sql, collect=True)
    columns = zip(plans.logical.schema, plans.physical.schema, strict=True)
    cut = CutJob(job_of(environment, [plans.physical]), {}, targets).cut(rows)
    return ChangesResult(
        [Field(named.name, column.type) for named, column in columns],
        cut,
        max_width=30,
        time_zone=environment.time_zone,
        cancel=lambda: None,
        bounded=True,
    ).texts()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=7)
    parser.add_argument("--targets", type=int, default=3)
    parser.add_argument("--mini-batch", choices=("on", "off"))
    parser.add_argument("case", type=Path, nargs="+")
    options = parser.parse_args()
    mini_batch = None if options.mini_batch is None else options.mini_batch == "on"
    cutting = Cutting(options.rows, options.targets, mini_batch)
    for case in options.case:
        found = list(cutting.differences(case))
        print(f"{case.name}: {len(found)} differ", flush=True)
        for query, why in found:
            print(f"  {query.number}: {query.sql}\n    {why[:600]}", flush=True)


if __name__ == "__main__":
    main()
