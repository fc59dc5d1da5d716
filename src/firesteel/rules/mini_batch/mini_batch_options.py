"""Options of mini-batches, read and checked together (Flink: PlannerBase, AggregateUtil)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.registry import Configuration
from firesteel.errors import ValidationError

ENABLED = "table.exec.mini-batch.enabled"
LATENCY = "table.exec.mini-batch.allow-latency"
SIZE = "table.exec.mini-batch.size"
PHASES = "table.optimizer.agg-phase-strategy"


@dataclass(frozen=True)
class MiniBatch:
    """Options of mini-batches.

    Attributes:
        latency: Milliseconds between the ends of bundles.
        size: Number of records after which a bundle ends.
    """

    latency: int
    size: int

    def check_size(self) -> None:
        """Raise ValidationError if the size is not positive.

        Only operators that bundle rows need the size.
        """
        if self.size <= 0:
            raise ValidationError(
                f"Key: '{SIZE}' , default: -1 (fallback keys: []) must be > 0.",
                hint=f"SET '{SIZE}' = '5000'",
            )


def mini_batch_options(configuration: Mapping[str, str]) -> MiniBatch | None:
    """Return the options, None if mini-batches are off.

    Raises:
        ValidationError: Mini-batches are on, and the latency is not set.
    """
    options = parsed(configuration)
    if not options.get(ENABLED):
        return None
    latency: int = options.get(LATENCY)
    if latency <= 0:
        raise ValidationError(
            "MiniBatch Latency must be greater than 0 ms. [null]", hint=f"SET '{LATENCY}' = '5 s'"
        )
    return MiniBatch(latency, options.get(SIZE))


def is_mini_batch(configuration: Mapping[str, str]) -> bool:
    """Return whether mini-batches are on."""
    return bool(parsed(configuration).get(ENABLED))


def is_one_phase(configuration: Mapping[str, str]) -> bool:
    """Return whether the options forbid to split aggregates into a local and a global phase."""
    return bool(parsed(configuration).get(PHASES) == "ONE_PHASE")


def parsed(configuration: Mapping[str, str]) -> Configuration:
    """Return the configuration with typed values."""
    return configuration if isinstance(configuration, Configuration) else Configuration(configuration)
