"""Columns that repeat a name, and those that have none: what Flink 2.3 finds them by, and what it refuses."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from tests.bind.session import Session

SESSION = Session("CREATE TABLE t (a INT, b INT);")
REFUSED = {
    "SELECT * FROM (SELECT a, a, b FROM t)": "Column 'a' is ambiguous",
    "SELECT a FROM (SELECT a, a, b FROM t)": "Column 'a' is ambiguous",
    "SELECT q.* FROM (SELECT a, a, b + 1 FROM t) q": "Column 'a' is ambiguous",
    "SELECT a0 FROM (SELECT a, a, b FROM t)": "Column 'a0' not found in any table",
    "SELECT `EXPR$1` FROM (SELECT a, a, b FROM t)": "Column 'EXPR$1' not found in any table",
    "SELECT `EXPR$3` FROM (SELECT a + 1, a, a, b + 2, b FROM t)": "Column 'EXPR$3' not found in any table",
    "SELECT * FROM (SELECT a AS `EXPR$1`, b + 1 FROM t)": "Column 'EXPR$1' is ambiguous",
    "WITH q AS (SELECT a, a, b FROM t) SELECT b FROM q": (
        "Column has duplicate column name 'a' and no column list specified"
    ),
}
FOUND = {
    "SELECT `EXPR$0` FROM (SELECT a + 1, b FROM t)": 0,
    "SELECT `EXPR$2` FROM (SELECT a + 1, a, a, b + 2, b FROM t)": 3,
    "SELECT b FROM (SELECT a, a, b FROM t)": 2,
}


@pytest.mark.parametrize(("query", "message"), REFUSED.items(), ids=REFUSED)
def test_refused(query: str, message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        SESSION.bind(query)
    assert raised.value.message == message
    assert raised.value.range is not None


@pytest.mark.parametrize(("query", "place"), FOUND.items(), ids=FOUND)
def test_found(query: str, place: int) -> None:
    assert SESSION.bind(query).exprs[0].index == place  # type: ignore[attr-defined]


def test_the_place_is_the_query_of_with() -> None:
    query = "WITH q AS (SELECT a, a, b FROM t) SELECT b FROM q"
    with pytest.raises(ValidationError) as raised:
        SESSION.bind(query)
    assert raised.value.range is not None
    assert query[raised.value.range.start : raised.value.range.end] == "SELECT a, a, b FROM t"
