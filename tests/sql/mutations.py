"""Statements with one token dropped, doubled, swapped or replaced, drawn from a seed."""

from __future__ import annotations

# ruff: noqa: E501 - the statements are data
import random

from firesteel.sql.lexer import Token, tokens

STATEMENTS = [
    "SELECT name, SUM(cnt), MAX(cnt) FROM t GROUP BY name",
    "SELECT t.name AS n, COUNT(DISTINCT cnt) FILTER (WHERE cnt > 2) FROM t WHERE cnt IN (1, 2) OR NOT name LIKE 'a%' "
    "GROUP BY t.name HAVING COUNT(*) > 1",
    "CREATE TABLE t (id BIGINT NOT NULL COMMENT 'x', name STRING METADATA FROM 'k' VIRTUAL, c AS id + 1, "
    "r ROW<a INT NOT NULL, b ARRAY<STRING>>, ts TIMESTAMP(3), CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED, "
    "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) COMMENT 'c' PARTITIONED BY (id) WITH ('a' = 'b', 'c' = 'd')",
    "CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) AS SELECT a, b FROM t",
    "WITH q AS (SELECT a FROM t), w (x) AS (SELECT 1) SELECT * FROM q, w WHERE q.a = w.x ORDER BY a DESC LIMIT 3",
    "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y')",
    "DROP TABLE IF EXISTS a.b.c",
    "SELECT x.a FROM t AS x LEFT OUTER JOIN u AS y ON x.a = y.a WHERE b BETWEEN 1 AND 2 OR c IS NOT NULL",
    "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'z' END AS k, CAST(a AS DECIMAL(10, 2)), EXTRACT(YEAR FROM ts) FROM t",
    "SHOW CREATE TABLE t",
    "EXPLAIN CHANGELOG_MODE, PLAN_ADVICE SELECT a FROM t",
    "CREATE TABLE c LIKE t (INCLUDING ALL OVERWRITING OPTIONS)",
    "SELECT a FROM t UNION ALL SELECT b FROM u",
    "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
    "GROUP BY window_start, window_end",
    "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT x FROM t; END",
]


def mutated(seed: int, count: int) -> list[str]:
    """That many mutants, the same for the same seed."""
    random_ = random.Random(seed)
    return [_mutant(random_.choice(STATEMENTS), random_) for _ in range(count)]


def _mutant(text: str, random_: random.Random) -> str:
    found = tokens(text)[:-1]
    first, second = sorted(random_.sample(range(len(found)), 2))
    how = random_.choice(["drop", "double", "swap", "swap near", "replace"])
    a, b = found[first], found[second]
    if how == "drop":
        return text[: a.start] + text[a.end :]
    if how == "double":
        return f"{text[: a.end]} {_piece(text, a)}{text[a.end :]}"
    if how == "replace":
        return text[: a.start] + _piece(text, b) + text[a.end :]
    if how == "swap near":
        b = found[first + 1]
    return text[: a.start] + _piece(text, b) + text[a.end : b.start] + _piece(text, a) + text[b.end :]


def _piece(text: str, token: Token) -> str:
    return text[token.start : token.end]
