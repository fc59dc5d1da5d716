"""Recorded cases on the real hosts, in all settings that must not change an answer.

usage: python -m tests.cases.agree [--hosts batch,stream] [--parallelism 1,4] [--rows all,7,100]
                                   [--mini-batch off,on] [--every N] FOLDER...
    runs each SELECT of the cases in each combination of the settings, in one Spark session, and prints
    each SELECT that differs from Flink or is refused, then a table with the counts of all combinations

A micro-batch has so many rows of each table (`all`: no limit). The batch host has one micro-batch, so it
takes no part in `--rows`. With mini-batch `off` the scripts decide. With `on` it is switched on for all
SELECTs, and a bundle has as many rows as a micro-batch; then only what the changes leave is compared, and
cases with watermarks are left out, because mini-batches decide there which rows are late.
`--every 3` runs a third of the SELECTs, another third in each combination.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, NotSupportedError
from firesteel.rules.mini_batch.mini_batch_options import ENABLED, LATENCY, SIZE
from tests.cases.changes import difference
from tests.cases.script import Query, answered, steps

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

AGREE, DIFFER, REFUSED = "agree", "differ", "refused"
UNLIMITED_BUNDLE = 5000
"""Rows of a bundle if a micro-batch has no limit."""


class Outcome(NamedTuple):
    """What came of one SELECT.

    Attributes:
        query: The SELECT.
        verdict: AGREE, DIFFER or REFUSED.
        why: The difference or the error. Empty if the SELECT agrees.
    """

    query: Query
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Setting:
    """One combination of settings.

    Attributes:
        host: `batch` or `stream`.
        parallelism: Parallelism of the job.
        rows: Rows of each table in a micro-batch. None: no limit.
        mini_batch: Whether mini-batches are on for all SELECTs. If not, the scripts decide.
    """

    host: str = "batch"
    parallelism: int = 1
    rows: int | None = None
    mini_batch: bool = False

    def __str__(self) -> str:
        rows = "all" if self.rows is None else self.rows
        mini_batch = "on" if self.mini_batch else "off"
        return f"{self.host:6} p={self.parallelism} rows={rows:<4} mini-batch={mini_batch:4}"

    def outcomes(self, spark: Spark, case: Path, part: Part) -> Iterator[Outcome]:
        """Run the SELECTs of a case that belong to a part, and yield what came of each."""
        options = {"firesteel.host": self.host, "parallelism.default": str(self.parallelism)}
        if self.rows is not None:
            options["firesteel.source.max-rows-per-batch"] = str(self.rows)
        environment = TableEnvironment.create(spark, configuration=options)
        self._set_mini_batch(environment)
        for step in steps(environment, case):
            if isinstance(step, str):
                with suppress(FiresteelError):  # scripts have statements that Flink refuses, too
                    environment.execute_sql(step)
                self._set_mini_batch(environment)
            elif part.has(case, step):
                yield self._outcome(environment, step)

    def _set_mini_batch(self, environment: TableEnvironment) -> None:
        if self.mini_batch:
            environment.configuration.set(ENABLED, "true")
            environment.configuration.set(LATENCY, "1 s")
            environment.configuration.set(SIZE, str(self.rows or UNLIMITED_BUNDLE))

    def _outcome(self, environment: TableEnvironment, query: Query) -> Outcome:
        try:
            result: Any = environment.execute_sql(query.sql)
            got = list(result.texts())
        except FiresteelError as error:
            if query.changes is None:
                return Outcome(query, AGREE)
            refused = isinstance(error, NotSupportedError)
            return Outcome(query, REFUSED if refused else DIFFER, f"{type(error).__name__}: {error}")
        except Exception as error:
            return Outcome(query, DIFFER, repr(error))
        if query.changes is None:
            return Outcome(query, DIFFER, "Flink refuses it")
        exact = query.compare != "final" and not self.mini_batch
        why = difference(query.changes, got, query.key_columns, exact, query.compare == "text")
        return Outcome(query, DIFFER, why) if why else Outcome(query, AGREE)


@dataclass(frozen=True)
class Part:
    """One of n parts of all SELECTs, which are about equally large.

    Attributes:
        every: n. 1: all SELECTs.
        offset: Number of the part.
    """

    every: int = 1
    offset: int = 0

    def has(self, case: Path, query: Query) -> bool:
        """Return whether a SELECT belongs to the part."""
        return zlib.crc32(f"{case.name}:{query.number}".encode()) % self.every == self.offset % self.every


def settings(options: argparse.Namespace) -> list[Setting]:
    """Return all combinations that the command line asks for."""
    mini_batches = [value == "on" for value in options.mini_batch.split(",")]
    parallelisms = [int(value) for value in options.parallelism.split(",")]
    limits = [None if value == "all" else int(value) for value in options.rows.split(",")]
    found = []
    for host in options.hosts.split(","):
        here: Sequence[int | None] = limits if host == "stream" else [None]
        combinations = itertools.product(parallelisms, here, mini_batches)
        found += [Setting(host, *combination) for combination in combinations]
    return found


def run(spark: Spark, setting: Setting, cases: Iterable[Path], part: Part) -> Counter[str]:
    """Run cases in one setting, print what does not agree, and count the outcomes."""
    counts: Counter[str] = Counter()
    for case in cases:
        if setting.mini_batch and "WATERMARK FOR" in (case / "case.sql").read_text(encoding="utf-8"):
            continue
        for query, verdict, why in setting.outcomes(spark, case, part):
            counts[verdict] += 1
            if verdict != AGREE:
                where = f"{case.name}:{query.number}"
                print(f"{setting} {where} {verdict}: {why[:900]}\n    {query.sql[:600]}", flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", default="batch,stream")
    parser.add_argument("--parallelism", default="1,4")
    parser.add_argument("--rows", default="all,7,100")
    parser.add_argument("--mini-batch", default="off,on")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("folder", type=Path, nargs="+", help="a case, or a folder of cases")
    options = parser.parse_args()
    folders = [[folder] if (folder / "case.sql").is_file() else answered(folder) for folder in options.folder]
    cases = [case for found in folders for case in found]

    from firesteel.spark.launch.launch import create_session

    spark = create_session()
    table = []
    for number, setting in enumerate(settings(options)):
        begun = time.monotonic()
        counts = run(spark, setting, cases, Part(options.every, number))
        figures = ", ".join(f"{counts[verdict]} {verdict}" for verdict in (AGREE, DIFFER, REFUSED))
        table.append(f"{setting} {figures}")
        print(f"{table[-1]} in {time.monotonic() - begun:.0f} s", flush=True)
    print("\n".join(["", *table]), flush=True)
    spark.stop()
    sys.exit(any(f" 0 {DIFFER}" not in line for line in table))


if __name__ == "__main__":
    main()
