"""A lock on a file that Spark's JVM holds, which may live longer than the process that started it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext


class JvmLock:
    """Private: the way from a context into its JVM (`_jvm`)."""

    def __init__(self, context: SparkContext, file: Path) -> None:
        made: Any = context
        self._channel = made._jvm.java.io.RandomAccessFile(str(file), "rw").getChannel()

    def is_taken(self) -> bool:
        """Whether the JVM has the lock now. Raises Py4JJavaError on a file system without locks."""
        return self._channel.tryLock() is not None

    def close(self) -> None:
        """Let others have it."""
        with suppress(Exception):  # a JVM that has ended holds nothing
            self._channel.close()
