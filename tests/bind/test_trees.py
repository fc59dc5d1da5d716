"""The bound plan, as the tree that Flink 2.3 shows for the same query (recorded_trees.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bind.session import Session

_RECORDED = (Path(__file__).parent / "recorded_trees.txt").read_text(encoding="utf-8")
CASES = [tuple(part.strip("\n").split("\n----\n")) for part in _RECORDED.split("\n\n")]


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


@pytest.mark.parametrize(("query", "expected"), CASES, ids=[case[0][:60] for case in CASES])
def test_the_tree_is_flinks(session: Session, query: str, expected: str) -> None:
    assert session.tree(query) == expected
