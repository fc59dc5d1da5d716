"""The options of restart strategies: names, defaults, and Flink's words for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel import TableEnvironment
from firesteel.config.registry import Configuration
from firesteel.errors import ValidationError
from firesteel.session.restart.options import restart_strategy, strategy_name
from firesteel.session.restart.strategies import ExponentialDelay, FailureRate, FixedDelay, NoRestart

TYPE = "restart-strategy.type"


def strategy(has_checkpoint: bool = True, **options: str) -> Any:
    """The strategy of options, whose keys are written with `_` and `__` for `-` and `.`."""
    written = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    return restart_strategy(Configuration(written), has_checkpoint=has_checkpoint)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("none", NoRestart),
        ("off", NoRestart),
        ("Disable", NoRestart),
        ("fixeddelay", FixedDelay),
        ("FIXED-delay", FixedDelay),
        ("failurerate", FailureRate),
        ("failure-rate", FailureRate),
        ("exponentialdelay", ExponentialDelay),
        ("exponential-delay", ExponentialDelay),
    ],
)
def test_names(name: str, kind: type) -> None:
    for key in (TYPE, "restart-strategy"):
        assert type(restart_strategy(Configuration({key: name}), has_checkpoint=True)) is kind


def test_the_checkpoint_decides_where_no_strategy_is_named() -> None:
    assert isinstance(strategy(has_checkpoint=False), NoRestart)
    assert isinstance(strategy(), ExponentialDelay)
    both = Configuration({TYPE: "none", "restart-strategy": "fixed-delay"})
    assert strategy_name(both, has_checkpoint=True) == "none"


def test_defaults_and_values() -> None:
    assert vars(strategy(restart_strategy="fixed-delay")) == {"_attempts": 1, "_delay": 1000, "_failures": 0}
    rate = vars(strategy(restart_strategy="failure-rate"))
    assert (rate["_most"], rate["_interval"], rate["_delay"]) == (1, 60_000, 1000)
    growing = vars(strategy())
    names = ("_initial", "_longest", "_multiplier", "_threshold", "_jitter", "_attempts")
    assert [growing[name] for name in names] == [1000, 60_000, 1.5, 3_600_000, 0.1, 2**31 - 1]
    fixed = strategy(
        restart_strategy__type="fixed-delay",
        restart_strategy__fixed_delay__attempts="7",
        restart_strategy__fixed_delay__delay="3 s",
    )
    assert (vars(fixed)["_attempts"], vars(fixed)["_delay"]) == (7, 3000)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("type", "bogus", "bogus is an unknown value of RestartStrategyType."),
        ("exponential-delay.backoff-multiplier", "1.0", "Backoff multiplier must be greater than 1."),
        ("exponential-delay.backoff-multiplier", "x", "Could not parse value 'x' for key"),
        ("exponential-delay.backoff-multiplier", "nan", "Could not parse value 'nan' for key"),
        ("exponential-delay.jitter-factor", "1.5", "Jitter factor must be >= 0 and <= 1."),
        ("exponential-delay.initial-backoff", "0 s", "Initial backoff must be at least 1."),
        ("exponential-delay.max-backoff", "0 s", "Maximum backoff must be at least 1."),
        (
            "exponential-delay.reset-backoff-threshold",
            "0 s",
            "Threshold duration for exponential backoff reset must be at least 1.",
        ),
        (
            "exponential-delay.attempts-before-reset-backoff",
            "0",
            "The attemptsBeforeResetBackoff must be at least 1.",
        ),
        ("fixed-delay.attempts", "-1", "Maximum number of restart attempts must be at least 0."),
        (
            "failure-rate.max-failures-per-interval",
            "0",
            "Maximum number of restart attempts per time unit must be greater than 0.",
        ),
        ("failure-rate.failure-rate-interval", "0 s", "Failures interval must be greater than 0 ms."),
    ],
)
def test_a_wrong_value_is_refused_where_it_is_set(key: str, value: str, words: str) -> None:
    environment = TableEnvironment.create()
    with pytest.raises(ValidationError, match="line 2, column 1") as told:
        environment.execute_sql(f"\nSET 'restart-strategy.{key}' = '{value}'")
    assert words in told.value.message
    assert f"restart-strategy.{key}" in str(told.value)
    assert environment.configuration.get("restart-strategy.fixed-delay.attempts") == 1


def test_a_first_wait_beyond_the_longest_is_refused_before_the_job_starts() -> None:
    environment = TableEnvironment.create()
    environment.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
    environment.execute_sql("CREATE TABLE b (a INT) WITH ('connector' = 'blackhole')")
    environment.execute_sql(f"SET '{TYPE}' = 'exponential-delay'")
    environment.execute_sql("SET 'restart-strategy.exponential-delay.initial-backoff' = '10 min'")
    with pytest.raises(
        ValidationError, match="Initial backoff cannot be higher than maximum backoff"
    ) as told:
        environment.execute_sql("\nINSERT INTO b SELECT a FROM t")
    assert "line 2, column 1" in str(told.value)
