"""Find a Java that Spark can run on, and start the JVM of a local Spark directly.

`bin/spark-submit` starts one JVM to work out the command line of another; in local mode with nothing
to submit that command line is known, and half a second is saved.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import JobError, UsageError
from firesteel.spark.temporary import private_folder

MINIMUM = 17
"""The oldest Java that Spark 4.2 runs on."""

_OPENED = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar",
)  # fmt: skip
"""Packages of java.base that Spark reflects on (Spark: JavaModuleOptions)."""

_GATEWAY = "org.apache.spark.api.python.PythonGatewayServer"
_HINT = (
    "Spark needs Java 17 or later. Install one (apt install openjdk-17-jre-headless, "
    "brew install openjdk@17, or https://adoptium.net) and put it on PATH or set JAVA_HOME."
)

_CHATTER = ("Starting Streaming TransformWithState", "Streaming TransformWithState")
"""What pyspark's own processes print whether one wants it or not."""


@dataclass(frozen=True)
class Java:
    """A Java: its executable and its version, `17.0.15`."""

    executable: Path
    version: str


def find_java() -> Java:
    """The Java of JAVA_HOME, else of PATH. Raises UsageError where there is none or it is too old."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if not found or not Path(found).is_file():
        where = f"JAVA_HOME is {home}, but has no bin/java" if home else "no java on PATH"
        raise UsageError(f"Java was not found: {where}", hint=_HINT)
    executable = Path(found).resolve()
    version = _version(executable)
    major = re.match(r"(?:1\.)?(\d+)", version)
    if major is None or int(major[1]) < MINIMUM:
        raise UsageError(f"Java {version} at {found} is too old", hint=_HINT)
    return Java(executable, version)


def _version(executable: Path) -> str:
    """From the `release` file of the installation; asking the JVM itself takes a tenth of a second."""
    release = executable.parents[1] / "release"
    if release.is_file():
        written = re.search(r'^JAVA_VERSION="([^"]+)"', release.read_text(errors="replace"), re.MULTILINE)
        if written:
            return written[1]
    try:
        said = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30).stderr
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"Java at {executable} does not run: {error}", hint=_HINT) from error
    written = re.search(r'version "([^"]+)"', said)
    return written[1] if written else "unknown"


def spark_home() -> Path:
    """Where the pyspark wheel lies, found without importing it."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise UsageError("pyspark is not installed", hint="pip install 'pyspark>=4.2,<4.4'")
    return Path(found.origin).parent


class Gateway:
    """A JVM that is starting or running, and how Python reaches it.

    The JVM ends when its standard input does, that is with this process at the latest. It has a
    session of its own: Ctrl-C at the terminal is for Python to handle. What it writes goes through this
    process, so that nobody who reads this process's output waits for the JVM's end. python: what the JVM
    starts as Python.
    """

    def __init__(
        self, java: Java, jvm_options: list[str], conf: Mapping[str, str], python: str | None = None
    ) -> None:
        self._folder = private_folder("gateway")
        self._answer = self._folder / "gateway"
        home = spark_home()
        environment = {
            **os.environ,
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "SPARK_CONNECT_MODE": "0",
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._answer),
        }
        if python is not None:
            environment |= {"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python}
        else:
            environment["PYTHONSAFEPATH"] = "1"  # nothing in the current folder is to run by its name
        environment.pop("SPARK_HOME", None)  # with it, Python processes read pyspark from zips, not compiled
        command = [
            str(java.executable),
            *jvm_options,
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            "-Dio.netty.tryReflectionSetAccessible=true",
            *(f"-D{key}={value}" for key, value in conf.items()),
            "-cp",
            f"{home}/jars/*",
            _GATEWAY,
        ]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        self._said: deque[str] = deque(maxlen=20)
        threading.Thread(target=self._forward, daemon=True).start()
        atexit.register(self._leave)

    def connect(self, patience: float = 120.0) -> tuple[int, str]:
        """Port and secret. Raises JobError when the JVM ends before it is up."""
        end = time.monotonic() + patience
        while not self._answer.is_file():
            status = self._process.poll()
            if status is not None:
                said = " / ".join(self._said) or "it said nothing"
                raise JobError(f"Spark's JVM ended with status {status} while it started: {said}")
            if time.monotonic() > end:
                self._process.kill()
                raise JobError(f"Spark's JVM was not up after {patience:.0f} s")
            time.sleep(0.005)
        answer = self._answer.read_bytes()
        shutil.rmtree(self._folder, ignore_errors=True)
        port, length = struct.unpack_from("!ii", answer)
        return port, answer[8 : 8 + length].decode()

    def stop(self) -> None:
        """Let the JVM end; it is not waited for."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _forward(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            text = line.decode(errors="replace")
            if text.strip() and not text.startswith(_CHATTER):
                self._said.append(text.strip())
                sys.stderr.write(text)

    def _leave(self) -> None:
        """At this process's end: a JVM that was not up yet would not see that its input has ended."""
        if self._folder.exists():
            self._process.kill()
            shutil.rmtree(self._folder, ignore_errors=True)
