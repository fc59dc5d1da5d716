"""Regular removal of socket names from the JVM's list of files to delete at exit.

With Unix sockets, Spark registers a file for each task that has keyed state, and for each result that Python
reads. Spark deletes the file after use, but Java keeps the name as long as the JVM lives. For a stream with
many short micro-batches, the names take some hundred MB a day.

This depends on Java's private class java.io.DeleteOnExitHook and its field. Spark's JVM options open them to
reflection.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from firesteel.spark.launch.private_sockets import SOCKET_FOLDER, UNIX_SOCKETS

if TYPE_CHECKING:
    from pyspark import SparkContext

_EVERY = 500
"""Number of micro-batches after which the names are removed. They take a few MB by then."""


class ExitFiles:
    """Names of files that one JVM deletes at its exit. In a JVM of the user, no names are removed."""

    def __init__(self, context: SparkContext, *, is_owned: bool) -> None:
        conf = context.getConf()
        folder = conf.get(SOCKET_FOLDER) if conf.get(UNIX_SOCKETS) == "true" else None
        self._folder = folder if is_owned else None
        self._context = context
        self._batches = 0

    def end_batch(self) -> None:
        """Count a micro-batch, and remove the names after every 500."""
        self._batches += 1
        if self._folder is not None and self._batches % _EVERY == 0:
            with suppress(Exception):  # If this Java has no such field, the names stay.
                self.drop()

    def drop(self) -> int:
        """Remove the names of files in the socket folder from the list, and return how many there were.

        The method replaces Java's set with an empty one, so that a thread that adds a name never sees a
        half-changed set. It then registers the names of other files again through the public API.
        """
        jvm: Any = self._context._jvm
        field = jvm.java.lang.Class.forName("java.io.DeleteOnExitHook").getDeclaredField("files")
        field.setAccessible(True)
        before = field.get(None)
        if before is None:  # The JVM is shutting down.
            return 0
        field.set(None, jvm.java.util.LinkedHashSet())
        names: list[str] = jvm.java.lang.String.join("\n", before).splitlines()
        others = [name for name in names if not name.startswith(f"{self._folder}/")]
        for name in others:
            jvm.java.io.File(name).deleteOnExit()
        return len(names) - len(others)
