"""A standalone Spark cluster for tests: a master and workers, processes of this machine on 127.0.0.1."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from firesteel.spark.launch.java import find_java, spark_home

_HOST = "127.0.0.1"
_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")
_DEPLOY = "org.apache.spark.deploy"
_SCALA = {"SPARK_SCALA_VERSION": "2.13"}
"""Without it a worker looks for the folders of a build."""
_UP_SECONDS = 60.0
_WHILE_HELD = ("sh", "-c", '{ "$@"; kill 0; } & cat; kill -9 0', "sh")
"""Runs a command for as long as its input is open: it ends with the tests, however these end."""


class SparkCluster:
    """A running cluster. master: its address. folder: for the workers' files and all logs. Each worker offers
    one core and `memory` MiB."""

    def __init__(self, folder: Path, workers: int = 2, memory: int = 1024) -> None:
        self._folder = folder
        self._memory = memory
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self._started = 0
        port = _free_port()
        self.master = f"spark://{_HOST}:{port}"
        self._run("master", "master.Master", "--port", str(port), "--webui-port", "0")
        self._await("master", "New state: ALIVE")
        for number in [self._begin_worker() for _ in range(workers)]:
            self._await_worker(number)

    def __enter__(self) -> SparkCluster:
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.stop()

    def add_worker(self) -> int:
        """One more; its number, once the master knows it."""
        number = self._begin_worker()
        self._await_worker(number)
        return number

    def _begin_worker(self) -> int:
        number = self._started
        self._started += 1
        name = f"worker-{number}"
        sizes = ("--cores", "1", "--memory", f"{self._memory}m")
        place = ("--work-dir", str(self._folder / name), "--webui-port", "0")
        self._workers[number] = self._run(name, "worker.Worker", *sizes, *place, self.master)
        return number

    def _await_worker(self, number: int) -> None:
        self._await(f"worker-{number}", "Successfully registered with master")

    def kill_worker(self, number: int) -> None:
        """SIGKILL to a worker and to all that it has started: executors and their Pythons."""
        process = self._workers.pop(number)
        for pid in [*descendants(process.pid)]:
            _kill(pid)
        self._end(process)

    def executors(self, number: int) -> list[int]:
        """The processes of a worker's executors."""
        return [pid for pid in descendants(self._workers[number].pid) if b"ExecutorBackend" in _command(pid)]

    def stop(self) -> None:
        for process in [*self._processes]:
            for pid in [*descendants(process.pid)]:
                _kill(pid)
            self._end(process)

    def _run(self, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
        java = ("java" if (found := find_java()) is None else str(found.executable), *_JAVA)
        options = ("-cp", f"{spark_home()}/jars/*", f"{_DEPLOY}.{main}", "--host", _HOST, *arguments)
        environment = {**os.environ, "SPARK_LOCAL_IP": _HOST, "SPARK_HOME": str(spark_home())} | _SCALA
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                [*_WHILE_HELD, *java, *options],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _await(self, name: str, words: str) -> None:
        end = time.monotonic() + _UP_SECONDS
        while time.monotonic() < end and all(each.poll() is None for each in self._processes):
            if words in self._log(name).read_text(errors="replace"):
                return
            time.sleep(0.02)
        said = self._log(name).read_text(errors="replace")[-2000:]
        self.stop()
        raise RuntimeError(f"no {name}: {said}")

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._processes.remove(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those that these have."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:  # it has ended
            continue
        for child in map(int, children):
            yield child
            yield from descendants(child)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _free_port() -> int:
    with socket.create_server((_HOST, 0)) as free:
        port: int = free.getsockname()[1]
        return port
