"""How watermarks are made in Python, under the names of PyFlink's DataStream API. Times are milliseconds.

Flink: WatermarkStrategy, WatermarkGenerator, BoundedOutOfOrdernessWatermarks. Who gets the watermarks
looks after idleness (runtime/dataflow/watermarks.py).
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
    """Gives a row its time, in place of what its row time column has."""

    @abstractmethod
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """The time of a row, whose column has `record_timestamp`."""


class WatermarkOutput(ABC):
    """What a generator tells watermarks to."""

    @abstractmethod
    def emit_watermark(self, timestamp: int) -> None:
        """No row with a time up to this one will come. What is not above the last one is left out."""


class WatermarkGenerator(ABC):
    """Makes watermarks from rows. What its attributes hold is kept with the checkpoint, as pickle has it."""

    @abstractmethod
    def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
        """A row has come; a tuple that knows its columns by name."""

    @abstractmethod
    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """A micro-batch ends."""


class NoWatermarks(WatermarkGenerator):
    """Never one."""

    def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
        pass

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        pass


class BoundedOutOfOrderness(WatermarkGenerator):
    """The greatest time so far, less the delay and one millisecond."""

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
    """For times that never go back."""

    def __init__(self) -> None:
        super().__init__(0)


@dataclass(frozen=True)
class WatermarkStrategy:
    """How a stream gets its watermarks. generator makes one. assigner: of rows' times, None for those that
    they have. idle: milliseconds of silence after which other streams do not wait for it, 0 for never."""

    generator: Callable[[], WatermarkGenerator]
    assigner: TimestampAssigner | None = None
    idle: int = 0

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
        """generator: the class of one, or what makes one."""
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
