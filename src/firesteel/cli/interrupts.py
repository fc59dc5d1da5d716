"""Signals that end a command: Ctrl-C, SIGTERM of a service manager, SIGHUP of a terminal that is gone.

All of them stop the running job in the same way. A second one ends the process at once.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from firesteel.spark.progress import Progress

T = TypeVar("T")

PATIENCE_SECONDS = 1.0
"""A second signal sooner than this belongs to the first: a closed terminal sends SIGHUP more than once."""

_ASKED = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """A signal asked the command to end.

    Attributes:
        number: The signal.
        progress: The counts of the job that it stopped, None if none ran.
    """

    def __init__(self, number: int, progress: Progress | None = None) -> None:
        super().__init__()
        self.number = number
        self.progress = progress


def signal_of(stop: KeyboardInterrupt) -> int:
    """Return the signal that a KeyboardInterrupt came from."""
    return stop.number if isinstance(stop, Stopped) else signal.SIGINT


def exit_status(stop: KeyboardInterrupt) -> int:
    """Return 128 and the signal's number, as shells and JVMs have it: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + signal_of(stop)


_came: list[int] = []
"""The signals that have raised Stopped before a statement ran: libraries and CPython drop what is raised."""


def stop_on_signals() -> None:
    """Have signals raise Stopped in the main thread, except one that is ignored, as by nohup."""
    for number in (signal.SIGINT, *_ASKED):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)
    told = sys.unraisablehook

    def tell(dropped: sys.UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, Stopped):
            told(dropped)

    sys.unraisablehook = tell


def raise_dropped() -> None:
    """Raise Stopped if a signal came while the command started and what it raised was dropped."""
    if _came:
        raise Stopped(_came.pop())


def forget() -> None:
    """Forget a signal that was heard and does not end the command, such as Ctrl-C in the shell."""
    _came.clear()


def _raise(number: int, _frame: object) -> None:
    _came[:] = [number]
    raise Stopped(number)


class Interrupts:
    """While it is entered, a signal that ends the command raises Stopped and is remembered.

    CPython drops what is raised while it clears up after objects (py4j's are many). `checked` raises it then.

    Attributes:
        came: The signal that came, 0 for none.
    """

    came = 0

    def __enter__(self) -> Interrupts:
        self._before = _replaced(self._remember)
        try:
            raise_dropped()  # it came between the start of the statement and here
        except Stopped:
            _put_back(self._before)
            raise
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        _put_back(self._before)
        if isinstance(error, Exception):  # a library made it of what was raised
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

    def _remember(self, number: int, _frame: object) -> None:
        self.came = number
        raise Stopped(number)


@contextmanager
def second_interrupt_leaves() -> Iterator[None]:
    """While a job is being stopped, end the process at once when another signal comes, given on purpose."""
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
    """Set the handler of each signal that ends the command; those that were there before.

    Ctrl-C always counts while a statement runs. The others count unless they are ignored.
    """
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, *_ASKED)]
    kept = [(n, old) for n, old in before if n == signal.SIGINT or old is not signal.SIG_IGN]
    for number, _ in kept:
        signal.signal(number, handler)
    return kept


def _put_back(before: Iterable[tuple[int, Any]]) -> None:
    for number, handler in before:
        signal.signal(number, handler)
