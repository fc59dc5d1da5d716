"""Functions of the user's with OVER: streaming has none but pandas', in the words of Flink's planner."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError
from tests.functions.python import sample

_NONE = "Non-Pandas Python UDAFs are not supported in stream mode currently."
_SEVERAL = "Over Agg: Unsupported use of OVER windows."
WINDOW = "(PARTITION BY k ORDER BY ts)"


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    made.execute_sql(
        "CREATE TABLE t (k STRING, v INT, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'filesystem', 'path' = 'unread/t.json', 'format' = 'json')"
    )
    made.create_temporary_function("mine", sample.weighted_average)
    made.create_temporary_function("plus", sample.plus_one)
    return made


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (f"mine(v, v) OVER {WINDOW}", _NONE),
        ("mine(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", _NONE),
        ("mine(DISTINCT v) OVER (ORDER BY v DESC)", _NONE),
        (f"mine(v) OVER {WINDOW}, COUNT(*) OVER (ORDER BY ts)", _NONE),
        (f"COUNT(*) OVER (ORDER BY ts), mine(v) OVER {WINDOW}", _SEVERAL),
        (f"mine(v) IGNORE NULLS OVER {WINDOW}", "Cannot specify IGNORE NULLS or RESPECT NULLS following"),
        (f"mine(v) FILTER (WHERE ok) OVER {WINDOW}", "OVER must be applied to aggregate function"),
        (f"mine(nope) OVER {WINDOW}", "Column 'nope' not found in any table"),
        (f"plus(v) OVER {WINDOW}", "No match found for function signature plus(<NUMERIC>)"),
    ],
)  # fmt: skip
def test_what_is_refused(environment: TableEnvironment, select: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        environment.explain_sql(f"SELECT {select} FROM t")
    assert refused.value.message.startswith(message)
    assert refused.value.range is not None


def test_one_that_nobody_asks_for_is_not_there(environment: TableEnvironment) -> None:
    plan = environment.explain_sql(f"SELECT a FROM (SELECT k AS a, mine(v) OVER {WINDOW} FROM t)")
    assert "OverAggregate" not in plan.partition("== Optimized Physical Plan ==")[2]
