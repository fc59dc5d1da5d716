"""Long lists, chains and unions: as long as a generator of SQL writes them, from the text to DuckDB's answer.

Flink's own planner ends in a StackOverflowError for most of these.
"""

from __future__ import annotations

import time
from decimal import Decimal

import pytest

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.catalog.catalog import Catalog
from firesteel.errors import JobError, ParseError
from firesteel.explain import explain
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.plan.expressions.operations import expand_search
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node, walk
from firesteel.rules import optimize
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.sql.parser import parse_query
from firesteel.types import sql
from tests.rules.planning import plan, section, tables
from tests.scale import FULL, part
from tests.types.columns import changes

DDL = """CREATE TABLE t (v INT, b BIGINT, d DOUBLE, e DECIMAL(10, 2), k STRING)
WITH ('connector' = 'filesystem', 'path' = '/tmp/t', 'format' = 'json')"""
ROWS = {
    "v": (sql.INT, [3, 4, None]),
    "b": (sql.BIGINT, [9, 10, 11]),
    "d": (sql.DOUBLE, [0.5, 1.0, 2.0]),
    "e": (sql.decimal(10, 2), ["1.25", "2.50", None]),
    "k": (sql.STRING, ["x3", "x5", None]),
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(DDL)


def _calc(root: Node) -> physical.Calc:
    return next(node for node in walk(root) if isinstance(node, physical.Calc))


def _answer(query: str, catalog: Catalog) -> list[list[object]]:
    """Plan and explain the query, and run its Calc over ROWS: the columns of what it lets through."""
    bound, root = plan(query, catalog)
    assert explain(bound, root, {"CHANGELOG_MODE"}).count("\n") > 5
    calc = _calc(root)
    rows = {f.name: ROWS[f.name] for f in calc.input.schema}
    condition = None if calc.condition is None else expand_search(calc.condition, lists=True)
    exprs = [expand_search(e, lists=True) for e in calc.exprs]
    spec = compile_calc(exprs, condition, [kind for kind, _ in rows.values()])
    given = {
        name: (kind, [Decimal(v) if v and kind.root is sql.TypeRoot.DECIMAL else v for v in values])
        for name, (kind, values) in rows.items()
    }
    result = Calc(spec).process(changes(given))
    return [result.column(i + 2).to_pylist() for i in range(result.num_columns - 2)]


LONG, HALF, FEW = (10_000, 5000, 2000) if FULL else (1200, 1050, 1020)
"""All beyond the depth of Python's stack."""
SUM = FEW * (FEW - 1) // 2


def _numbers(count: int) -> str:
    return ", ".join(str(i * 3) for i in range(count))


def _chain(word: str, operand: str, first: int = 0, *, count: int) -> str:
    """`count` operands with {i} counted from `first`, and `word` between them."""
    return f" {word} ".join(operand.replace("{i}", str(i)) for i in range(first, first + count))


CHAINS: list[tuple[str, list[list[object]]]] = [
    (f"SELECT v FROM t WHERE v IN ({_numbers(LONG)})", [[3]]),
    (f"SELECT v FROM t WHERE v NOT IN ({_numbers(LONG)})", [[4]]),
    ("SELECT k FROM t WHERE k IN (" + ", ".join(f"'x{i}'" for i in range(0, LONG, 5)) + ")", [["x5"]]),
    (f"SELECT v IN ({_numbers(HALF)}) AS r FROM t", [[True, False, None]]),
    (f"SELECT v FROM t WHERE {_chain('OR', f'v + {{i}} = {HALF + 2}', count=HALF)}", [[3, 4]]),
    ("SELECT v FROM t WHERE " + " OR ".join(f"v = {i * 3}" for i in range(HALF)), [[3]]),
    ("SELECT v FROM t WHERE " + " AND ".join(f"v <> {i * 3}" for i in range(HALF)), [[4]]),
    ("SELECT v FROM t WHERE " + _chain("AND", "(v <> {i} OR k = 'x3')", count=FEW), [[3]]),
    (f"SELECT {_chain('+', 'v', count=HALF)} AS r FROM t", [[3 * HALF, 4 * HALF, None]]),
    (f"SELECT {_chain('+', 'd', count=HALF)} AS r FROM t", [[0.5 * HALF, 1.0 * HALF, 2.0 * HALF]]),
    (f"SELECT {_chain('||', 'k', count=FEW)} AS r FROM t", [["x3" * FEW, "x5" * FEW, None]]),
    (f"SELECT {_chain('+', '1', count=HALF)} AS r, v FROM t", [[HALF] * 3, [3, 4, None]]),
    (f"SELECT v FROM t WHERE {_chain('+', 'v', count=FEW)} = {4 * FEW}", [[4]]),
    (f"SELECT v FROM t WHERE d IN ({_numbers(LONG)}, 0.5)", [[3]]),
    (f"SELECT v FROM t WHERE e IN ({_numbers(LONG)}, 1.25)", [[3]]),
    (f"SELECT v FROM t WHERE {_chain('OR', 'v + {i} = b', 5, count=HALF)}", [[3, 4]]),
    (f"SELECT b FROM t WHERE {_chain('OR', 'b / v > {i}', 2, count=FEW)}", [[9]]),
    (f"SELECT b FROM t WHERE {_chain('AND', 'b / v < {i}', 3, count=FEW)}", [[10]]),
    (f"SELECT {_chain('AND', 'b / v < {i}', 3, count=FEW)} AS r FROM t", [[False, True, None]]),
    ("SELECT v FROM t WHERE " + _chain("OR", "(v = {i} AND k = 'x{i}')", 4, count=FEW), [[]]),
    (
        "SELECT CASE v " + _chain("", "WHEN {i} THEN 's{i}'", count=FEW) + " ELSE 'no' END AS r FROM t",
        [["s3", "s4", "no"]],
    ),
    (
        "SELECT v FROM t WHERE CASE v "
        + _chain("", "WHEN {i} THEN 's{i}'", count=FEW)
        + " ELSE 'no' END = 's3'",
        [[3]],
    ),
    (f"SELECT {_chain('+', 'v * {i}', count=FEW)} AS r FROM t", [[3 * SUM, 4 * SUM, None]]),
]


@pytest.mark.parametrize(("query", "expected"), part(CHAINS, 6), ids=lambda value: str(value)[:40])
def test_a_long_chain_is_planned_and_computed(query: str, expected: list[object], catalog: Catalog) -> None:
    assert _answer(query, catalog) == expected


LISTS = {
    "numbers": (f"v IN ({_numbers(LONG)})", [3]),
    "strings": ("k IN (" + ", ".join(f"'x{i}'" for i in range(4, LONG + 4)) + ")", [4]),
    "decimals": ("e IN (" + ", ".join(f"{i}.25" for i in range(LONG)) + ")", [3]),
    "decimals of no such type": ("e IN (2.5, " + ", ".join(f"{i}.125" for i in range(LONG)) + ")", [4]),
    "doubles": ("d IN (" + ", ".join(f"{i}.5E0" for i in range(LONG)) + ")", [3]),
    "of an expression": (f"v * 2 + 1 IN ({', '.join(map(str, range(9, LONG + 9)))})", [4]),
    "not in": (f"v * 2 + 1 NOT IN ({', '.join(map(str, range(9, LONG + 9)))})", [3]),
    "beside others": (
        " OR ".join(["b = 7", *(f"v + 1 = {i}" for i in range(5, FEW)), "k = 'x9'", "v + 1 = 3000"]),
        [4],
    ),
}


@pytest.mark.parametrize(("condition", "expected"), part(list(LISTS.values()), 4))
def test_a_row_costs_one_look_up_in_a_list(condition: str, expected: list[int], catalog: Catalog) -> None:
    _, root = plan(f"SELECT v FROM t WHERE {condition}", catalog)
    calc = _calc(root)
    assert calc.condition is not None
    rows = {f.name: ROWS[f.name] for f in calc.input.schema}
    found = expand_search(calc.condition, lists=True)
    exprs = [expand_search(e, lists=True) for e in calc.exprs]
    spec = compile_calc(exprs, found, [kind for kind, _ in rows.values()])
    assert len(spec.condition or "") < 1000
    given = {
        name: (kind, [Decimal(v) if v and kind.root is sql.TypeRoot.DECIMAL else v for v in values * 3000])
        for name, (kind, values) in rows.items()
    }
    table = changes(given)
    began = time.process_time()
    result = Calc(spec).process(table)
    assert time.process_time() - began < 2
    assert result.column(2).to_pylist() == expected * 3000


def test_a_zero_with_a_sign_is_in_no_list_of_points(catalog: Catalog) -> None:
    numbers = ", ".join(f"{i}E0" for i in range(100))
    _, root = plan(f"SELECT d IN ({numbers}) AS r FROM t", catalog)
    spec = compile_calc([expand_search(e, lists=True) for e in _calc(root).exprs], None, [sql.DOUBLE])
    assert spec.sets
    table = changes({"d": (sql.DOUBLE, [-0.0, 0.0, float("nan"), 99.0, 100.0, None])})
    assert Calc(spec).process(table).column(2).to_pylist() == [False, True, False, True, False, None]


def test_operands_of_a_chain_that_may_fail_are_computed_in_turn(catalog: Catalog) -> None:
    never = " OR ".join(f"v / (v - 3) > {i}" for i in range(100))
    assert _answer(f"SELECT v = 3 OR {never} AS r FROM t", catalog) == [[True, True, None]]
    assert _answer(f"SELECT v = 4 OR k = 'x3' OR {never} AS r FROM t", catalog) == [[True, True, None]]
    with pytest.raises(JobError, match="/ by zero"):
        _answer(f"SELECT v = 4 OR {never} AS r FROM t", catalog)


def test_a_thousand_columns(catalog: Catalog) -> None:
    columns = ", ".join(f"v + {i} AS c{i}" for i in range(1000))
    answer = _answer(f"SELECT {columns} FROM t", catalog)
    assert len(answer) == 1000
    assert answer[999] == [1002, 1003, None]


@pytest.mark.parametrize("operator", part(["UNION ALL", "UNION"], 1))
def test_a_union_of_five_hundred(operator: str, catalog: Catalog) -> None:
    text = f" {operator} ".join(f"SELECT v, {i} AS n FROM t" for i in range(500))
    bound, root = plan(text, catalog)
    assert sum(isinstance(node, physical.TableSourceScan) for node in walk(root)) == 500
    assert section(explain(bound, root, set()), "Abstract Syntax Tree").count("LogicalProject") == 500


def test_what_is_nested_too_deeply_has_its_place(catalog: Catalog) -> None:
    text = "SELECT " + "UPPER(" * 5000 + "k" + ")" * 5000 + " FROM t"
    with pytest.raises(ParseError, match="nested too deep") as caught:
        optimize(bind_query(parse_query(text).query, BindContext(catalog, sql=text)), {})
    assert caught.value.range is not None
    assert caught.value.range.start > 7


@pytest.mark.parametrize("depth", [10, 60])
def test_functions_within_functions(depth: int, catalog: Catalog) -> None:
    text = "SELECT " + "CONCAT(" * depth + "k" + ", '-')" * depth + " AS r FROM t"
    assert _answer(text, catalog)[0][0] == "x3" + "-" * depth
