"""JVM of a local Spark, started directly.

`bin/spark-submit` starts a first JVM, which computes the command line of Spark's JVM. In local mode, with no
program to submit, this module computes the command line itself, which saves half a second. It depends on
private parts of Spark: the command line, and how the JVM reports its port and secret
(pyspark.java_gateway.launch_gateway).
"""

from __future__ import annotations

import atexit
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Mapping

from firesteel.errors import JobError
from firesteel.spark.launch.java import Java
from firesteel.spark.launch.jvm_output import JvmOutput
from firesteel.spark.launch.private_sockets import private_variables
from firesteel.spark.launch.settings import ARENAS
from firesteel.spark.temporary import held_locks, private_folder

PATIENCE = 120.0
"""Seconds in which a JVM must report its port. It takes half a second on an idle machine.

On a busy machine it may take half a minute. Waiting is then faster than starting another JVM by spark-submit,
which would also have other memory settings.
"""

_OPENED = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar",
)  # fmt: skip
"""Packages of java.base that Spark accesses by reflection (Spark: JavaModuleOptions)."""

_GATEWAY = "org.apache.spark.api.python.PythonGatewayServer"


class LocalJvm:
    """A JVM that is starting or running, and the port at which Python reaches it.

    The JVM ends when its standard input ends, so when this process ends at the latest. The JVM has its own
    session, so that Ctrl-C at the terminal reaches only Python.

    The JVM writes its output to a pipe, and this process forwards the output to stderr. If the JVM wrote to
    this process's stderr itself, a reader of stderr would see the end only after the JVM has ended, too.

    Args:
        java: Java that runs the JVM.
        jvm_options: Options for Java, including the class path.
        conf: Spark settings. They are on the JVM's command line.
        python: Program that the JVM starts as Python; None for Spark's default.
        shows_traces: Whether to forward stack traces, too.
    """

    def __init__(
        self,
        java: Java,
        jvm_options: list[str],
        conf: Mapping[str, str],
        python: str | None = None,
        *,
        shows_traces: bool = False,
    ) -> None:
        self._folder = private_folder("gateway")
        self._answer = self._folder / "gateway"
        environment = {
            "MALLOC_ARENA_MAX": ARENAS,
            **os.environ,
            **private_variables(os.environ),
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "SPARK_CONNECT_MODE": "0",
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._answer),
        }
        if python is not None:
            environment |= {"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python}
        else:
            environment["PYTHONSAFEPATH"] = "1"  # Python must not import modules from the current folder.
        # With SPARK_HOME, Python processes would read pyspark from zip files, not compiled.
        environment.pop("SPARK_HOME", None)
        command = [
            str(java.executable),
            *jvm_options,
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            "-Dio.netty.tryReflectionSetAccessible=true",
            *(f"-D{key}={value}" for key, value in conf.items()),
            _GATEWAY,
        ]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            # A process of Firesteel locks its temporary folders, and removes folders whose lock is free.
            # The JVM inherits the locks, so the folders of this process stay until the JVM has ended, too.
            # The JVM writes its port into one of them. Without that folder, it would never end.
            pass_fds=held_locks(),
        )
        assert self._process.stdout is not None
        self._output = JvmOutput(self._process.stdout, shows_traces=shows_traces)
        atexit.register(self._leave)

    def connect(self, patience: float = PATIENCE) -> tuple[int, str]:
        """Return the JVM's port and secret.

        Raises:
            JobError: The JVM ends before it is up, or is not up after `patience` seconds.
        """
        end = time.monotonic() + patience
        while not self._answer.is_file():
            status = self._process.poll()
            if status is not None:
                said = self._output.last_words() or "it said nothing"
                raise JobError(f"Spark's JVM ended with status {status} while it started: {said}")
            if time.monotonic() > end:
                self._process.kill()
                raise JobError(f"Spark's JVM was not up after {patience:.0f} s")
            time.sleep(0.005)
        answer = self._answer.read_bytes()
        shutil.rmtree(self._folder, ignore_errors=True)
        port, length = struct.unpack_from("!ii", answer)
        return port, answer[8 : 8 + length].decode()

    @property
    def process_id(self) -> int:
        """Return the JVM's process ID, which is also the ID of its session."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Return whether the JVM's process has ended."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Ask the JVM to end, without waiting for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _leave(self) -> None:
        """Kill a JVM that is still starting when this process exits.

        At that stage, the JVM does not notice the end of its input.
        """
        if self._folder.exists():
            self._process.kill()
            shutil.rmtree(self._folder, ignore_errors=True)
