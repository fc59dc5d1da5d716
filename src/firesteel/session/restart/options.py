"""The restart strategy that a session's options name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firesteel.config.registry import Configuration
from firesteel.config.restart import EXPONENTIAL_DELAY, FAILURE_RATE, FIXED_DELAY, NAMES, OLD_TYPE, TYPE
from firesteel.errors import ValidationError
from firesteel.session.restart.strategies import (
    ExponentialDelay,
    FailureRate,
    FixedDelay,
    NoRestart,
    RestartStrategy,
)


def restart_strategy(configuration: Configuration, *, has_checkpoint: bool) -> RestartStrategy:
    """Return a new restart strategy for a job that starts.

    Args:
        configuration: The session's options.
        has_checkpoint: Whether the job has a checkpoint. If no strategy is named, this decides which is used.

    Raises:
        ValidationError: Two options contradict each other. The text is Flink's.
    """
    name = strategy_name(configuration, has_checkpoint=has_checkpoint)
    if name == "fixed-delay":
        return FixedDelay(*_values(configuration, FIXED_DELAY, "attempts", "delay"))
    if name == "failure-rate":
        keys = "max-failures-per-interval", "failure-rate-interval", "delay"
        return FailureRate(*_values(configuration, FAILURE_RATE, *keys))
    if name == "exponential-delay":
        return _exponential_delay(configuration)
    return NoRestart()


def strategy_name(configuration: Mapping[str, str], *, has_checkpoint: bool) -> str:
    """Return the name of the strategy: `none`, `fixed-delay`, `failure-rate` or `exponential-delay`."""
    written = configuration.get(TYPE) or configuration.get(OLD_TYPE)
    return NAMES[written.lower()] if written else "exponential-delay" if has_checkpoint else "none"


def _exponential_delay(configuration: Configuration) -> ExponentialDelay:
    initial, longest, *others = _values(
        configuration,
        EXPONENTIAL_DELAY,
        "initial-backoff",
        "max-backoff",
        "backoff-multiplier",
        "reset-backoff-threshold",
        "jitter-factor",
        "attempts-before-reset-backoff",
    )
    if initial > longest:
        raise ValidationError(
            "Initial backoff cannot be higher than maximum backoff.",
            hint=f"'{EXPONENTIAL_DELAY}initial-backoff' is {initial / 1000:g} s, "
            f"'{EXPONENTIAL_DELAY}max-backoff' {longest / 1000:g} s",
        )
    return ExponentialDelay(initial, longest, *others)


def _values(configuration: Configuration, prefix: str, *keys: str) -> list[Any]:
    return [configuration.get(prefix + key) for key in keys]
