"""Lock on a file held by Spark's JVM, which may outlive the process that started it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext


class JvmLock:
    """Lock on a file that Spark's JVM holds. It uses a context's private attribute `_jvm`."""

    def __init__(self, context: SparkContext, file: Path) -> None:
        made: Any = context
        self._channel = made._jvm.java.io.RandomAccessFile(str(file), "rw").getChannel()

    def is_taken(self) -> bool:
        """Try to lock the file, and return whether the JVM has the lock now.

        Raises:
            Py4JJavaError: The file system has no locks.
        """
        return self._channel.tryLock() is not None

    def close(self) -> None:
        """Release the lock."""
        with suppress(Exception):  # A JVM that has ended holds no lock.
            self._channel.close()
