"""CREATE TABLE and CREATE VIEW: the table that comes out, and what Flink refuses."""

from __future__ import annotations

import pytest

from firesteel.catalog.schema import View
from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call, InputRef
from firesteel.types import sql as types
from tests.bind.session import Session

BASE = """CREATE TABLE base (id BIGINT NOT NULL, n INT, ts TIMESTAMP(3), c AS n + 1, PRIMARY KEY (id) NOT ENFORCED,
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'print', 'a' = 'b');"""
REFUSED = [
    ("CREATE TABLE d (a INT, a INT)", "a", "A regular Column named 'a' already exists in the table."),
    ("CREATE TABLE d (a INT, b AS a, b AS a)", "b", "A generated column named 'b' already exists in the base table."),
    ("CREATE TABLE d (a INT, a AS 1)", "a", "A column named 'a' already exists in the table. Duplicate columns exist in the compute column and regular column."),
    ("CREATE TABLE d (a INT METADATA, a INT)", "a", "A column named 'a' already exists in the table. Duplicate columns exist in the metadata column and regular column."),
    ("CREATE TABLE d (a INT, b AS zz + 1)", "zz", "Column 'zz' not found"),
    ("CREATE TABLE d (a INT, b AS a + 1, c AS b + 1)", "b", "Column 'b' not found"),
    ("CREATE TABLE d (a INT, PRIMARY KEY (a))", "PRIMARY KEY (a)", "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint."),
    ("CREATE TABLE d (a INT, PRIMARY KEY (zz) NOT ENFORCED)", "zz", "Primary key column 'zz' is not defined in the schema"),
    ("CREATE TABLE d (a INT, b AS a, PRIMARY KEY (b) NOT ENFORCED)", "b", "Could not create a PRIMARY KEY with column 'b'"),
    ("CREATE TABLE d (a INT, PRIMARY KEY (a, a) NOT ENFORCED)", "a", "Invalid primary key 'PK_a_a'. A primary key must not contain duplicate columns. Found: [a]"),
    ("CREATE TABLE d (a INT PRIMARY KEY NOT ENFORCED, b INT PRIMARY KEY NOT ENFORCED)", "PRIMARY KEY NOT ENFORCED", "Duplicate primary key definition"),
    ("CREATE TABLE d (a INT UNIQUE)", "UNIQUE", "UNIQUE constraint is not supported yet"),
    ("CREATE TABLE d (a INT, WATERMARK FOR a AS a)", "a", "Invalid data type of time field for watermark definition."),
    ("CREATE TABLE d (a TIMESTAMP(6), WATERMARK FOR a AS a)", "a", "Invalid data type of time field"),
    ("CREATE TABLE d (a TIMESTAMP(3), WATERMARK FOR zz AS a)", "zz", "The rowtime attribute field 'zz' is not defined in the table schema, at line 1"),
    ("CREATE TABLE d (a TIMESTAMP(3), b BIGINT, WATERMARK FOR a AS b)", "b", "Invalid data type of expression for watermark definition."),
    ("CREATE TABLE d (a TIMESTAMP(3), WATERMARK FOR a AS CAST(a AS TIMESTAMP_LTZ(3)))", "CAST(a AS TIMESTAMP_LTZ(3))", "The watermark declaration's output data type 'TIMESTAMP_LTZ(3)' is different from the time field's data type 'TIMESTAMP(3)'."),
    ("CREATE TABLE d (r ROW<a TIMESTAMP(3)>, WATERMARK FOR r.a AS r.a)", "r.a", "Invalid column name 'r.a' for rowtime attribute in watermark declaration. Available columns are: [r]"),
    ("CREATE TABLE d (a TIMESTAMP(3), WATERMARK FOR a AS a, WATERMARK FOR a AS a)", "WATERMARK FOR a AS a", "Multiple WATERMARK declarations are not supported yet."),
    ("CREATE TABLE d (p AS PROCTIME(), WATERMARK FOR p AS p)", "p", "A watermark can not be defined for a processing-time attribute."),
    ("CREATE TABLE d (a TIMESTAMP(3), WATERMARK FOR a AS (SELECT MAX(ts) FROM base))", "(SELECT MAX(ts) FROM base)", "Query expression encountered in illegal context"),
    ("CREATE TABLE d (a TIMESTAMP(3), WATERMARK FOR a AS a - (SELECT INTERVAL '1' SECOND))", "(SELECT INTERVAL '1' SECOND)", "Query expression encountered in illegal context"),
    ("CREATE TABLE d (a INT, b AS EXISTS (SELECT 1))", "EXISTS (SELECT 1)", "Query expression encountered in illegal context"),
    ("CREATE TABLE d (a TIMESTAMP(3), WATERMARK FOR a AS TUMBLE_START(a, INTERVAL '1' HOUR))", "TUMBLE_START(a, INTERVAL '1' HOUR)", "Unsupported call: TUMBLE_START"),
    ("CREATE TABLE d (a TIMESTAMP(3), b AS TUMBLE_END(a, INTERVAL '1' HOUR))", "TUMBLE_END(a, INTERVAL '1' HOUR)", "Unsupported call: TUMBLE_END"),
    ("CREATE TABLE d (a INT) PARTITIONED BY (zz)", "zz", "Partition column 'zz' not defined in the table schema. Available columns: ['a']"),
    ("CREATE TABLE d (n INT) LIKE base", "n", "A column named 'n' already exists in the base table."),
    ("CREATE TABLE d (c AS id) LIKE base", "c", "A generated column named 'c' already exists in the base table. You might want to specify EXCLUDING GENERATED or OVERWRITING GENERATED."),
    ("CREATE TABLE d (x INT, PRIMARY KEY (x) NOT ENFORCED) LIKE base", "PRIMARY KEY (x) NOT ENFORCED", "The base table already has a primary key. You might want to specify EXCLUDING CONSTRAINTS."),
    ("CREATE TABLE d (WATERMARK FOR ts AS ts) LIKE base", "WATERMARK FOR ts AS ts", "There already exists a watermark spec for column 'ts' in the base table."),
    ("CREATE TABLE d WITH ('a' = 'z') LIKE base (INCLUDING OPTIONS)", "'a' = 'z'", "There already exists an option ['a' -> 'b']  in the base table."),
    ("CREATE TABLE d LIKE nosuch", "nosuch", "Source table '`default_catalog`.`default_database`.`nosuch`' of the LIKE clause not found"),
    ("CREATE TABLE d LIKE base (OVERWRITING ALL)", "base", "Illegal merging strategy 'OVERWRITING' for 'ALL' option."),
    ("CREATE TABLE d LIKE base (INCLUDING ALL INCLUDING ALL)", "base", "Each like option feature can be declared only once."),
]  # fmt: skip

# ruff: noqa: E501 - the messages are data


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(BASE)


@pytest.mark.parametrize(("text", "place", "message"), REFUSED, ids=[case[0][:70] for case in REFUSED])
def test_refused_as_flink_refuses_it(session: Session, text: str, place: str, message: str) -> None:
    with pytest.raises(ValidationError) as found:
        session.table(text)
    assert found.value.message.startswith(message)
    assert found.value.range is not None
    assert text[found.value.range.start : found.value.range.end] == place


def test_key_columns_are_not_null_and_computed_ones_count_stored_columns(session: Session) -> None:
    table = session.table(
        "CREATE TABLE d (c AS n + 1, k STRING METADATA FROM 'key', n INT, CONSTRAINT pk PRIMARY KEY (n) NOT ENFORCED)"
    )
    computed, key, number = table.columns
    assert (table.primary_key, table.primary_key_name) == (("n",), "pk")
    assert number.type == types.INT.with_nullable(False)
    assert (key.metadata, key.is_physical) == ("key", False)
    assert isinstance(computed.computed, Call)
    assert computed.computed.args[0] == InputRef(1, number.type)
    assert (computed.computed_sql, computed.type) == ("n + 1", types.INT.with_nullable(False))


def test_the_watermark_counts_all_columns(session: Session) -> None:
    table = session.table(
        "CREATE TABLE d (a INT, e AS ts, ts TIMESTAMP(3), WATERMARK FOR e AS e - INTERVAL '1' MINUTE)"
    )
    assert table.watermark is not None
    assert (table.watermark.column, table.watermark.sql) == ("e", "e - INTERVAL '1' MINUTE")
    assert isinstance(table.watermark.expression, Call)
    assert table.watermark.expression.args[0] == InputRef(1, types.timestamp(3))


def test_like_takes_over_what_is_not_excluded(session: Session) -> None:
    whole = session.table("CREATE TABLE d (x INT) WITH ('a' = 'z') LIKE base")
    assert [c.name for c in whole.columns] == ["id", "n", "ts", "c", "x"]
    assert dict(whole.options) == {"connector": "print", "a": "z"}
    assert (whole.primary_key, whole.watermark is not None) == (("id",), True)
    part = session.table(
        "CREATE TABLE d (c AS id) LIKE base (EXCLUDING OPTIONS EXCLUDING CONSTRAINTS EXCLUDING WATERMARKS OVERWRITING GENERATED)"
    )
    assert [c.name for c in part.columns] == ["id", "n", "ts", "c"]
    assert part.columns[3].computed_sql == "id"
    assert (part.options, part.primary_key, part.watermark) == ((), (), None)


def test_views_know_their_columns(session: Session) -> None:
    local = Session(
        BASE + "CREATE VIEW v AS SELECT id AS a, n + 1 FROM base; CREATE VIEW w (x) AS SELECT n FROM base;"
    )
    view = local.catalog.get(("v",))
    assert isinstance(view, View)
    assert (view.columns, view.column_types) == (
        ("a", "EXPR$1"),
        (types.BIGINT.with_nullable(False), types.INT),
    )
    named = local.catalog.get(("w",))
    assert isinstance(named, View)
    assert named.columns == ("x",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE VIEW v (a, b) AS SELECT 1", "VIEW definition and input fields not match"),
        ("CREATE VIEW v (a, a) AS SELECT 1, 2", "A column with the same name `a` has been defined"),
        ("CREATE VIEW v AS SELECT 1 AS x, 2 AS x", "A column with the same name `x` has been defined"),
        ("CREATE VIEW v AS SELECT zz FROM base", "Column 'zz' not found in any table"),
        ("CREATE VIEW vv AS SELECT * FROM vv", "Object 'vv' not found"),
    ],
)
def test_views_that_flink_refuses(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as found:
        Session(BASE + text)
    assert found.value.message.startswith(message)
    assert found.value.range is not None
