"""A job over files into a keyed sink and a log of changes, its upgrade to another script, and both answers.

A job's folder, besides what kept_run.py says:

    in/, names/, stock/   the files that it reads
    db            the table `totals`, unless it is a topic (upgrade_sinks.py)
    out/log/      the changes that it was told, as debezium-json
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from firesteel import TableEnvironment
from firesteel.changelog import SHORT
from firesteel.session.upgrade.upgrade import StatementChange, opened_upgrade
from firesteel.spark.stream.reader_offset import own_offset
from tests.recovery.kept_run import Run, places
from tests.recovery.upgrade_rows import SMALL, Shape
from tests.recovery.upgrade_sinks import KeyedSink, Rows, SqliteTable, UpsertTopic, counted, text

if TYPE_CHECKING:
    from tools.kafka_broker import Broker

    from firesteel.spark.launch.launch import Spark
    from firesteel.spark.upgrade.upgrade import SinkDifference

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
  WITH ({totals});
CREATE TABLE log ({columns})
  WITH ('connector' = 'filesystem', 'path' = '{base}/out/log', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals {query}{conflict};
INSERT INTO log {query};
END;
"""
_WRITTEN = ("checkpoint", "db", "out")
"""What a job writes."""
_STOCK = """\
CREATE TABLE stock AS SELECT after.id, after.name, after.cnt FROM messages WHERE after IS NOT NULL AND
  (op = 'u' OR after.id NOT IN (SELECT before.id FROM messages WHERE before IS NOT NULL))
"""
"""The rows that are left: each row is added, and then changed or removed at most once (upgrade_rows.py)."""


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

    def script(self, base: Path, totals: Mapping[str, str]) -> str:
        """Return the script of a job in a folder, whose keyed sink has these options."""
        options = ", ".join(f"'{key}' = '{value}'" for key, value in totals.items())
        values = {"columns": self.columns, "key": self.key, "query": self.query, "conflict": self.conflict}
        values["totals"] = options
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
        shape: How its rows are made.
        broker: The broker of its keyed sink; None for a SQLite table.
    """

    def __init__(
        self, spark: Spark, base: Path, *versions: Version, shape: Shape = SMALL, broker: Broker | None = None
    ) -> None:
        self._spark, self.base, self._shape, self._rows = spark, base, shape, 0
        for name in ("in", "names", "stock"):
            (base / name).mkdir(parents=True)
        options = {
            "firesteel.host": "stream",
            "parallelism.default": "2",
            "table.local-time-zone": "UTC",
            "firesteel.source.max-rows-per-batch": str(shape.rows_per_batch),
        }
        self.options = options | {"execution.checkpointing.dir": str(base / "checkpoint")}
        (base / "job.json").write_text(json.dumps(options))
        columns = dict.fromkeys(name for version in versions for name in version.names)
        table = base / "db", list(columns), versions[-1].key
        self.totals: KeyedSink = SqliteTable(*table) if broker is None else UpsertTopic(broker)

    def script(self, version: Version) -> str:
        """Return the script of a version."""
        return version.script(self.base, self.totals.options)

    def feed(self, number: int, rows: int = 12) -> None:
        """Add a file with rows to each folder. `rows` is divisible by 3."""
        numbers = range(self._rows, self._rows + rows)
        self._rows += rows
        self._write("in", number, map(self._shape.sale, numbers))
        if not number:
            self._write("names", 0, self._shape.teams())
        self._write("stock", number, chain.from_iterable(map(self._shape.stock, numbers)))

    def _write(self, folder: str, number: int, lines: Iterable[str]) -> None:
        with (self.base / folder / f"{number}.json").open("w") as file:
            file.writelines(f"{line}\n" for line in lines)

    def keep(self) -> None:
        """Keep what the job has written, for `restore`."""
        for name in _WRITTEN:
            _copy(self.base / name, self.base / "saved" / name)
        self._kept_rows = self._rows

    def restore(self) -> None:
        """Bring the job back to what it was at `keep`."""
        for name in _WRITTEN:
            _copy(self.base / "saved" / name, self.base / name)
        for folder in ("in", "stock"):
            for file in (self.base / folder).iterdir():
                if file.name != "0.json":
                    file.unlink()
        self._rows = self._kept_rows

    def run(self, version: Version) -> None:
        """Run a version until it has read all files, and stop it."""
        (self.base / "script.sql").write_text(self.script(version))
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
        script = self.script(version)
        with opened_upgrade(script, self.options, "", environment) as upgrade:
            (change,) = upgrade.changes
            with upgrade.computed() as (staged, differences):
                (sinks,) = differences.values()
                kinds = {each.sink.table.rpartition(".")[2]: _kinds(each) for each in sinks}
                if commit:
                    staged.commit()
        return change, kinds

    def table(self, version: Version) -> Rows:
        """Return the rows of the keyed sink, in the columns of a version."""
        return self.totals.rows(version.names)

    def log(self, version: Version) -> Rows:
        """Return the rows that are left after all changes of the log, in the columns of a version."""
        names = range(len(version.names))
        sides = (
            f"SELECT {', '.join(_cell(side, name, i) for i, name in enumerate(version.names))}, "
            f"{count} AS n FROM log WHERE {side} IS NOT NULL"
            for side, count in (("before", -1), ("after", 1))
        )
        columns = ", ".join(f"c{i}" for i in names)
        with duckdb.connect() as database:
            database.execute(f"CREATE TABLE log AS {self._messages()}")
            found = database.execute(
                f"SELECT {columns}, SUM(n) FROM ({' UNION ALL '.join(sides)}) "
                f"GROUP BY {columns} HAVING SUM(n) <> 0"
            )
            return Rows({tuple(map(text, row)): int(count) for *row, count in found.fetchall()})

    def messages(self) -> int:
        """Return the number of changes in the log."""
        return sum(_lines(file) for file in (self.base / "out" / "log").glob("part-*"))

    def _messages(self) -> str:
        """Return a query for the changes in the log, with the columns `before` and `after`."""
        if not self.messages():
            return "SELECT NULL::JSON AS before, NULL::JSON AS after"
        return (
            f"SELECT * FROM read_json('{self.base}/out/log/part-*', format='newline_delimited', "
            "columns={before: 'JSON', after: 'JSON'})"
        )

    def answer(self, version: Version) -> Rows:
        """Return DuckDB's answer over all files."""
        with duckdb.connect() as database:
            for function in ("CREATE MACRO twice(x) AS 2 * x", "CREATE MACRO thrice(x) AS 3 * x"):
                database.execute(function)
            for name, folder in (("sales", "in"), ("names", "names"), ("messages", "stock")):
                database.execute(f"CREATE TABLE {name} AS FROM read_json('{self.base / folder}/*.json')")
            database.execute(_STOCK)
            return counted(database.execute(version.answer or version.query))


def _kinds(sink: SinkDifference) -> Counter[str]:
    return Counter({SHORT[kind]: count for kind, count in sink.counts().items()})


def _copy(of: Path, to: Path) -> None:
    if to.is_dir():
        shutil.rmtree(to)
    to.parent.mkdir(exist_ok=True)
    shutil.copytree(of, to) if of.is_dir() else shutil.copyfile(of, to)


def _lines(file: Path) -> int:
    with file.open("rb") as opened:
        return sum(1 for _ in opened)


def _cell(side: str, name: str, number: int) -> str:
    """Return a column of one side of the log. As text, 4 of an old type and 4.0 of a wider one are equal."""
    return f"regexp_replace({side}->>{name!r}, '^(-?[0-9]+)[.]0$', '\\1') AS c{number}"


def in_columns(rows: Rows, before: Sequence[str], after: Sequence[str]) -> Rows:
    """Return rows with other columns. One that they lack is NULL."""
    at = [before.index(name) if name in before else None for name in after]
    found = Rows()
    for row, count in rows.items():
        found[tuple("None" if i is None else row[i] for i in at)] += count
    return found


def changes_between(before: Rows, after: Rows, key: Sequence[int]) -> Counter[str]:
    """Return how many changes of each kind make one content into another."""
    if not key:
        return +Counter({"-D": (before - after).total(), "+I": (after - before).total()})
    old = {tuple(row[i] for i in key): row for row in before}
    new = {tuple(row[i] for i in key): row for row in after}
    changed = sum(old[each] != new[each] for each in old.keys() & new.keys())
    return +Counter({"-D": len(old.keys() - new), "+I": len(new.keys() - old), "+U": changed})
