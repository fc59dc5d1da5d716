"""SQL in the words of each database."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.connectors.jdbc.dialects import dialect_of
from firesteel.types.sql import BIGINT, STRING
from tests.connectors.jdbc.databases import SqliteDatabase, read, sink, source, write

ODD = "a`b:c %s"


@pytest.mark.parametrize(
    ("url", "quoted"),
    [
        ("jdbc:mysql://h/d", r"`a``b\:c %s`"),
        ("jdbc:mariadb://h/d", r"`a``b\:c %s`"),
        ("jdbc:sqlite:/f", r"`a``b\:c %s`"),
        ("jdbc:postgresql://h/d", r"a`b\:c %s"),
    ],
)
def test_names(url: str, quoted: str) -> None:
    """A quote in a name is doubled in all statements; PostgreSQL gets names as they are, as from Flink."""
    dialect = dialect_of(url)
    assert dialect.quoted(ODD) == quoted
    assert dialect.insert(ODD, [ODD]) == f"INSERT INTO {quoted}({quoted}) VALUES (:p0)"
    assert dialect.delete(ODD, [ODD]) == f"DELETE FROM {quoted} WHERE {quoted} = :p0"
    assert dialect.select(ODD, [ODD], ODD) == (
        f"SELECT {quoted} FROM {quoted} WHERE {quoted} BETWEEN :p0 AND :p1"
    )
    assert dialect.upsert(ODD, [ODD], [ODD]).count(quoted) == (4 if dialect.on_duplicate else 3)


def test_a_table_with_such_names(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    database = SqliteDatabase(tmp_path / "db")
    database.run("CREATE TABLE `t``1` (`k``:` VARCHAR(5) PRIMARY KEY, `n``` BIGINT)")
    columns = {"k`:": STRING, "n`": BIGINT}
    to = sink(database, columns, table__name="t`1")
    to.open("job")
    write(to, [("+I", "a", 1), ("+I", "b", 2), ("+U", "a", 3), ("-D", "b", 2)])
    write(to, [("+U", "a", 4)], batch=1)
    assert read(source(database, columns, table__name="t`1")) == [("+I", "a", 4)]
