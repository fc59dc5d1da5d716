"""Watermark strategies in Python, with the names of PyFlink's DataStream API. Times are in milliseconds.

Flink: WatermarkStrategy, WatermarkGenerator, BoundedOutOfOrdernessWatermarks. Receivers of watermarks
handle idleness (runtime/dataflow/watermarks.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from firesteel.errors import UsageError

_LEAST = -(1 << 63)


class TimestampAssigner(ABC):
    """Base class for assigning a time to each row, in place of its rowtime column."""

    @abstractmethod
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """Return the time of a row in milliseconds.

        Args:
            value: The row.
            record_timestamp: Value of the row's rowtime column.
        """


class WatermarkOutput(ABC):
    """Receiver of a generator's watermarks."""

    @abstractmethod
    def emit_watermark(self, timestamp: int) -> None:
        """Declare that no row with a time up to `timestamp` will come. Only increasing watermarks count."""


class WatermarkGenerator(ABC):
    """Base class for generating watermarks from rows. The checkpoint keeps its attributes.

    They may hold numbers, texts, dates, lists, dicts and sets, numpy's arrays, and objects of classes of the
    generator's own module.
    """

    @abstractmethod
    def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
        """Process a row, which is a named tuple, and its time."""

    @abstractmethod
    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emit a watermark, if any, at the end of a micro-batch."""


class NoWatermarks(WatermarkGenerator):
    """Generator that never emits a watermark."""

    def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
        pass

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        pass


class BoundedOutOfOrderness(WatermarkGenerator):
    """Generator whose watermark is the greatest time so far, minus the delay and one millisecond."""

    def __init__(self, delay: int) -> None:
        if delay < 0:
            raise UsageError("maxOutOfOrderness cannot be negative")
        self._delay = delay
        self._greatest = _LEAST + delay + 1

    def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
        self._greatest = max(self._greatest, timestamp)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        output.emit_watermark(self._greatest - self._delay - 1)


class AscendingTimestamps(BoundedOutOfOrderness):
    """Generator for row times that never decrease."""

    def __init__(self) -> None:
        super().__init__(0)


@dataclass(frozen=True)
class WatermarkStrategy:
    """Strategy for the watermarks of a stream."""

    generator: Callable[[], WatermarkGenerator]
    """Function or class that returns a new generator."""
    assigner: TimestampAssigner | None = None
    """Assigner of row times. None: use the rowtime column."""
    idle: int = 0
    """Milliseconds of silence after which other streams do not wait for this one. 0: they always wait."""

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        return WatermarkStrategy(NoWatermarks)

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        return WatermarkStrategy(AscendingTimestamps)

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: timedelta) -> WatermarkStrategy:
        delay = _milliseconds(max_out_of_orderness)
        return WatermarkStrategy(lambda: BoundedOutOfOrderness(delay))

    @staticmethod
    def for_generator(generator: Callable[[], WatermarkGenerator]) -> WatermarkStrategy:
        """Return a strategy with a custom generator: its class, or a function that returns one."""
        return WatermarkStrategy(generator)

    def with_timestamp_assigner(self, assigner: TimestampAssigner) -> WatermarkStrategy:
        return replace(self, assigner=assigner)

    def with_idleness(self, idle_timeout: timedelta) -> WatermarkStrategy:
        timeout = _milliseconds(idle_timeout)
        if timeout <= 0:
            raise UsageError("idleTimeout must be greater than zero")
        return replace(self, idle=timeout)


def _milliseconds(duration: timedelta) -> int:
    if not isinstance(duration, timedelta):
        raise UsageError(f"a datetime.timedelta is expected, got {duration!r}")
    return duration // timedelta(milliseconds=1)
