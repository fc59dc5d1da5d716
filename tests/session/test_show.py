"""SHOW and DESCRIBE against what Flink 2.3 printed for the same tables."""

# ruff: noqa: E501 - tableaus are as wide as they are
from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError

TABLE = """\
CREATE TABLE t (id BIGINT, name STRING COMMENT 'the name', m DECIMAL(10,2) NOT NULL, ts TIMESTAMP(3),
 c AS id + 1, f STRING METADATA FROM 'file.name' VIRTUAL, WATERMARK FOR ts AS ts - INTERVAL '2' SECOND,
 PRIMARY KEY (id) NOT ENFORCED) COMMENT 'tbl'
WITH ('connector' = 'filesystem', 'path' = '/tmp/x', 'format' = 'json')"""


@pytest.fixture
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    made.execute_sql(TABLE)
    made.execute_sql("CREATE VIEW v AS SELECT id, name FROM t")
    made.execute_sql("CREATE TEMPORARY VIEW v2 (a, b) COMMENT 'vv' AS SELECT id, name FROM t WHERE id > 1")
    made.execute_sql("CREATE TEMPORARY TABLE tt (id INT) WITH ('connector' = 'print')")
    return made


def printed(environment: TableEnvironment, sql: str) -> str:
    out: list[str] = []
    environment.execute_sql(sql).print(out.append)
    return "".join(out)


def column(environment: TableEnvironment, sql: str) -> list[str]:
    return [row[0] for row in environment.execute_sql(sql).collect()]


def test_tables_and_views(environment: TableEnvironment) -> None:
    assert printed(environment, "SHOW TABLES") == (
        "+------------+\n| table name |\n+------------+\n|          t |\n|         tt |\n|          v |\n"
        "|         v2 |\n+------------+\n4 rows in set\n"
    )
    assert column(environment, "SHOW VIEWS") == ["v", "v2"]
    assert column(environment, "SHOW TABLES LIKE 't%'") == ["t", "tt"]
    assert column(environment, "SHOW TABLES NOT LIKE 't%'") == ["v", "v2"]
    assert printed(environment, "SHOW TABLES LIKE 'nothing'") == "Empty set\n"


@pytest.mark.parametrize(
    ("sql", "title", "name"),
    [
        ("SHOW CATALOGS", "catalog name", "default_catalog"),
        ("SHOW CURRENT CATALOG", "current catalog name", "default_catalog"),
        ("SHOW DATABASES", "database name", "default_database"),
        ("SHOW CURRENT DATABASE", "current database name", "default_database"),
        ("SHOW MODULES", "module name", "core"),
    ],
)
def test_the_place(environment: TableEnvironment, sql: str, title: str, name: str) -> None:
    result = environment.execute_sql(sql)
    assert result.names == (title,)
    assert [tuple(row) for row in result.collect()] == [(name,)]


def test_describe(environment: TableEnvironment) -> None:
    assert (
        printed(environment, "DESCRIBE t")
        == """\
+------+------------------------+-------+---------+-----------------------------------+----------------------------+----------+
| name |                   type |  null |     key |                            extras |                  watermark |  comment |
+------+------------------------+-------+---------+-----------------------------------+----------------------------+----------+
|   id |                 BIGINT | FALSE | PRI(id) |                                   |                            |          |
| name |                 STRING |  TRUE |         |                                   |                            | the name |
|    m |         DECIMAL(10, 2) | FALSE |         |                                   |                            |          |
|   ts | TIMESTAMP(3) *ROWTIME* |  TRUE |         |                                   | `ts` - INTERVAL '2' SECOND |          |
|    c |                 BIGINT | FALSE |         |                       AS `id` + 1 |                            |          |
|    f |                 STRING |  TRUE |         | METADATA FROM 'file.name' VIRTUAL |                            |          |
+------+------------------------+-------+---------+-----------------------------------+----------------------------+----------+
6 rows in set
"""
    )
    assert (
        printed(environment, "DESC v2")
        == """\
+------+--------+-------+-----+--------+-----------+
| name |   type |  null | key | extras | watermark |
+------+--------+-------+-----+--------+-----------+
|    a | BIGINT | FALSE |     |        |           |
|    b | STRING |  TRUE |     |        |           |
+------+--------+-------+-----+--------+-----------+
2 rows in set
"""
    )
    assert column(environment, "SHOW COLUMNS FROM t LIKE 'n%'") == ["name"]


def test_show_create(environment: TableEnvironment) -> None:
    assert column(environment, "SHOW CREATE TABLE t") == [
        """\
CREATE TABLE `default_catalog`.`default_database`.`t` (
  `id` BIGINT NOT NULL,
  `name` VARCHAR(2147483647) COMMENT 'the name',
  `m` DECIMAL(10, 2) NOT NULL,
  `ts` TIMESTAMP(3),
  `c` AS `id` + 1,
  `f` VARCHAR(2147483647) METADATA FROM 'file.name' VIRTUAL,
  WATERMARK FOR `ts` AS `ts` - INTERVAL '2' SECOND,
  CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED
)
COMMENT 'tbl'
WITH (
  'connector' = 'filesystem',
  'format' = 'json',
  'path' = '/tmp/x'
)
"""
    ]
    with pytest.raises(ValidationError, match="Please use SHOW CREATE VIEW instead"):
        environment.execute_sql("SHOW CREATE TABLE v")


def test_what_is_not_there(environment: TableEnvironment) -> None:
    with pytest.raises(ValidationError) as raised:
        environment.execute_sql("DESCRIBE nothere")
    assert raised.value.message == (
        "Tables or views with the identifier 'default_catalog.default_database.nothere' doesn't exist."
    )
    assert "line 1, column 10" in str(raised.value)


def test_functions(environment: TableEnvironment) -> None:
    assert column(environment, "SHOW FUNCTIONS LIKE 'abs'") == ["abs"]
    assert column(environment, "SHOW USER FUNCTIONS") == []
