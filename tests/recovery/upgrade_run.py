"""A job over files into a SQLite table and a log of changes, its upgrade to another script, and both answers.

A job's folder, besides what kept_run.py says:

    in/, names/   the files that it reads
    db            the table `totals`
    out/log/      the changes that it was told, as debezium-json
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from firesteel import TableEnvironment
from firesteel.session.upgrade.upgrade import StatementChange, opened_upgrade
from firesteel.spark.stream.source_start import own_offset
from tests.recovery.kept_run import Run, places

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

Rows = Counter[tuple[Any, ...]]

_TABLES = """\
CREATE TABLE sales (id INT, name STRING, cnt INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json',
  'source.monitor-interval' = '1 s');
CREATE TABLE names (name STRING, team STRING)
  WITH ('connector' = 'filesystem', 'path' = '{base}/names', 'format' = 'json',
  'source.monitor-interval' = '1 s');
CREATE TABLE stock (id INT, name STRING, cnt INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/stock', 'format' = 'debezium-json',
  'source.monitor-interval' = '1 s');
CREATE TABLE totals ({columns}, PRIMARY KEY ({key}) NOT ENFORCED)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{base}/db', 'table-name' = 'totals');
CREATE TABLE log ({columns})
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/log', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals {query}{conflict};
INSERT INTO log {query};
END;
"""


@dataclass(frozen=True)
class Version:
    """One version of the job.

    Attributes:
        query: The query of both sinks.
        columns: Columns of the sinks.
        key: Primary key of the table.
        settings: Statements before all others.
        conflict: End of the INSERT into the table, if the query does not have its key.
        answer: The query for DuckDB; the same one if None.
        sources: Folders that it reads.
        is_bounded: Whether it reads the files that are there when it starts, and ends.
    """

    query: str
    columns: str = "name STRING, total INT, n BIGINT"
    key: str = "name"
    settings: str = ""
    conflict: str = ""
    answer: str | None = None
    sources: Sequence[str] = ("in",)
    is_bounded: bool = False

    def script(self, base: Path) -> str:
        """Return the script of a job in a folder."""
        values = {"columns": self.columns, "key": self.key, "query": self.query, "conflict": self.conflict}
        rest = _TABLES.format(base=base, **values)
        if self.is_bounded:
            rest = rest.replace(",\n  'source.monitor-interval' = '1 s'", "")
        return f"{self.settings}{rest}"

    @property
    def names(self) -> list[str]:
        """Return the names of the sinks' columns."""
        return [column.split()[0] for column in self.columns.split(", ")]


class Job:
    """A job in a folder of its own.

    Args:
        spark: On which it runs.
        base: Its folder.
        versions: The versions that it has, for the columns of its table.
    """

    def __init__(self, spark: Spark, base: Path, *versions: Version) -> None:
        self._spark, self.base = spark, base
        for name in ("in", "names", "stock"):
            (base / name).mkdir(parents=True)
        options = {"firesteel.host": "stream", "parallelism.default": "2", "table.local-time-zone": "UTC"}
        self.options = options | {"execution.checkpointing.dir": str(base / "checkpoint")}
        (base / "job.json").write_text(json.dumps(options))
        columns = dict.fromkeys(name for version in versions for name in version.names)
        key = versions[-1].key
        with closing(sqlite3.connect(base / "db")) as database:
            database.execute(f"CREATE TABLE totals ({', '.join(columns)}, PRIMARY KEY ({key}))")

    def feed(self, number: int, rows: int = 12) -> None:
        """Add a file with rows to each folder."""
        first = number * rows
        self._write("in", number, [_sale(i) for i in range(first, first + rows)])
        if not number:
            self._write("names", 0, [{"name": f"n{i}", "team": f"t{i % 2}"} for i in range(5)])
        self._write("stock", number, [message for i in range(first, first + rows) for message in _stock(i)])

    def _write(self, folder: str, number: int, rows: Sequence[Any]) -> None:
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (self.base / folder / f"{number}.json").write_text(lines)

    def run(self, version: Version) -> None:
        """Run a version until it has read all files, and stop it."""
        (self.base / "script.sql").write_text(version.script(self.base))
        job = Run(self._spark, self.base)
        job.wait(lambda: self._has_read_all(version))
        job.stop()

    def _has_read_all(self, version: Version) -> bool:
        there = sum(len(list((self.base / folder).iterdir())) for folder in version.sources)
        found = places(self.base)
        return bool(found) and sum(own_offset(place)["file"] for place in found) == there

    def upgrade(
        self, version: Version, *, commit: bool = True
    ) -> tuple[StatementChange, dict[str, Counter[str]]]:
        """Upgrade the checkpoint. Return the plan, and the kinds of the changes by sink."""
        environment = TableEnvironment.create(self._spark, configuration=self.options)
        script = version.script(self.base)
        with opened_upgrade(script, self.options, "", environment) as upgrade:
            (change,) = upgrade.changes
            with upgrade.computed() as (staged, differences):
                (sinks,) = differences.values()
                kinds = {
                    each.sink.table.rpartition(".")[2]: Counter(line[:2] for line in each.lines(1000))
                    for each in sinks
                }
                if commit:
                    staged.commit()
        return change, kinds

    def table(self, version: Version) -> Rows:
        """Return the rows of the database's table."""
        with closing(sqlite3.connect(self.base / "db")) as database:
            found = database.execute(f"SELECT {', '.join(version.names)} FROM totals").fetchall()
        return Counter(tuple(map(str, row)) for row in found)

    def log(self, version: Version) -> Rows:
        """Return the rows that are left after all changes of the log, in the columns of a version."""
        left = Rows()
        files = sorted((self.base / "out" / "log").glob("part-*"), key=lambda file: file.stat().st_mtime_ns)
        for file in files:
            for line in file.read_text(encoding="utf-8").splitlines():
                message = json.loads(line)
                for side, count in (("before", -1), ("after", 1)):
                    if message[side] is not None:
                        row = tuple(str(message[side].get(name)) for name in version.names)
                        left[row] += count
        return Rows({row: count for row, count in left.items() if count})

    def answer(self, version: Version) -> Rows:
        """Return DuckDB's answer over all files."""
        with duckdb.connect() as database:
            for name, folder in (("sales", "in"), ("names", "names")):
                database.execute(f"CREATE VIEW {name} AS FROM read_json('{self.base / folder}/*.json')")
            database.execute("CREATE TABLE stock (id INT, name VARCHAR, cnt INT)")
            database.executemany("INSERT INTO stock VALUES (?, ?, ?)", _left(self.base / "stock"))
            found = database.execute(version.answer or version.query).fetchall()
        return Counter(tuple(map(str, row)) for row in found)


def changes_between(before: Rows, after: Rows, key: Sequence[int]) -> Counter[str]:
    """Return how many changes of each kind make one content into another."""
    if not key:
        return +Counter({"-D": (before - after).total(), "+I": (after - before).total()})
    old = {tuple(row[i] for i in key): row for row in before}
    new = {tuple(row[i] for i in key): row for row in after}
    changed = sum(old[each] != new[each] for each in old.keys() & new.keys())
    return +Counter({"-D": len(old.keys() - new), "+I": len(new.keys() - old), "+U": changed})


def _sale(i: int) -> dict[str, Any]:
    time = f"2026-01-01 00:{i // 60:02}:{i % 60:02}"
    return {"id": i, "name": f"n{i * i % 7}", "cnt": (i * 5) % 23, "ts": time}


def _stock(i: int) -> list[dict[str, Any]]:
    """Return messages about row i: it is added, and now and then an earlier one changes or goes."""
    row = {"id": i, "name": f"n{i % 4}", "cnt": i % 10}
    found: list[dict[str, Any]] = [{"before": None, "after": row, "op": "c"}]
    if i % 3 == 2:
        old = {"id": i - 1, "name": f"n{(i - 1) % 4}", "cnt": (i - 1) % 10}
        found.append({"before": old, "after": old | {"cnt": 50 + i}, "op": "u"})
        gone = {"id": i - 2, "name": f"n{(i - 2) % 4}", "cnt": (i - 2) % 10}
        found.append({"before": gone, "after": None, "op": "d"})
    return found


def _left(folder: Path) -> list[tuple[Any, ...]]:
    rows: dict[int, tuple[Any, ...]] = {}
    for file in sorted(folder.iterdir()):
        for message in map(json.loads, file.read_text().splitlines()):
            if message["after"] is None:
                del rows[message["before"]["id"]]
            else:
                rows[message["after"]["id"]] = tuple(message["after"].values())
    return list(rows.values())
