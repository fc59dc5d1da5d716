"""GROUP BY as grouping sets."""

from __future__ import annotations

import pytest

from firesteel.bind.aggregate.grouping import grouping_sets
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.plan.nodes.logical import Aggregate
from firesteel.plan.tree import walk
from firesteel.sql.parser import parse_query
from tests.bind.session import Session


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


def sets(group_by: str) -> str:
    """The sets of a GROUP BY, each key by its letter."""
    select = parse_query(f"SELECT a FROM t GROUP BY {group_by}").query
    letters: list[str] = []

    def key(node) -> int:
        if node.path[0] not in letters:
            letters.append(node.path[0])
        return letters.index(node.path[0])

    found = grouping_sets(select.group, key, select.group_distinct)
    return " ".join("".join(letters[i] for i in sorted(keys)) or "-" for keys in found)


@pytest.mark.parametrize(
    ("group_by", "expected"),
    [
        ("a, b", "ab"),
        ("(a, b), c", "abc"),
        ("()", "-"),
        ("GROUPING SETS ((a, b), (a), ())", "ab a -"),
        ("GROUPING SETS ((), (b), (a, b))", "ba b -"),
        ("ROLLUP (a, b, c)", "abc ab a -"),
        ("ROLLUP ((a, b), c)", "abc ab -"),
        ("CUBE (a, b)", "ab a b -"),
        ("CUBE ((a, b), c)", "abc ab c -"),
        ("a, ROLLUP (b)", "ab a"),
        ("a, ROLLUP (a)", "a a"),
        ("ROLLUP (a, a)", "a -"),
        ("ROLLUP (a), CUBE (b)", "ab a b -"),
        ("GROUPING SETS (a, ROLLUP (a, b))", "ab a a -"),
        ("DISTINCT GROUPING SETS (a, ROLLUP (a, b))", "ab a -"),
        ("ALL GROUPING SETS ((a), (a))", "a a"),
    ],
)
def test_the_sets(group_by: str, expected: str) -> None:
    assert sets(group_by) == expected


def test_a_key_that_a_set_leaves_out_may_be_null(session: Session) -> None:
    aggregate = next(
        node
        for node in walk(session.bind("SELECT id, g, COUNT(*) FROM t GROUP BY ROLLUP (id, g)"))
        if isinstance(node, Aggregate)
    )
    assert aggregate.schema[0].type.nullable
    assert not session.bind("SELECT id, COUNT(*) FROM t GROUP BY id, ROLLUP (g)").schema[0].type.nullable


@pytest.mark.parametrize(
    ("expression", "nullable"),
    [
        ("id + 1", True),
        ("id IS NULL", False),
        ("COALESCE(id, 0)", False),
        ("GROUPING(id)", False),
        ("id", True),
    ],
)
def test_what_is_made_of_it_too(session: Session, expression: str, nullable: bool) -> None:
    bound = session.bind(f"SELECT {expression} AS x FROM t GROUP BY ROLLUP (id)")
    assert bound.schema[-1 if bound.schema[-1].name == "x" else 0].type.nullable == nullable


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT GROUPING(v) FROM t GROUP BY ROLLUP (h)", "Argument to GROUPING operator must be a grouped"),
        ("SELECT GROUPING(h) FROM t", "GROUPING operator may only occur in an aggregate query"),
        ("SELECT GROUP_ID() FROM t", "GROUP_ID operator may only occur in an aggregate query"),
        ("SELECT h FROM t WHERE GROUPING(h) = 0 GROUP BY h", "may only occur in SELECT, HAVING or ORDER BY"),
        ("SELECT SUM(GROUPING(h)) FROM t GROUP BY h", "may only occur in SELECT, HAVING or ORDER BY"),
        ("SELECT GROUPING() FROM t GROUP BY h", "Was expecting 1 arguments"),
        ("SELECT v FROM t GROUP BY ROLLUP (h)", "Expression 'v' is not being grouped"),
        ("SELECT h AS k FROM t GROUP BY GROUPING SETS ((k))", "Column 'k' not found"),
    ],
)
def test_what_flink_refuses(session: Session, query: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as found:
        session.bind(query)
    assert found.value.range is not None


def test_a_cube_that_is_too_large(session: Session) -> None:
    with pytest.raises(NotSupportedError, match="CUBE of more than 12"):
        session.bind(f"SELECT COUNT(*) FROM t GROUP BY CUBE ({', '.join(f'v + {i}' for i in range(13))})")
