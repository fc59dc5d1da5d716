"""A view keeps the columns and types that it had when it was created, as in Flink 2.3."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError

GENERATED = "WITH ('connector' = 'datagen')"


@pytest.fixture
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    made.execute_sql(f"CREATE TABLE t (a INT, b STRING) {GENERATED}")
    made.execute_sql("CREATE VIEW v AS SELECT * FROM t")
    made.execute_sql("CREATE VIEW renamed (x, y) AS SELECT a, b FROM t")
    return made


def recreated(environment: TableEnvironment, columns: str) -> TableEnvironment:
    environment.execute_sql("DROP TABLE t")
    environment.execute_sql(f"CREATE TABLE t ({columns}) {GENERATED}")
    return environment


def ast(environment: TableEnvironment, query: str) -> str:
    return environment.explain_sql(query).split("\n\n")[0].partition("\n")[2]


def test_columns_in_another_order(environment: TableEnvironment) -> None:
    recreated(environment, "b STRING, c DOUBLE, a INT")
    assert ast(environment, "SELECT * FROM v") == (
        "LogicalProject(a=[$0], b=[$1])\n"
        "+- LogicalProject(a=[$2], b=[$0])\n"
        "   +- LogicalTableScan(table=[[default_catalog, default_database, t]])"
    )
    assert ast(environment, "SELECT * FROM renamed") == (
        "LogicalProject(x=[$0], y=[$1])\n"
        "+- LogicalProject(x=[$2], y=[$0])\n"
        "   +- LogicalTableScan(table=[[default_catalog, default_database, t]])"
    )


@pytest.mark.parametrize(
    ("columns", "project"),
    [
        (
            "b BIGINT, a BIGINT",
            'a=[CAST($1):INTEGER], b=[CAST($0):VARCHAR(2147483647) CHARACTER SET "UTF-16LE"]',
        ),
        ("b STRING, a INT NOT NULL", "a=[CAST($1):INTEGER], b=[$0]"),
    ],
)
def test_columns_of_other_types(environment: TableEnvironment, columns: str, project: str) -> None:
    recreated(environment, columns)
    assert ast(environment, "SELECT * FROM v").split("\n")[1] == f"+- LogicalProject({project})"
    described = list(environment.execute_sql("DESCRIBE v").collect())
    assert [row[:3] for row in described] == [("a", "INT", True), ("b", "STRING", True)]


def test_a_column_that_is_gone(environment: TableEnvironment) -> None:
    recreated(environment, "a INT")
    with pytest.raises(ValidationError, match="Column 'b' not found in table 't'"):
        environment.explain_sql("SELECT a FROM v")


def test_a_table_that_is_gone(environment: TableEnvironment) -> None:
    environment.execute_sql("DROP TABLE t")
    with pytest.raises(ValidationError, match="Object 't' not found"):
        environment.explain_sql("SELECT a FROM v")
    assert len(list(environment.execute_sql("DESCRIBE v").collect())) == 2


def test_show_create(environment: TableEnvironment) -> None:
    ((text,),) = environment.execute_sql("SHOW CREATE VIEW renamed").collect()
    assert text == (
        "CREATE VIEW `default_catalog`.`default_database`.`renamed` (\n  `x`,\n  `y`\n)\n"
        "AS SELECT `t`.`a`, `t`.`b`\nFROM `default_catalog`.`default_database`.`t` AS `t`\n"
    )


def test_time_attributes(environment: TableEnvironment) -> None:
    environment.execute_sql(
        f"CREATE TABLE w (ts TIMESTAMP(3), id INT, p AS PROCTIME(), WATERMARK FOR ts AS ts) {GENERATED}"
    )
    environment.execute_sql("CREATE VIEW v1 AS SELECT ts AS q, p, ts + INTERVAL '1' SECOND AS c FROM w")
    environment.execute_sql("CREATE VIEW v2 AS SELECT * FROM v1")
    assert [row[1] for row in environment.execute_sql("DESCRIBE v2").collect()] == [
        "TIMESTAMP(3) *ROWTIME*",
        "TIMESTAMP_LTZ(3) *PROCTIME*",
        "TIMESTAMP(3)",
    ]
    assert [row[1] for row in environment.execute_sql("DESCRIBE w").collect()] == [
        "TIMESTAMP(3) *ROWTIME*",
        "INT",
        "TIMESTAMP_LTZ(3) *PROCTIME*",
    ]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "CREATE VIEW x (a) AS SELECT a, b FROM t",
            "VIEW definition and input fields not match:\n\tDef fields: [a].\n\tInput fields: [a, b].",
        ),
        (
            "CREATE VIEW x (a, a) AS SELECT a, b FROM t",
            "A column with the same name `a` has been defined at line 1, column 32.",
        ),
        (
            "CREATE VIEW x AS SELECT 1 AS a, 2 AS a",
            "A column with the same name `a` has been defined at line 1, column 25.",
        ),
        ("CREATE VIEW x (a, a) AS VALUES (1, 2)", "Column `a` has been specified."),
        (
            "CREATE VIEW v AS SELECT 1",
            "Table (or view) default_database.v already exists in Catalog default_catalog.",
        ),
    ],
)
def test_refused(environment: TableEnvironment, sql: str, message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        environment.execute_sql(sql)
    assert raised.value.message == message
    assert raised.value.range is not None
