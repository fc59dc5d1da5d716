"""Signals that end a command: Ctrl-C, SIGTERM of a service manager, SIGHUP of a closed terminal.

All of them stop the running job in the same way. A second one ends the process immediately.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from firesteel.cli.signal_again import SignalAgain, is_importing

if TYPE_CHECKING:
    from types import FrameType

    from firesteel.spark.progress import Progress

T = TypeVar("T")

PATIENCE_SECONDS = 1.0
"""Seconds in which a second signal counts as a repetition of the first, and is ignored.

A closing terminal sends SIGHUP more than once.
"""

_ASKED = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """Exception for a signal that ends the command.

    Attributes:
        number: Number of the signal.
        progress: Counters of the job that was stopped, None if none ran.
    """

    def __init__(self, number: int, progress: Progress | None = None) -> None:
        super().__init__()
        self.number = number
        self.progress = progress


def signal_of(stop: KeyboardInterrupt) -> int:
    """Return the number of the signal that caused a KeyboardInterrupt."""
    return stop.number if isinstance(stop, Stopped) else signal.SIGINT


def exit_status(stop: KeyboardInterrupt) -> int:
    """Return 128 plus the number of the signal, as shells and JVMs do: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + signal_of(stop)


_came: list[int] = []
"""The number of the signal that came while no statement ran, as the only item; empty if none came.

The handler of the signal raises Stopped, but a library or CPython may drop this exception. In this case,
`raise_dropped` raises Stopped when the next statement starts.
"""
_again = SignalAgain()


def stop_on_signals() -> None:
    """Install handlers that raise Stopped in the main thread.

    A signal that is ignored, for example because of nohup, stays ignored. If CPython drops Stopped, the
    signal is sent again.
    """
    for number in (signal.SIGINT, *_ASKED):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)
    told = sys.unraisablehook

    def tell(dropped: sys.UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, Stopped):
            _again.soon(dropped.exc_value.number)
        else:
            told(dropped)

    sys.unraisablehook = tell


def raise_dropped() -> None:
    """Raise Stopped if a signal came while the command started and its exception was dropped."""
    if _came:
        _again.settle()
        raise Stopped(_came.pop())


def remember(number: int) -> None:
    """Record a signal that came between two statements. The next statement raises Stopped at its start."""
    _came[:] = [number]


def forget() -> None:
    """Forget a signal that was handled and does not end the command, such as Ctrl-C in the shell."""
    _came.clear()
    _again.settle()


def _raise(number: int, frame: FrameType | None) -> None:
    _came[:] = [number]
    _raise_or_repeat(number, frame)


def _raise_or_repeat(number: int, frame: FrameType | None) -> None:
    """Raise Stopped, unless the signal has interrupted the import system.

    An exception there could block later imports forever (signal_again.py). The signal is therefore sent again
    after 10 milliseconds.
    """
    if is_importing(frame):
        _again.soon(number)
        return
    _again.settle()
    raise Stopped(number)


class Interrupts:
    """Context in which a signal that ends the command raises Stopped and is remembered.

    CPython drops exceptions that are raised while it finalizes objects, and py4j has many such objects. If
    Stopped was dropped, the next call of `check`, or the next item of `checked`, raises it. A signal that
    interrupts the import system is sent again.

    Attributes:
        came: Number of the signal that came, 0 for none.
    """

    came = 0

    def __enter__(self) -> Interrupts:
        self._before = _replaced(self._remember)
        try:
            raise_dropped()  # a signal may have come just before the statement started
        except Stopped:
            _put_back(self._before)
            raise
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        _put_back(self._before)
        if self.came:
            _again.settle()
        if isinstance(error, Exception):  # a library may have turned Stopped into its own error
            self.check()

    def check(self) -> None:
        """Raise Stopped if a signal has come."""
        if self.came:
            raise Stopped(self.came)

    def checked(self, items: Iterator[T]) -> Iterator[T]:
        """Yield the items until a signal comes.

        Raises:
            Stopped: A signal came.
        """
        for item in items:
            self.check()
            yield item

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self.came = number
        _raise_or_repeat(number, frame)


@contextmanager
def second_interrupt_leaves() -> Iterator[None]:
    """Context for stopping a job, in which another signal ends the process immediately.

    A signal within the first second is ignored: it may belong to the first one.
    """
    started = time.monotonic()

    def leave(number: int, _frame: object) -> None:
        if time.monotonic() - started > PATIENCE_SECONDS:
            os._exit(exit_status(Stopped(number)))

    before = _replaced(leave)
    try:
        yield
    finally:
        _put_back(before)


def _replaced(handler: Any) -> list[tuple[int, Any]]:
    """Set a handler for the signals that end the command. Return (signal, previous handler) of each.

    Ctrl-C gets the handler even if the process ignores it. SIGTERM and SIGHUP get the handler only if the
    process does not ignore them.
    """
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, *_ASKED)]
    kept = [(n, old) for n, old in before if n == signal.SIGINT or old is not signal.SIG_IGN]
    for number, _ in kept:
        signal.signal(number, handler)
    return kept


def _put_back(before: Iterable[tuple[int, Any]]) -> None:
    for number, handler in before:
        signal.signal(number, handler)
