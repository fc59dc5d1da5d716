"""A local Spark started directly (docs/adr/0007): its JVM at once, with a class-data archive and for quick
compilation, its Python workers as forks of a process that has their libraries loaded.

All of it leans on what pyspark and Spark keep to themselves. Whatever of it fails, `spark_submit_launcher.py`
starts Spark.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from firesteel.spark.launch.archive import class_archive
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
"""The work is done in Python: quick compilation, in one thread, and the smallest collector start soonest. The
stack is for a stream that is stopped: Spark matches the error's text with a regular expression that
recurses."""
_STREAM_OPTIONS = [
    "-Xms208m",
    "-XX:NewSize=128m",
    "-XX:MinHeapFreeRatio=20",
    "-XX:SurvivorRatio=6",
    "-XX:TargetSurvivorRatio=90",
]
"""For a job that runs for weeks. What a micro-batch leaves behind is to die young, also where one is larger
than the others; and what does get old is collected at 80 MB and not at two thirds of a first heap that Java
takes to be a 64th of the machine's memory."""


class FastStart:
    """A JVM that begins to start when this is made, and what comes with it."""

    def __init__(self, options: LaunchOptions, java: Java) -> None:
        self._options = options
        self._archive = class_archive(java, spark_home() / "jars", options.host)
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
        ]
        shown = {key: value for key, value in self._settings.items() if key not in (SECRET, *options.conf)}
        self._jvm = LocalJvm(  # ps shows what it is started with
            java, jvm_options, shown, self._python, shows_traces=options.shows_traces
        )

    @property
    def _python(self) -> str | None:
        """What Spark is to start as Python, where that is not the usual one."""
        return str(self._fork_server.python) if self._fork_server is not None else None

    @property
    def has_ended(self) -> bool:
        """Whether the JVM is gone."""
        return self._jvm.has_ended

    def context(self, step: Callable[[str], object] = lambda _: None) -> SparkContext:
        """Return the context, once the JVM is up.

        Args:
            step: Function that takes what the start waits for.

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
        if self._fork_server is not None:  # not sooner: the JVM needs the cores
            self._fork_server.start(self._settings, self._jvm.process_id)
        if self._python is not None:
            variables["PYSPARK_PYTHON"] = self._python
        with set_variables(variables):
            return quiet_counters(SparkContext(conf=conf))

    def keep_classes(self) -> None:
        """Keep what the JVM has loaded for later runs: a job has given results here."""
        self._archive.keep()

    def stop(self) -> None:
        """Let the JVM and the server end; they are not waited for."""
        self._jvm.stop()
        if self._fork_server is not None:
            self._fork_server.stop()
