"""Every kind of statement: what is read, and where it stands."""

from __future__ import annotations

import pytest

from firesteel.sql import statements as s
from firesteel.sql.parser import is_complete, parse_script, parse_statement, split_script
from firesteel.types import sql as types
from firesteel.types.sql import SqlType, TypeRoot

TABLE = """CREATE TEMPORARY TABLE IF NOT EXISTS cat.db.t (
  id BIGINT NOT NULL COMMENT 'the key',
  name STRING METADATA FROM 'k' VIRTUAL,
  offs BIGINT METADATA,
  c AS id + 1 COMMENT 'next',
  ts TIMESTAMP(3),
  PRIMARY KEY (id) NOT ENFORCED,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) COMMENT 'all' PARTITIONED BY (name) WITH ('connector' = 'print', 'a' = 'it''s')"""


def test_create_table() -> None:
    table = parse_statement(TABLE)
    assert isinstance(table, s.CreateTable)
    assert (table.table.parts, table.temporary, table.if_not_exists) == (("cat", "db", "t"), True, True)
    identifier, name, offset, computed, _ = table.columns
    assert (identifier.type, identifier.comment) == (types.BIGINT.with_nullable(False), "the key")
    assert (name.metadata, name.virtual) == ("k", True)
    assert (offset.metadata, offset.virtual) == ("offs", False)
    assert (computed.computed_sql, computed.comment) == ("id + 1", "next")
    assert [(k.kind, [c.parts for c in k.columns], k.enforced) for k in table.keys] == [
        ("PRIMARY KEY", [("id",)], False)
    ]
    assert table.watermarks[0].sql == "ts - INTERVAL '5' SECOND"
    assert table.comment == "all"
    assert [k.parts for k in table.partition_keys] == [("name",)]
    assert table.options == (("connector", "print"), ("a", "it's"))
    assert TABLE[table.table.range.start : table.table.range.end] == "cat.db.t"


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("INTEGER", types.INT),
        ("REAL", types.FLOAT),
        ("DOUBLE PRECISION", types.DOUBLE),
        ("DEC(10, 2)", types.decimal(10, 2)),
        ("NUMERIC", types.decimal(10, 0)),
        ("CHAR", types.char(1)),
        ("CHARACTER VARYING(3)", types.varchar(3)),
        ("VARCHAR", types.STRING),
        ("BYTES", types.BYTES),
        ("BINARY(2)", SqlType(TypeRoot.BINARY, length=2)),
        ("TIME", types.time(0)),
        ("TIMESTAMP", types.timestamp(6)),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", types.timestamp(3)),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", types.timestamp_ltz(3)),
        ("TIMESTAMP(12)", types.timestamp(9)),
        ("DECIMAL(40, 2)", types.decimal(38, 2)),
        ("TIMESTAMP_LTZ(9)", types.timestamp_ltz(9)),
        ("ARRAY<INT NOT NULL>", types.array(types.INT.with_nullable(False))),
        ("INT ARRAY", types.array(types.INT)),
        ("MAP<STRING, ARRAY<BIGINT>>", types.map_of(types.STRING, types.array(types.BIGINT))),
        ("MULTISET<INT>", SqlType(TypeRoot.MULTISET, children=(types.INT,))),
        (
            "ROW<a INT, `b c` ROW(x DATE)>",
            types.row(("a", "b c"), (types.INT, types.row(("x",), (types.DATE,)))),
        ),
    ],
)
def test_types(written: str, kind: SqlType) -> None:
    table = parse_statement(f"CREATE TABLE t (x {written})")
    assert isinstance(table, s.CreateTable)
    assert table.columns[0].type == kind


def test_create_table_like() -> None:
    table = parse_statement("CREATE TABLE a WITH ('k' = 'v') LIKE b (INCLUDING ALL OVERWRITING OPTIONS)")
    assert isinstance(table, s.CreateTable)
    assert table.like == s.LikeClause(
        s.Name(("b",), table.like.table.range if table.like else table.range),
        (("INCLUDING", "ALL"), ("OVERWRITING", "OPTIONS")),
    )


def test_view_keeps_the_text_of_its_query() -> None:
    view = parse_statement("CREATE VIEW v (x) COMMENT 'c' AS SELECT  a -- the one\n FROM t;")
    assert isinstance(view, s.CreateView)
    assert view.query_sql == "SELECT  a -- the one\n FROM t"
    assert ([c.parts for c in view.columns], view.comment) == ([("x",)], "c")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("SET 'a.b' = 'c d'", "a.b", "c d"),
        ("SET table.exec.mini-batch.enabled = true", "table.exec.mini-batch.enabled", "true"),
        ("set a.b='x y'", "a.b", "x y"),
        ("SET", None, None),
    ],
)
def test_set(text: str, key: str | None, value: str | None) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, s.SetOption)
    assert (statement.key, statement.value) == (key, value)


@pytest.mark.parametrize(
    ("text", "what", "name", "pattern"),
    [
        ("SHOW TABLES", "TABLES", None, None),
        ("SHOW TABLES FROM db LIKE 'a%'", "TABLES", "db", "a%"),
        ("SHOW CREATE TABLE a.b", "CREATE TABLE", "a.b", None),
        ("SHOW USER FUNCTIONS", "USER FUNCTIONS", None, None),
        ("SHOW CURRENT DATABASE", "CURRENT DATABASE", None, None),
        ("SHOW COLUMNS IN t", "COLUMNS", "t", None),
    ],
)
def test_show(text: str, what: str, name: str | None, pattern: str | None) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, s.Show)
    assert (statement.what, statement.pattern) == (what, pattern)
    assert (str(statement.name) if statement.name else None) == name


def test_the_small_ones() -> None:
    text = "DESC t; DESCRIBE EXTENDED t; USE CATALOG c; USE a.b; RESET; RESET 'k'; RESET a.b-c; "
    text += "DROP TEMPORARY VIEW IF EXISTS v"
    found = parse_script(text)
    assert [type(f).__name__ for f in found] == [
        *["Describe"] * 2, *["Use"] * 2, *["ResetOption"] * 3, "Drop",
    ]  # fmt: skip
    assert [f.key for f in found if isinstance(f, s.ResetOption)] == [None, "k", "a.b-c"]
    drop = found[-1]
    assert isinstance(drop, s.Drop)
    assert (drop.kind, drop.temporary, drop.if_exists) == ("VIEW", True, True)


def test_insert() -> None:
    text = "INSERT INTO t (b, a) SELECT 1, 2 ON CONFLICT DO DEDUPLICATE"
    insert = parse_statement(text)
    assert isinstance(insert, s.Insert)
    assert [c.parts[0] for c in insert.columns] == ["b", "a"]
    assert insert.on_conflict == "DEDUPLICATE"


def test_statement_sets_and_explain() -> None:
    body = "STATEMENT SET\nBEGIN\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND"
    explain = parse_statement(f"EXPLAIN CHANGELOG_MODE, PLAN_ADVICE {body};")
    assert isinstance(explain, s.Explain)
    assert explain.details == ("CHANGELOG_MODE", "PLAN_ADVICE")
    assert isinstance(explain.statement, s.StatementSet)
    assert len(explain.statement.inserts) == 2
    assert isinstance(parse_statement(f"EXECUTE {body}"), s.StatementSet)
    plain = parse_statement("EXPLAIN PLAN FOR SELECT 1")
    assert isinstance(plain, s.Explain)
    assert plain.details == ()


SCRIPT = """-- a; comment
SELECT 'a;b' FROM `x;y` /* ; */ ;;
EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;
SELECT 1"""


def test_scripts_are_split_where_statements_end() -> None:
    texts = [SCRIPT[r.start : r.end] for r in split_script(SCRIPT)]
    assert [text.split()[0] for text in texts] == ["SELECT", "EXECUTE", "SELECT"]
    assert [type(x) for x in parse_script(SCRIPT)] == [s.Query, s.StatementSet, s.Query]
    assert [(x.range.start, x.range.end) for x in parse_script(SCRIPT)] == [
        (r.start, r.end) for r in split_script(SCRIPT)
    ]


def test_a_wrong_statement_is_split_off_too() -> None:
    text = "SELECT 1; SELEC 2; SELECT 'open"
    assert [text[r.start : r.end] for r in split_script(text)] == ["SELECT 1", "SELEC 2", "SELECT 'open"]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT ';", False),
        ("SELECT 1; -- ;", True),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;", False),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", True),
    ],
)
def test_is_complete(text: str, complete: bool) -> None:
    assert is_complete(text) is complete
