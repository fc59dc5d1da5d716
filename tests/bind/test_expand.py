"""The queries of views as Flink 2.3 expanded them (SHOW CREATE VIEW), and that these mean the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from firesteel.bind.expand import expanded
from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.errors import FiresteelError
from firesteel.sql.parser import parse_query
from tests.bind.session import Session

TABLES = """
CREATE TABLE t (id BIGINT NOT NULL, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING,
  f BOOLEAN, ts TIMESTAMP(3), dt DATE, r ROW<a INT, n ROW<x STRING>>, arr ARRAY<INT>, mp MAP<STRING, INT>,
  tl TIMESTAMP_LTZ(3), `we ird` INT, bts BYTES, tm TIME, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  WITH ('connector' = 'datagen');
CREATE TABLE t2 (id BIGINT NOT NULL, w STRING, p AS PROCTIME()) WITH ('connector' = 'datagen');
CREATE VIEW vw AS SELECT * FROM t2;
"""
RECORDED: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("recorded_views.json").read_text(encoding="utf-8")
)
UNUSABLE = ("AS CURRENT_TIMESTAMP", "PARTITION BY `id`, `w`")
"""What Flink itself cannot read back."""


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(TABLES)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["query"][:60])
def test_as_flink_expands_it(session: Session, case: dict[str, Any]) -> None:
    text, names = expanded(parse_query(case["query"]).query, case["query"], session.catalog)
    assert text == case["expanded"]
    assert list(names) == case["columns"]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["query"][:60])
def test_the_expanded_query_is_the_same_query(session: Session, case: dict[str, Any]) -> None:
    context = BindContext(session.catalog, sql=case["query"])
    try:
        written = bind_query(parse_query(case["query"]).query, context, unique=False)
    except FiresteelError:
        written = None  # what cannot be run yet; its text is held all the same
    text = case["expanded"]
    if written is not None and not any(piece in text for piece in UNUSABLE):
        again = bind_query(parse_query(text).query, BindContext(session.catalog, sql=text), unique=False)
        assert [f.type for f in again.schema] == [f.type for f in written.schema]


def test_enough_of_them_can_be_bound(session: Session) -> None:
    bound = 0
    for case in RECORDED:
        try:
            bind_query(parse_query(case["query"]).query, BindContext(session.catalog), unique=False)
        except FiresteelError:
            continue
        bound += 1
    assert bound > 60
