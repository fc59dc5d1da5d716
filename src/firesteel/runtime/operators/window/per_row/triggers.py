"""When a window of GROUP BY gives a result: at its end, and before and after it.

Flink: WindowEmitStrategy, EventTimeTriggers, ProcessingTimeTriggers, ElementTriggers. A delay of 0 is with
every row; any other counts processing time from the first row on. Times are milliseconds: of event time where
the window is by event time, of the clock otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from firesteel.runtime.spec.window import Emit


@dataclass
class OpenWindow:
    """What is known of a window of a key. end_time: when it fires at its end. clear_time: when it is
    forgotten. sent: the result that was sent last. has_fired: at its end. next_fire: by interval, the
    processing time of the next firing. event_timers: those that are set."""

    start: int
    end_time: int
    clear_time: int
    sent: tuple[Any, ...] | None = None
    has_fired: bool = False
    next_fire: dict[int, int] = field(default_factory=dict)
    event_timers: set[int] = field(default_factory=set)


class Timers(Protocol):
    """Where a window's timers are set."""

    def at_event_time(self, window: OpenWindow, time: int) -> None:
        """Once event time has come this far."""
        ...

    def at_clock(self, window: OpenWindow, time: int) -> None:
        """Once it is this late."""
        ...


class EventTimeTrigger:
    """afterEndOfWindow, with or without early and late firings. Late firings with every row are what happens
    without any, where rows may be late."""

    def __init__(self, emit: Emit) -> None:
        self._early = emit.early
        self._late = emit.late or None

    def on_row(self, window: OpenWindow, timers: Timers, watermark: int, now: int) -> bool:
        """Whether the window gives a result now that a row has come."""
        if self._late is not None and window.has_fired:
            return _on_row(self._late, window, timers, now)
        if window.end_time <= watermark:
            return True
        timers.at_event_time(window, window.end_time)
        return _on_row(self._early, window, timers, now)

    def on_event_time(self, window: OpenWindow, time: int) -> bool:
        """The same where a timer of event time goes off."""
        if time != window.end_time or window.has_fired:
            return False
        window.has_fired = self._late is not None
        return True

    def on_clock(self, window: OpenWindow, timers: Timers, time: int, now: int) -> bool:
        """The same where a timer of the clock goes off."""
        return _on_clock(self._late if window.has_fired else self._early, window, timers, time, now)


class ProcessingTimeTrigger:
    """afterEndOfWindow by the clock, with or without early firings."""

    def __init__(self, emit: Emit) -> None:
        self._early = emit.early

    def on_row(self, window: OpenWindow, timers: Timers, watermark: int, now: int) -> bool:
        if window.end_time not in window.event_timers:
            window.event_timers.add(window.end_time)
            timers.at_clock(window, window.end_time)
        return _on_row(self._early, window, timers, now)

    def on_event_time(self, window: OpenWindow, time: int) -> bool:
        return False

    def on_clock(self, window: OpenWindow, timers: Timers, time: int, now: int) -> bool:
        return time == window.end_time or _on_clock(self._early, window, timers, time, now)


Trigger = EventTimeTrigger | ProcessingTimeTrigger


def _on_row(delay: int | None, window: OpenWindow, timers: Timers, now: int) -> bool:
    """EveryElement, AfterFirstElementPeriodic."""
    if delay and delay not in window.next_fire:
        window.next_fire[delay] = now + delay
        timers.at_clock(window, now + delay)
    return delay == 0


def _on_clock(delay: int | None, window: OpenWindow, timers: Timers, time: int, now: int) -> bool:
    """The next firing is the next multiple of the delay that is still to come: what would fire between finds
    nothing new."""
    if not delay or window.next_fire.get(delay) != time:
        return False
    window.next_fire[delay] = time + ((now - time) // delay + 1) * delay
    timers.at_clock(window, window.next_fire[delay])
    return True
