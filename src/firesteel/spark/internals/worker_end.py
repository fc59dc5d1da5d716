"""The end of a Python worker, which Spark's daemon keeps from it: a signal or os._exit."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name))
_WORKER = "pyspark.worker"


def at_worker_end(close: Callable[[], None]) -> None:
    """Have `close` called when this process ends: by itself, by the daemon's signal to its workers, or
    because Spark needs it no more. Where it is killed nothing is called.

    Private: a worker runs `pyspark.worker.main` once a task, waits in it for the next one, and sets its
    signals back before each. In a process that is no worker only the ordinary end counts.
    """
    atexit.register(close)
    worker: Any = sys.modules.get(_WORKER)
    if worker is None or not hasattr(worker, "main") or "SPARK_REUSE_WORKER" not in os.environ:
        return
    run, begun = worker.main, list[bool]()

    def end_once() -> bool:
        """Close, unless that has begun (the daemon says it twice, closing may take its time): whether it had
        not."""
        begun.append(True)
        if len(begun) > 1:
            return False
        close()
        return True

    def main(*streams: Any) -> None:
        _catch(end_once)
        try:
            run(*streams)
        except BaseException:
            end_once()
            raise

    worker.main = main
    _catch(end_once)


def _catch(close: Callable[[], bool]) -> None:
    def end(number: int, _frame: object) -> None:
        if close():
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    with suppress(ValueError):  # in another thread than the main one; the next task begins in that
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
