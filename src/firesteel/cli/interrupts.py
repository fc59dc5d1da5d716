"""Ctrl-C while a statement runs: none is lost, and a second one leaves at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from firesteel.cli.report import CANCELLED

T = TypeVar("T")

PATIENCE_SECONDS = 1.0
"""A second Ctrl-C sooner than this belongs to the first."""


class Interrupts:
    """Within it, Ctrl-C raises KeyboardInterrupt and is remembered.

    CPython drops what is raised while it clears up after objects (py4j's are many); `checked` raises it then.
    """

    came = False

    def __enter__(self) -> Interrupts:
        self._before: Any = signal.signal(signal.SIGINT, self._raise)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def checked(self, items: Iterator[T]) -> Iterator[T]:
        """The items, until Ctrl-C came. Raises KeyboardInterrupt then."""
        for item in items:
            if self.came:
                raise KeyboardInterrupt
            yield item

    def _raise(self, *_: object) -> None:
        self.came = True
        raise KeyboardInterrupt


@contextmanager
def second_interrupt_leaves() -> Iterator[None]:
    """While a job is being stopped: another Ctrl-C, given on purpose, ends the process at once."""
    started = time.monotonic()

    def leave(*_: object) -> None:
        if time.monotonic() - started > PATIENCE_SECONDS:
            os._exit(CANCELLED)

    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
