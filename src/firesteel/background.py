"""Calls in a thread of their own: for calls that cannot be interrupted and may never return.

The thread does not prevent the process from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_thread(call: Callable[[], T]) -> Future[T]:
    """Start a call in a thread, and return a future of its result or error."""
    done: Future[T] = Future()

    def work() -> None:
        try:
            given = call()
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(given)

    threading.Thread(target=work, daemon=True).start()
    return done
