"""Names of files that a JVM deletes at its exit: those of Spark's sockets are dropped from time to time.

With Unix sockets Spark registers a file for each task that has keyed state, and for each result that Python
reads. It deletes the file after use, but Java keeps the name for as long as the JVM lives: some hundred MB
in a day for a stream with many short micro-batches.

Private: the class java.io.DeleteOnExitHook and its field, which Spark has Java open to reflection.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from firesteel.spark.launch.private_sockets import SOCKET_FOLDER, UNIX_SOCKETS

if TYPE_CHECKING:
    from pyspark import SparkContext

_EVERY = 500
"""Micro-batches after which the names are dropped: a few MB."""


class ExitFiles:
    """The names of one JVM; one that Firesteel has not started keeps all of them."""

    def __init__(self, context: SparkContext, *, is_owned: bool) -> None:
        conf = context.getConf()
        folder = conf.get(SOCKET_FOLDER) if conf.get(UNIX_SOCKETS) == "true" else None
        self._folder = folder if is_owned else None
        self._context = context
        self._batches = 0

    def end_batch(self) -> None:
        """Count a micro-batch, and drop the names when it is time."""
        self._batches += 1
        if self._folder is not None and self._batches % _EVERY == 0:
            with suppress(Exception):  # a Java without the field keeps the names
                self.drop()

    def drop(self) -> int:
        """Drop the names in the folder of sockets and return how many there were.

        Java's set is replaced by an empty one, so that a thread that adds a name meets a whole set. The names
        of other files are then registered again, in the ordinary way.
        """
        jvm: Any = self._context._jvm
        field = jvm.java.lang.Class.forName("java.io.DeleteOnExitHook").getDeclaredField("files")
        field.setAccessible(True)
        before = field.get(None)
        if before is None:  # the JVM is ending
            return 0
        field.set(None, jvm.java.util.LinkedHashSet())
        names: list[str] = jvm.java.lang.String.join("\n", before).splitlines()
        others = [name for name in names if not name.startswith(f"{self._folder}/")]
        for name in others:
            jvm.java.io.File(name).deleteOnExit()
        return len(names) - len(others)
