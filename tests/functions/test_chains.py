"""Long chains whose operands differ in one literal are a list; what is in them often is computed once."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.errors import JobError
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.types.sql import BIGINT, INT, SMALLINT
from tests.functions.evaluate import bind, evaluate

COLUMNS: dict[str, Any] = {
    "v": (INT, [3, 2147483647, None, 7]),
    "b": (BIGINT, [400, 2147483650, 5, None]),
    "n": (INT.with_nullable(False), [3, 5000, -1, 0]),
    "s": (SMALLINT, [32767, 1, None, 250]),
}


def _chain(word: str, operand: str, *, first: int = 1, count: int = 600) -> str:
    return f" {word} ".join(operand.replace("{i}", str(i)) for i in range(first, first + count))


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (_chain("OR", "v + {i} = b"), "TRUE FALSE <NULL> <NULL>"),
        (_chain("AND", "v + {i} <> b"), "FALSE TRUE <NULL> <NULL>"),
        (_chain("OR", "n * 2 = {i} + 5"), "TRUE FALSE FALSE FALSE"),
        (_chain("OR", "v + {i} < 0"), "FALSE TRUE <NULL> FALSE"),
        (_chain("OR", "s + {i} = 250"), "FALSE TRUE <NULL> FALSE"),
        (_chain("OR", "NOT (n > {i} OR n < 0)"), "TRUE FALSE FALSE TRUE"),
        (_chain("OR", "v + {i} = b") + " OR n = 5000", "TRUE TRUE <NULL> <NULL>"),
        (_chain("OR", "b / v > {i}"), "TRUE FALSE <NULL> <NULL>"),
        (_chain("AND", "b / v < {i}", first=134), "TRUE TRUE <NULL> <NULL>"),
        (_chain("OR", "n = 7 AND b / v > {i}"), "FALSE FALSE FALSE FALSE"),
    ],
    ids=lambda value: value[:40],
)
def test_a_chain_is_what_its_operands_are(chain: str, expected: str) -> None:
    assert " ".join(evaluate(chain, COLUMNS)) == expected


@pytest.mark.parametrize("operand", ["v + {i} = b", "b / v > {i}"])
def test_the_statement_is_short(operand: str) -> None:
    kinds = [kind for kind, _ in COLUMNS.values()]
    spec = compile_calc([bind(_chain("OR", operand, count=5000), COLUMNS)], None, kinds)
    assert sum(map(len, spec.projection)) < 100_000  # of 5,000 numbers, three times


def test_what_may_fail_is_computed_where_a_row_comes_to_it() -> None:
    chain = _chain("OR", "b / (v - 3) > {i}")
    assert evaluate(f"v = 3 OR {chain}", COLUMNS)[0] == "TRUE"
    with pytest.raises(JobError, match="/ by zero"):
        evaluate(chain, COLUMNS)
