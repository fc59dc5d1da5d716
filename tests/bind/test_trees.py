"""The bound plan, as the tree that Flink 2.3 shows for the same query (recorded_trees.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bind.session import Session
from tests.goldens import hold

KEYED = """CREATE TABLE base (id BIGINT NOT NULL, n INT, g STRING, ts TIMESTAMP(3), c AS n + 1,
  PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
CREATE TABLE chars (a STRING, b STRING, c CHAR(5), d VARCHAR(3), e BYTES);"""

WIDE = """CREATE TABLE wide (
  a INT, b BIGINT, j INT NOT NULL, s STRING, c CHAR(3), vc VARCHAR(5), d DOUBLE, fl FLOAT,
  m DECIMAL(10,2), f BOOLEAN, ts TIMESTAMP(3), dt DATE, tm TIME(0), y BYTES,
  arr ARRAY<INT>, lz TIMESTAMP_LTZ(3));"""


FOLDER = Path(__file__).parent


def recorded(name: str) -> list[tuple[str, ...]]:
    """The queries of a file, each with its tree."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [tuple(part.strip("\n").split("\n----\n")) for part in text.split("\n\n")]


CASES = recorded("recorded_trees.txt")
KEYED_CASES = recorded("recorded_trees_keyed.txt")
WIDE_CASES = recorded("recorded_trees_wide.txt")


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


@pytest.mark.parametrize(("query", "expected"), CASES, ids=[case[0][:60] for case in CASES])
def test_the_tree_is_flinks(session: Session, query: str, expected: str) -> None:
    hold(FOLDER / "recorded_trees.txt", (query, expected), session.tree(query))


@pytest.fixture(scope="module")
def keyed() -> Session:
    return Session(KEYED)


@pytest.mark.parametrize(("query", "expected"), KEYED_CASES, ids=[case[0][:60] for case in KEYED_CASES])
def test_the_tree_over_key_and_watermark_is_flinks(keyed: Session, query: str, expected: str) -> None:
    hold(FOLDER / "recorded_trees_keyed.txt", (query, expected), keyed.tree(query))


@pytest.fixture(scope="module")
def wide() -> Session:
    return Session(WIDE)


@pytest.mark.parametrize(("query", "expected"), WIDE_CASES, ids=[case[0][:60] for case in WIDE_CASES])
def test_the_tree_with_constants_is_flinks(wide: Session, query: str, expected: str) -> None:
    hold(FOLDER / "recorded_trees_wide.txt", (query, expected), wide.tree(query))
