"""Triggers, which decide when a window of GROUP BY sends a result: at its end, before it, and after it.

Flink: WindowEmitStrategy, EventTimeTriggers, ProcessingTimeTriggers, ElementTriggers. A delay of 0 sends a
result with every row. Any other delay is a period of processing time, and a result is sent at its end. The
first period begins with a row: for early results the window's first row, for late results the first one after
the end. Each period is followed by another one. Times are milliseconds: of event time for event time windows,
otherwise of processing time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from firesteel.runtime.spec.window import Emit


@dataclass
class OpenWindow:
    """An open window of a key.

    Attributes:
        start: Start of the window.
        end_time: Time at which it fires at its end.
        clear_time: Time at which it is dropped.
        sent: Last sent result, None for none.
        has_fired: Whether it has fired at its end. Set only if late firings have a delay.
        next_fire: Processing time of the next firing, by the delay of early or late firings.
        event_timers: Times of the timers that are set for its end and for dropping it.
    """

    start: int
    end_time: int
    clear_time: int
    sent: tuple[Any, ...] | None = None
    has_fired: bool = False
    next_fire: dict[int, int] = field(default_factory=dict)
    event_timers: set[int] = field(default_factory=set)


class Timers(Protocol):
    """Interface for setting a window's timers."""

    def at_event_time(self, window: OpenWindow, time: int) -> None:
        """Set a timer at an event time."""
        ...

    def at_clock(self, window: OpenWindow, time: int) -> None:
        """Set a timer at a processing time."""
        ...


class EventTimeTrigger:
    """Trigger at the end of a window by event time (afterEndOfWindow), with optional early and late firings.

    Late firings with every row are the default if rows may be late.
    """

    def __init__(self, emit: Emit) -> None:
        self._early = emit.early
        self._late = emit.late or None

    def on_row(self, window: OpenWindow, timers: Timers, watermark: int, now: int) -> bool:
        """Return whether the window sends a result after a row."""
        if self._late is not None and window.has_fired:
            return _on_row(self._late, window, timers, now)
        if window.end_time <= watermark:
            return True
        timers.at_event_time(window, window.end_time)
        return _on_row(self._early, window, timers, now)

    def on_event_time(self, window: OpenWindow, time: int) -> bool:
        """Return whether the window sends a result when an event time timer fires."""
        if time != window.end_time or window.has_fired:
            return False
        window.has_fired = self._late is not None
        return True

    def on_clock(self, window: OpenWindow, timers: Timers, time: int, now: int) -> bool:
        """Return whether the window sends a result when a processing time timer fires."""
        return _on_clock(self._late if window.has_fired else self._early, window, timers, time, now)


class ProcessingTimeTrigger:
    """Trigger at the end of a window by processing time (afterEndOfWindow), with optional early firings."""

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
    """Return whether a row fires the window now. If a delay begins with this row, set its timer.

    Flink: EveryElement, AfterFirstElementPeriodic.
    """
    if delay and delay not in window.next_fire:
        window.next_fire[delay] = now + delay
        timers.at_clock(window, now + delay)
    return delay == 0


def _on_clock(delay: int | None, window: OpenWindow, timers: Timers, time: int, now: int) -> bool:
    """Return whether a timer fires the window now, and set its next timer.

    Timers are one delay apart. The next timer is the first one after `now`: those before would all fire now,
    with the same result.
    """
    if not delay or window.next_fire.get(delay) != time:
        return False
    window.next_fire[delay] = time + ((now - time) // delay + 1) * delay
    timers.at_clock(window, window.next_fire[delay])
    return True
