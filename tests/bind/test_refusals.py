"""What Flink 2.3 refuses, in the first line of its innermost cause (recorded_refusals.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import ValidationError
from tests.bind.session import Session

TABLE = """CREATE TABLE t (id INT, g STRING, h STRING, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), f BOOLEAN,
  ts TIMESTAMP(3), dt DATE, tm TIME(0), lz TIMESTAMP_LTZ(3), y BYTES, arr ARRAY<INT>, mp MAP<STRING, INT>,
  r ROW<a INT, b STRING>);"""
CASES = [
    tuple(case.split("\n----\n"))
    for case in (Path(__file__).parent / "recorded_refusals.txt").read_text("utf-8").strip().split("\n\n")
]


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(TABLE)


@pytest.mark.parametrize(("query", "line"), CASES, ids=[case[0][:60] for case in CASES])
def test_it_is_refused_in_flinks_words(session: Session, query: str, line: str) -> None:
    with pytest.raises(ValidationError) as found:
        session.bind(query)
    first = found.value.message.split("\n")[0].split("; did you mean")[0]
    assert first == line.split("; did you mean")[0]
