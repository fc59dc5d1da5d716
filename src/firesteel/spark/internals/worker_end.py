"""Hook that runs when a Python worker ends. Spark's daemon ends workers by a signal or by os._exit."""

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
    """Call `close` when this process exits, gets the daemon's signal, or is no longer needed by Spark.

    If the process is killed, `close` is not called.

    This depends on private behaviour of pyspark: a worker runs `pyspark.worker.main` once for each task,
    waits in it for the next task, and resets its signal handlers before each task. In a process that is not a
    worker, `close` runs only at the ordinary exit.
    """
    atexit.register(close)
    worker: Any = sys.modules.get(_WORKER)
    if worker is None or not hasattr(worker, "main") or "SPARK_REUSE_WORKER" not in os.environ:
        return
    run, begun = worker.main, list[bool]()

    def end_once() -> bool:
        """Call `close` once, and return whether this call did so.

        The daemon may send its signal twice, while `close` is still running.
        """
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

    # Outside of the main thread, signal.signal raises ValueError, and no handler is set. The next task sets
    # the handler: the task begins in the main thread, and calls this function again.
    with suppress(ValueError):
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
