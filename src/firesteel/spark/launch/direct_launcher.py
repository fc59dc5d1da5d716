"""Direct start of a local Spark (docs/adr/0007), without `spark-submit`.

The JVM starts at once, with a class-data archive and quick compilation. Python workers are forks of a process
that has their libraries loaded.

This depends on private parts of pyspark and Spark. If any of them fails, `spark_submit_launcher.py` starts
Spark instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from firesteel.spark.launch.archive import class_archive
from firesteel.spark.launch.class_path import class_path
from firesteel.spark.launch.fork_server import fork_server
from firesteel.spark.launch.java import Java, spark_home
from firesteel.spark.launch.jvm import LocalJvm
from firesteel.spark.launch.private_sockets import (
    LOCAL_FOLDER,
    SECRET,
    java_temporary_folder,
    with_private_sockets,
)
from firesteel.spark.launch.settings import STREAM, LaunchOptions
from firesteel.spark.launch.spark_logging import logging_options
from firesteel.spark.launch.variables import set_variables
from firesteel.spark.launch.without_pandas import spare_pandas
from firesteel.spark.start.ended_peers import quiet_counters
from firesteel.spark.temporary import private_folder

if TYPE_CHECKING:
    from pyspark import SparkContext

_JVM_OPTIONS = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:TieredStopAtLevel=1",
    "-XX:CICompilerCount=1",
    "-XX:+UseSerialGC",
    "-Xss8m",
]
"""JVM options for a short start.

Python does most of the work, so quick compilation in one thread and the smallest collector are best.

The large stack (-Xss) is for the end of a stream. The micro-batch that is interrupted fails, and Spark
(StreamExecution) matches the error's text with a regular expression. A long text takes a large stack.
"""
_STREAM_OPTIONS = [
    "-Xms192m",
    "-XX:NewSize=96m",
    "-XX:MaxNewSize=96m",
    "-XX:MinHeapFreeRatio=20",
    "-XX:MaxHeapFreeRatio=50",
    "-XX:SurvivorRatio=4",
    "-XX:TargetSurvivorRatio=90",
    "-XX:TrimNativeHeapInterval=5000",
]
"""JVM options for jobs that run for weeks.

- The young generation has 96 MB, so that objects of one micro-batch die in it. It does not grow.
- Java collects the old generation at 96 MB, and then each time it has doubled. By default, Java first waits
  for two thirds of the initial heap (a 64th of the machine's memory), and later until the size has tripled.
- Memory that libraries in C have freed goes back to the system every 5,000 ms (Java 17.0.9 and later). If it
  did not, it would be 128 of 870 MB after an hour.
"""


class DirectLauncher:
    """A JVM that begins to start when the object is created, with its fork server and class-data archive."""

    def __init__(self, options: LaunchOptions, java: Java) -> None:
        self._options = options
        jars = class_path(spark_home() / "jars", own_process=options.own_process)
        self._archive = class_archive(java, jars, options.host)
        self._fork_server = fork_server()
        self._settings = with_private_sockets(options.settings())
        if "SPARK_LOCAL_DIRS" not in os.environ:
            self._settings.setdefault(LOCAL_FOLDER, str(private_folder("local")))
        memory = _STREAM_OPTIONS if options.host == STREAM else []
        jvm_options = [
            *_JVM_OPTIONS,
            *memory,
            java_temporary_folder(),
            *self._archive.options,
            *logging_options(options.conf),
            "-cp",
            ":".join(map(str, jars)),
        ]
        shown = {key: value for key, value in self._settings.items() if key not in (SECRET, *options.conf)}
        self._jvm = LocalJvm(  # `shown` has no secrets: `ps` shows the command line.
            java, jvm_options, shown, self._python, shows_traces=options.shows_traces
        )

    @property
    def _python(self) -> str | None:
        """Return the script that Spark runs as its Python; None for the ordinary Python."""
        return str(self._fork_server.python) if self._fork_server is not None else None

    @property
    def has_ended(self) -> bool:
        """Return whether the JVM has ended."""
        return self._jvm.has_ended

    def context(self, step: Callable[[str], object] = lambda _: None) -> SparkContext:
        """Return the context, once the JVM is up.

        Args:
            step: Function that is called with the name of each step of the start.

        Raises:
            JobError: The JVM did not start. Other errors are pyspark's.
        """
        from pyspark import SparkConf, SparkContext

        if self._options.own_process:
            spare_pandas(spark=True)
        conf = SparkConf(loadDefaults=False)
        for key, value in self._settings.items():
            conf.set(key, value)
        step("its JVM")
        port, secret = self._jvm.connect()
        step("its context")
        variables = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
        # The fork server starts after the JVM, because the start of the JVM needs all cores.
        if self._fork_server is not None:
            self._fork_server.start(self._settings, self._jvm.process_id)
        if self._python is not None:
            variables["PYSPARK_PYTHON"] = self._python
        with set_variables(variables):
            return quiet_counters(SparkContext(conf=conf))

    def keep_classes(self) -> None:
        """Keep the JVM's loaded classes for later runs, because a job has returned results."""
        self._archive.keep()

    def stop(self) -> None:
        """Ask the JVM and the fork server to end, without waiting for them."""
        self._jvm.stop()
        if self._fork_server is not None:
            self._fork_server.stop()
