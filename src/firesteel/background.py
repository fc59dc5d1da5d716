"""A call in a thread of its own: for calls that nothing interrupts, and that may never come back.

The thread does not keep the process from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_thread(call: Callable[[], T]) -> Future[T]:
    """Settled when the call has come back, with what it gave or raised."""
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
