"""Iteration over a job's results, computed in a background thread.

The caller waits at a queue, which Ctrl-C interrupts cleanly. If Ctrl-C interrupted a call to the JVM, the
call's connection would be lost and its client would log a stack trace. The job is stopped in a thread, too. A
second Ctrl-C ends the wait for this thread, but the thread still stops the job.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from firesteel.background import in_thread

T = TypeVar("T")

_PATIENCE_SECONDS = 0.1


def in_background(items: Iterator[T], cancel: Callable[[], object]) -> Iterator[T]:
    """Yield the items, computed in a thread that is at most two items ahead.

    The thread starts with the first request. An error of `items` is raised here. If the caller stops early
    (Ctrl-C, a closed generator), `cancel` is called and later items are dropped.
    """
    handed = _OneAhead(items)
    finished = False
    try:
        yield from handed.taken()
        finished = True
    except Exception:
        finished = True
        raise
    finally:
        if not finished:
            handed.abandoned.set()
            in_thread(cancel).result()


class _OneAhead(Generic[T]):
    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._queue: queue.Queue[tuple[T] | BaseException | None] = queue.Queue(maxsize=1)
        self.abandoned = threading.Event()

    def taken(self) -> Iterator[T]:
        threading.Thread(target=self._work, daemon=True).start()
        while (found := self._queue.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found[0]

    def _work(self) -> None:
        try:
            for item in self._items:
                if not self._put((item,)):
                    return
            self._put(None)
        except BaseException as error:
            self._put(error)

    def _put(self, what: tuple[T] | BaseException | None) -> bool:
        """Put something into the queue. Return False if the reader has stopped.

        `what`: an item as a tuple of one, the error that ended the iteration, or None at its end.
        """
        while not self.abandoned.is_set():
            try:
                self._queue.put(what, timeout=_PATIENCE_SECONDS)
            except queue.Full:
                continue
            return True
        return False
