"""Options of tables of databases, in Flink's words; URLs; SQL; and that passwords are seen nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Column, Table
from firesteel.config.secrets import referenced
from firesteel.connectors.jdbc.address import address_of
from firesteel.connectors.jdbc.dialects import dialect_of
from firesteel.connectors.registry import validate_table
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.sensitive import redacted, shown, without_secrets
from firesteel.types.sql import BIGINT, STRING, SqlType, TypeRoot, decimal, row, timestamp, timestamp_ltz
from tests.rules.planning import plan

URL = "jdbc:postgresql://h:5433/db"
TABLE = {"connector": "jdbc", "url": URL, "table-name": "t"}
MY, PG = "jdbc:mysql://h/db", "jdbc:postgresql://h/db"


def table(options: dict[str, str], *more: Column, key: tuple[str, ...] = ()) -> Table:
    columns = (Column("k", STRING), Column("n", BIGINT), *more)
    return Table("default_catalog", "default_database", "t", columns, tuple(options.items()), key)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connector": "jdbc"}, r"Missing required options are:\n\ntable-name\nurl"),
        ({**TABLE, "bogus": "1"}, "Unsupported options found for 'jdbc'"),
        ({**TABLE, "url": "jdbc:oracle:thin:@h"}, "Could not find any jdbc factory that can handle url"),
        ({**TABLE, "username": "u"}, r"Either all or none of .* be provided:\nusername\npassword"),
        ({**TABLE, "scan.partition.num": "2"}, r"Either all or none of .*\nscan\.partition\.column\n"),
        (
            {
                **TABLE,
                "scan.partition.column": "n",
                "scan.partition.num": "2",
                "scan.partition.lower-bound": "5",
                "scan.partition.upper-bound": "4",
            },
            r"'scan\.partition\.lower-bound'='5' must not be larger than 'scan\.partition\.upper-bound'='4'",
        ),
        (
            {**TABLE, "sink.max-retries": "-1"},
            r"The value of 'sink\.max-retries' option shouldn't be negative",
        ),
        (
            {**TABLE, "connection.max-retry-timeout": "100 ms"},
            "must be in second granularity and shouldn't be smaller than 1 second, but is 100 ms",
        ),
        ({**TABLE, "lookup.cache.ttl": "1 s"}, r"none of .*\nlookup\.cache\.max-rows\nlookup\.cache\.ttl"),
        ({**TABLE, "url": "jdbc:postgresql://h:x/db"}, "is no URL of one PostgreSQL server"),
        ({**TABLE, "url": "jdbc:sqlite::memory:"}, "names no file"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=f"(?s){message}"):
        validate_table(table(options))


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        (PG, row(("a",), (STRING,)), r"The PostgreSQL dialect doesn't support type: ROW"),
        (
            PG,
            SqlType(TypeRoot.VARBINARY, length=5),
            r"The PostgreSQL dialect doesn't support type: VARBINARY\(5\)",
        ),
        (MY, timestamp_ltz(3), r"MySQL dialect doesn't support type: TIMESTAMP_LTZ"),
        (PG, timestamp(9), r"field 'x' is out of the TIMESTAMP precision range \[1, 6"),
    ],
)
def test_types_that_a_database_lacks(url: str, kind: SqlType, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        validate_table(table({**TABLE, "url": url}, Column("x", kind)))
    validate_table(table({**TABLE, "url": url}, Column("x", decimal(38, 2))))


def test_updates_need_a_key() -> None:
    for key in ((), ("k",)):
        catalog = Catalog()
        catalog.create(validate_table(table(TABLE, key=key)))
        catalog.create(replace(validate_table(table(TABLE)), name="s"))
        conflict = " ON CONFLICT DO DEDUPLICATE" if key else ""
        plan(f"INSERT INTO t SELECT * FROM s{conflict}", catalog)
        updating = "INSERT INTO t SELECT k, COUNT(*) FROM s GROUP BY k"
        if key:
            plan(updating, catalog)
            continue
        with pytest.raises(
            ValidationError, match="please declare primary key for sink table when query cont"
        ):
            plan(updating, catalog)


def test_addresses() -> None:
    def of(url: str, user: str | None = None, password: str | None = None) -> tuple[object, ...]:
        made = address_of(dialect_of(url), url, user, password)
        return made.shown, made.host, made.port, made.database, made.username, made.password, made.query

    assert of(URL, "u", "p") == (URL, "h", 5433, "db", "u", "p", ())
    assert of(f"{PG}?user=u&password=p%26q&currentSchema=s&ssl=true&tcpKeepAlive=true") == (
        *(PG, "h", None, "db", "u", "p&q"),
        (("options", "-csearch_path=s"), ("sslmode", "require")),
    )
    assert of("jdbc:mysql://u:p@h:3306/db?useSSL=false&serverTimezone=UTC") == (
        *("jdbc:mysql://h:3306/db", "h", 3306, "db", "u", "p", ()),
    )
    assert of("jdbc:sqlite:/a/b.db")[:4] == ("jdbc:sqlite:/a/b.db", None, None, "/a/b.db")
    with pytest.raises(NotSupportedError, match="The parameter 'socketFactory' of a JDBC URL for PostgreSQL"):
        of(f"{PG}?socketFactory=x")


def test_sql_is_flinks() -> None:
    postgres, mysql = dialect_of(PG), dialect_of(MY)
    insert = "INSERT INTO t(k, n) VALUES (:p0, :p1)"
    assert postgres.upsert("t", ("k", "n"), ("k",)) == f"{insert} ON CONFLICT (k) DO UPDATE SET n=EXCLUDED.n"
    assert postgres.upsert("t", ("k", "n"), ("n", "k")) == f"{insert} ON CONFLICT (n, k) DO NOTHING"
    assert postgres.delete("t", ("k", "n")) == "DELETE FROM t WHERE k = :p0 AND n = :p1"
    assert postgres.select("t", ("k",), "n") == "SELECT k FROM t WHERE n BETWEEN :p0 AND :p1"
    assert mysql.upsert("t", ("k", "n"), ("k",)) == (
        "INSERT INTO `t`(`k`, `n`) VALUES (:p0, :p1) ON DUPLICATE KEY UPDATE `k`=VALUES(`k`), `n`=VALUES(`n`)"
    )
    assert mysql.insert("t", ("a:b",)) == r"INSERT INTO `t`(`a\:b`) VALUES (:p0)"


@pytest.mark.parametrize("url", [f"{PG}?user=u&password=hunter22", "jdbc:mysql://u:hunter22@h:1/db"])
def test_a_password_in_a_url_is_hidden(url: str) -> None:
    sql = f"CREATE TABLE t (k INT) WITH ('connector' = 'jdbc', 'url' = '{url}')"
    assert "hunter22" not in redacted(sql)
    assert shown("url", url) == "******"
    assert "hunter22" not in without_secrets(f"cannot reach {url}, password hunter22", sql)
    assert "hunter22" not in str(referenced("t", (("url", url),)))
    assert "hunter22" not in repr(address_of(dialect_of(url), url, None, None))
    assert shown("url", URL) == URL
    assert redacted(f"WITH ('url' = '{URL}')") == f"WITH ('url' = '{URL}')"
