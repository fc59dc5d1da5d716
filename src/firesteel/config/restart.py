"""Options of restart strategies, with Flink's keys, types, defaults and texts (RestartStrategyOptions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.config.option import Kind, Option

TYPE, OLD_TYPE = "restart-strategy.type", "restart-strategy"
EXPONENTIAL_DELAY, FIXED_DELAY = "restart-strategy.exponential-delay.", "restart-strategy.fixed-delay."
FAILURE_RATE = "restart-strategy.failure-rate."
SAME_ERROR = "firesteel.restart.same-error-limit"

NAMES = {
    "none": "none",
    "off": "none",
    "disable": "none",
    "fixeddelay": "fixed-delay",
    "fixed-delay": "fixed-delay",
    "failurerate": "failure-rate",
    "failure-rate": "failure-rate",
    "exponentialdelay": "exponential-delay",
    "exponential-delay": "exponential-delay",
}
"""Strategies by the names that Flink accepts, in lower case. Scripts may write a name in any case."""

_MOST = "2147483647"
_KNOWN = "`none`, `fixed-delay`, `failure-rate`, `exponential-delay`"


def _name(value: str) -> str | None:
    return None if value.lower() in NAMES else f"{value} is an unknown value of RestartStrategyType."


def _unless(is_valid: Callable[[Any], bool], words: str) -> Callable[[Any], str | None]:
    """Return a function for Option.check. It returns `words` if the value is invalid, else None."""
    return lambda value: None if is_valid(value) else words


RESTART_OPTIONS = (
    Option(
        TYPE,
        Kind.STRING,
        None,
        f"How a job that fails is restarted: {_KNOWN}. If not set, `exponential-delay` with a checkpoint, "
        "else `none`.",
        check=_name,
    ),
    Option(OLD_TYPE, Kind.STRING, None, f"Old name of `{TYPE}`.", check=_name),
    Option(
        f"{EXPONENTIAL_DELAY}initial-backoff",
        Kind.DURATION,
        "1 s",
        "Wait before the first restart.",
        check=_unless(lambda value: value >= 1, "Initial backoff must be at least 1."),
    ),
    Option(
        f"{EXPONENTIAL_DELAY}max-backoff",
        Kind.DURATION,
        "1 min",
        "Longest wait before a restart.",
        check=_unless(lambda value: value >= 1, "Maximum backoff must be at least 1."),
    ),
    Option(
        f"{EXPONENTIAL_DELAY}backoff-multiplier",
        Kind.DOUBLE,
        "1.5",
        "Each wait is the one before, times this.",
        check=_unless(lambda value: value > 1, "Backoff multiplier must be greater than 1."),
    ),
    Option(
        f"{EXPONENTIAL_DELAY}reset-backoff-threshold",
        Kind.DURATION,
        "1 h",
        "After so long without a failure the waits begin with the first one again.",
        check=_unless(
            lambda value: value >= 1, "Threshold duration for exponential backoff reset must be at least 1."
        ),
    ),
    Option(
        f"{EXPONENTIAL_DELAY}jitter-factor",
        Kind.DOUBLE,
        "0.1",
        "The largest part of a wait that is randomly added to it or taken off.",
        check=_unless(lambda value: 0 <= value <= 1, "Jitter factor must be >= 0 and <= 1."),
    ),
    Option(
        f"{EXPONENTIAL_DELAY}attempts-before-reset-backoff",
        Kind.INTEGER,
        _MOST,
        "The most restarts before the waits begin with the first one again; one more failure ends the job.",
        check=_unless(lambda value: value >= 1, "The attemptsBeforeResetBackoff must be at least 1."),
    ),
    Option(
        f"{FIXED_DELAY}attempts",
        Kind.INTEGER,
        "1",
        "The most restarts of a job.",
        check=_unless(lambda value: value >= 0, "Maximum number of restart attempts must be at least 0."),
    ),
    Option(f"{FIXED_DELAY}delay", Kind.DURATION, "1 s", "Wait before each restart."),
    Option(
        f"{FAILURE_RATE}max-failures-per-interval",
        Kind.INTEGER,
        "1",
        "The most restarts of a job within the interval.",
        check=_unless(
            lambda value: value > 0,
            "Maximum number of restart attempts per time unit must be greater than 0.",
        ),
    ),
    Option(
        f"{FAILURE_RATE}failure-rate-interval",
        Kind.DURATION,
        "1 min",
        "The interval in which failures are counted.",
        check=_unless(lambda value: value > 0, "Failures interval must be greater than 0 ms."),
    ),
    Option(f"{FAILURE_RATE}delay", Kind.DURATION, "1 s", "Wait before each restart."),
    Option(
        SAME_ERROR,
        Kind.INTEGER,
        "3",
        "The same error so many times running at the same position ends the job, whatever the strategy says; "
        "0: no limit.",
        check=_unless(lambda value: value >= 0, "The limit of same errors must be at least 0."),
    ),
)
