"""A process that has the workers' libraries loaded, and forks the Python processes that Spark starts.

Spark starts a worker daemon when the first task comes, and for a stream half a dozen planners one after
another; each loads the same libraries for half a second in which nothing else has anything to do. The
server loads them once, while the JVM is starting. As its Python, Spark is given a script that hands its
standard streams over to a fork of the server, which runs the wanted module in its place.

Where the server does not answer, the script becomes an ordinary Python (spark/launch/forked_python.py).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from firesteel.spark.launch import forked_python
from firesteel.spark.launch.forked_python import NUMBER, READY, STREAMS
from firesteel.spark.temporary import private_folder

_EXECUTOR_ENVIRONMENT = "spark.executorEnv."
_SOCKET = "socket"


class ForkServer:
    """A server that belongs to this process and ends with it at the latest.

    python: the script that is Spark's Python; an ordinary one until the server listens.
    """

    def __init__(self, python: Path) -> None:
        self.python = python
        self._process: subprocess.Popen[bytes] | None = None
        self._is_wanted = True
        self._lock = threading.Lock()
        atexit.register(self.stop)

    def start(self, settings: Mapping[str, str], jvm: int) -> None:
        """Begin to load, unless it was stopped.

        Args:
            settings: Spark's. The server takes the environment of workers from them, since some of it is only
                read when a process starts.
            jvm: The process ID of the JVM, which the server ends if this process is killed.
        """
        socket_file = self.python.parent / _SOCKET
        with self._lock:
            if not self._is_wanted:
                return
            self._process = subprocess.Popen(
                [
                    _interpreter(),
                    "-c",
                    forked_python.RUN_MODULE,
                    "firesteel.spark.launch.daemon",
                    "--serve",
                    str(socket_file),
                    str(jvm),
                ],
                stdin=subprocess.PIPE,
                env={**os.environ, **_environment(settings)},
                start_new_session=True,
            )

    def stop(self) -> None:
        """End the server; the processes that it has forked are Spark's and stay."""
        with self._lock:
            self._is_wanted = False
            if self._process is not None:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self.python.parent, ignore_errors=True)
        atexit.unregister(self.stop)


def fork_server() -> ForkServer | None:
    """A server that is not started yet, or None where this system does not fork, cannot hand open files to
    another process, or runs no script from its folder for temporary files."""
    if not hasattr(socket, "send_fds") or not hasattr(os, "fork"):
        return None
    script = _script(private_folder("python"))
    if os.access(script, os.X_OK):
        return ForkServer(script)
    shutil.rmtree(script.parent, ignore_errors=True)
    return None


def _script(folder: Path) -> Path:
    script = folder / "python"
    command = shlex.join([_interpreter(), "-S", forked_python.__file__, str(folder / _SOCKET)])
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    return script


def _interpreter() -> str:
    return os.environ.get("PYSPARK_PYTHON", sys.executable)


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """What Spark and pyspark set for workers, as far as it is read when a process starts."""
    seed = os.environ.get("PYTHONHASHSEED", "0")
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "1")  # a worker is a core; NumPy would take them all
    of_workers = {
        key.removeprefix(_EXECUTOR_ENVIRONMENT): value
        for key, value in settings.items()
        if key.startswith(_EXECUTOR_ENVIRONMENT)
    }
    return {
        "PYTHONHASHSEED": seed,
        "PYTHONUNBUFFERED": "YES",
        "OPENBLAS_NUM_THREADS": threads,
        **of_workers,
    }


_END = object()


def serve(
    address: str,
    load: Callable[[], None],
    spare: Iterable[object] = (),
    at_end: Callable[[], object] = lambda: None,
) -> None:
    """Load, then fork for each process that asks, and end this process when its input ends.

    Returns in the forks, whose streams, arguments, folder, path and environment are then those of the process
    that asked.

    Args:
        address: The file of the socket to listen at.
        load: Called first.
        spare: What to iterate over while nobody asks.
        at_end: Called when the input has ended: the process that started the server is gone.
    """
    left = iter(spare)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen()
        Path(f"{address}.new").rename(address)  # so that whoever finds it is not refused
        load()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
        idle = False
        while True:
            ready = select.select([sys.stdin, listener], [], [], None if idle else 0)[0]
            if not ready:
                idle = next(left, _END) is _END
                continue
            if sys.stdin in ready:
                shutil.rmtree(Path(address).parent, ignore_errors=True)
                at_end()
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                break
            connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        _become(connection)
    except (OSError, struct.error):  # who asked is gone
        os._exit(0)


def _become(connection: socket.socket) -> None:
    """Take over what `run_in_fork` sent, and end when it does. Raises OSError or struct.error where it ended
    before. The connection stays open for as long as the process lives."""
    length, streams, _, _ = socket.recv_fds(connection, NUMBER.size, STREAMS)
    with connection.makefile("rb") as file:
        arguments, path, folder, environment = json.loads(file.read(*NUMBER.unpack(length)))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv[:] = arguments
    sys.path[:] = [*path, *(entry for entry in sys.path if entry not in path)]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    _end_with(connection)
    connection.sendall(READY)


def _end_with(connection: socket.socket) -> None:
    """Have SIGTERM come when the other end of the connection is closed, by whatever ended its process.

    Without a thread, since this process forks workers: the kernel signals a change of the connection.
    """
    import fcntl

    def look(_signal: int, _frame: object) -> None:
        with contextlib.suppress(BlockingIOError):
            if not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGIO, look)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())  # not of the workers that are forked from it
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
