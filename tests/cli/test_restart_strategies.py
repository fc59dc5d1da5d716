"""What a job that fails again and again says under each restart strategy, and its exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.run import Runner
from firesteel.functions.python.wrappers import udf

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]
SCRIPT = """
SET 'firesteel.restart.same-error-limit' = '{limit}';
{settings}
CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1');
SELECT fails(n) FROM numbers;
"""
KEY = "restart-strategy"
STRATEGIES = {
    "none": ({}, 0, ""),
    "fixed-delay": ({"attempts": "2", "delay": "1 ms"}, 2, "fixed-delay, at most 2 restarts"),
    "failure-rate": (
        {"max-failures-per-interval": "1", "failure-rate-interval": "1 h", "delay": "1 ms"}, 1,
        "failure-rate, at most 1 restart within 3600 s",
    ),
    "exponential-delay": (
        {"initial-backoff": "1 ms", "max-backoff": "2 ms", "attempts-before-reset-backoff": "2"}, 2,
        "exponential-delay, at most 2 restarts",
    ),
}  # fmt: skip


def run(spark: Spark, strategy: str, options: dict[str, str], limit: int) -> int:
    """Run a SELECT whose function fails, and return the exit status."""

    def fails(number: int) -> int:  # sent to the workers, which do not know the tests
        raise ValueError("no service")

    made = TableEnvironment.create(spark)
    made.create_temporary_system_function("fails", udf(fails, result_type="INT"))
    pairs = {f"{KEY}.type": strategy, **{f"{KEY}.{strategy}.{key}": value for key, value in options.items()}}
    settings = "\n".join(f"SET '{key}' = '{value}';" for key, value in pairs.items())
    return Runner(made).run_all(SCRIPT.format(limit=limit, settings=settings))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_strategy_ends_the_job(strategy: str, spark: Spark, capsys: pytest.CaptureFixture[str]) -> None:
    options, restarts, words = STRATEGIES[strategy]
    assert run(spark, strategy, options, 0) == 1
    out, err = capsys.readouterr()
    assert out.count("error: Function fails(") == 1
    assert err.count("Restart ") == restarts
    assert ("the restart strategy ends the job: " in out) == bool(words)
    assert words in out


def test_the_same_error_ends_the_job_before_its_strategy(
    spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(spark, "fixed-delay", {"attempts": "9", "delay": "1 ms"}, 3) == 1
    out, err = capsys.readouterr()
    assert "(the same error 3 times running" in out
    assert err.count("Restart ") == 2
