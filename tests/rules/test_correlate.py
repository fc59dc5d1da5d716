"""Plans of UNNEST and of table functions as Flink 2.3 prints them, and its refusals: tests/golden/correlate.

A case is the statement, a line `----`, and the abstract syntax tree, `----`, and the physical plan; or the
message of Flink's refusal. A blank line ends a case. The numbers of `$cor0` count over a session in Flink, so
both sides are numbered in their order.
"""

from __future__ import annotations

import re

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.functions import TEMPORARY
from firesteel.errors import FiresteelError, NotSupportedError
from firesteel.explain import explain
from firesteel.plan.nodes.text import digest
from firesteel.types.sql import BIGINT, INT, STRING, row
from firesteel.types.user_function import UserDefined, UserFunction
from tests.goldens import hold
from tests.rules.planning import GOLDEN, plan, section, tables, tree_and_plan

FOLDER = GOLDEN.parent / "correlate"
FUNCTIONS = {
    "words": (("f0", "f1"), (STRING, INT)),
    "dup": (("f0", "f1"), (STRING, INT)),
    "upto": (("f0",), (BIGINT,)),
    "named": (("a", "b"), (INT, STRING)),
}
THEMES = ("plans", "timed", "functions")


def _cases(theme: str) -> list[list[str]]:
    text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
    return [case.split("\n----\n") for case in text.strip().split("\n\n")]


@pytest.fixture(scope="module")
def catalogs() -> dict[str, Catalog]:
    found = {theme: tables((FOLDER / f"{theme}_tables.sql").read_text(encoding="utf-8")) for theme in THEMES}
    for name, (names, types) in FUNCTIONS.items():
        function = UserDefined(UserFunction(name, f"unread.{name}"), row(names, types), is_table=True)
        found["functions"].functions.create(TEMPORARY, name, function)
    return found


def renumbered(text: str) -> str:
    seen: dict[str, int] = {}
    return re.sub(r"\$cor(\d+)", lambda m: f"$cor{seen.setdefault(m[1], len(seen))}", text)


@pytest.mark.parametrize(
    ("theme", "case"), [(t, c) for t in THEMES for c in _cases(t)], ids=lambda value: str(value[0])[:90]
)
def test_plan_is_flinks(theme: str, case: list[str], catalogs: dict[str, Catalog]) -> None:
    sql = case[0]
    bound, physical = plan(sql, catalogs[theme])
    text = renumbered(explain(bound, physical, {"CHANGELOG_MODE"}))
    hold(FOLDER / f"{theme}.txt", case, *tree_and_plan(text))


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:90])
def test_flink_refuses(case: list[str], catalogs: dict[str, Catalog]) -> None:
    sql, message = case
    with pytest.raises(FiresteelError) as refused:
        plan(sql, catalogs["plans"])
    assert message in refused.value.message


@pytest.mark.parametrize("on", ["id > 3", "x = id", "x > 3 AND id > 3"])
def test_a_condition_on_both_sides_is_refused(on: str, catalogs: dict[str, Catalog]) -> None:
    with pytest.raises(FiresteelError, match=r"unexpected correlate variable \$cor0 in the plan") as refused:
        plan(f"SELECT id, x FROM docs JOIN UNNEST(nnt) AS u (x) ON {on}", catalogs["plans"])
    assert refused.value.hint is not None


def test_a_name_takes_a_number_for_each_column_that_is_read(catalogs: dict[str, Catalog]) -> None:
    sql = (
        "SELECT a, b FROM evts CROSS JOIN UNNEST(ARRAY[v, v]) AS u (a) CROSS JOIN UNNEST(ARRAY[id]) AS w (b)"
    )
    bound, physical = plan(sql, catalogs["plans"])
    text = section(explain(bound, physical, set()), "Optimized Physical Plan")
    assert "ARRAY($cor0.v, $cor0.v)" in text
    assert "ARRAY($cor2.id)" in text


def _lateral(query: str, catalog: Catalog, join: str = "CROSS JOIN", on: str = "") -> str:
    _, physical = plan(f"SELECT id, w FROM evts AS t {join} LATERAL ({query}) AS q {on}", catalog)
    return digest(physical)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("SELECT w FROM LATERAL TABLE(words(t.s)) AS u (w, l)", "f0 AS w"),
        ("SELECT l + 1 AS w FROM LATERAL TABLE(words(t.s)) AS u (w, l)", "+(f1, 1) AS w"),
        ("SELECT UPPER(w) AS w FROM UNNEST(ARRAY[t.s]) AS u (w)", "UPPER(f0) AS w"),
        ("SELECT CONCAT(w, t.grp) AS w FROM UNNEST(ARRAY[t.s]) AS u (w)", "CONCAT(f0, grp) AS w"),
        ("SELECT '5' AS w FROM UNNEST(ARRAY[t.s]) AS u (w)", "_UTF-16LE'5' AS w"),
        ("SELECT w FROM UNNEST(ARRAY[t.v]) AS u (w) WHERE w = 5", "CAST(5 AS INTEGER) AS w"),
    ],
)
def test_what_a_lateral_query_computes_stands_above(
    query: str, shown: str, catalogs: dict[str, Catalog]
) -> None:
    assert _lateral(query, catalogs["functions"]) == f"Calc(select=[id, {shown}])"


@pytest.mark.parametrize(
    ("query", "join"),
    [
        ("SELECT COALESCE(w, 'x') AS w FROM UNNEST(ARRAY[t.s]) AS u (w)", "LEFT JOIN"),
        ("SELECT w FROM UNNEST(ARRAY[t.s]) AS u (w) WHERE w <> t.grp", "CROSS JOIN"),
        ("SELECT MAX(w) AS w FROM UNNEST(ARRAY[t.s]) AS u (w)", "CROSS JOIN"),
    ],
)
def test_other_lateral_queries_over_functions_are_refused(
    query: str, join: str, catalogs: dict[str, Catalog]
) -> None:
    with pytest.raises(NotSupportedError, match="not supported"):
        _lateral(query, catalogs["functions"], join, "ON TRUE" if join == "LEFT JOIN" else "")


def test_a_sub_query_does_not_read_the_row_around_in_a_function(catalogs: dict[str, Catalog]) -> None:
    inner = "SELECT 1 FROM LATERAL TABLE(words(t.s)) AS u (w, l) WHERE w = 'a'"
    with pytest.raises(NotSupportedError, match="below TableFunctionScan is not supported yet"):
        plan(f"SELECT id FROM evts AS t WHERE EXISTS ({inner})", catalogs["functions"])
