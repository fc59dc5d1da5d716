"""Fork server: a process that has the workers' libraries loaded and forks Spark's Python processes.

Spark starts a worker daemon for the first task, and for a stream half a dozen planner processes, one after
another. Each would load the same libraries for half a second while nothing else runs. The server loads them
once, while the JVM is starting. Spark's Python is a script that passes its standard streams to a fork of the
server. The fork runs the wanted module in place of the script's process.

If the server does not answer, the script becomes an ordinary Python (spark/launch/forked_python.py).
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from firesteel.spark.launch import forked_python
from firesteel.spark.launch.forked_python import LENGTH_BYTES, READY, STREAMS
from firesteel.spark.temporary import private_folder

_EXECUTOR_ENVIRONMENT = "spark.executorEnv."
_SOCKET = "socket"


class ForkServer:
    """A fork server that belongs to this process and ends with it at the latest.

    Attributes:
        python: Script that Spark runs as its Python. Until the server listens, it runs an ordinary Python.
    """

    def __init__(self, python: Path) -> None:
        self.python = python
        self._process: subprocess.Popen[bytes] | None = None
        self._is_wanted = True
        self._lock = threading.Lock()
        atexit.register(self.stop)

    def start(self, settings: Mapping[str, str], jvm: int) -> None:
        """Start the server process, unless `stop` was called.

        Args:
            settings: Spark's settings. The server takes the environment of workers from them, since a process
                reads some variables only when it starts.
            jvm: Process ID of the JVM, which the server ends if this process is killed.
        """
        socket_file = self.python.parent / _SOCKET
        with self._lock:
            if not self._is_wanted:
                return
            self._process = subprocess.Popen(
                [
                    _interpreter(),
                    *forked_python.RUN_MODULE,
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
        """End the server. The processes that it has forked belong to Spark and continue."""
        with self._lock:
            self._is_wanted = False
            if self._process is not None:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self.python.parent, ignore_errors=True)
        atexit.unregister(self.stop)


def fork_server() -> ForkServer | None:
    """Return a fork server that is not started yet, or None if this system cannot run one.

    The system must be able to fork, to pass open files to another process, and to run a script from the
    folder for temporary files.
    """
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
    """Return the environment variables for workers that a process reads only when it starts."""
    seed = os.environ.get("PYTHONHASHSEED", "0")
    # A worker uses one core; NumPy would take all cores.
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "1")
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
    """Load the libraries, then fork for each process that calls `run_in_fork`.

    The function returns only in the forks. Their streams, arguments, working folder, path and environment are
    then those of the calling process. The server exits when standard input ends.

    Args:
        address: File of the socket to listen at.
        load: Function that loads the libraries.
        spare: Iterator whose steps do more work. The server takes a step while no process asks for a fork.
        at_end: Function that is called before the server exits.
    """
    left = iter(spare)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen()
        # The socket listens before it gets its final name. So no client finds a socket that refuses it.
        Path(f"{address}.new").rename(address)
        load()
        # The kernel reaps ended forks, as nobody waits for them.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
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
    except (OSError, EOFError):  # The process that asked has ended.
        os._exit(0)


def _become(connection: socket.socket) -> None:
    """Take over the streams, arguments, folder and environment of the process that has called `run_in_fork`.

    From then on, this process gets SIGTERM as soon as the calling process ends.

    Args:
        connection: Connection to the calling process, which keeps it open until its end.

    Raises:
        OSError: The calling process has ended already.
        EOFError: The calling process has ended already.
    """
    length, streams, _, _ = socket.recv_fds(connection, LENGTH_BYTES, STREAMS)
    with connection.makefile("rb") as file:
        arguments, path, folder, environment = marshal.loads(file.read(int.from_bytes(length, "big")))
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
    """Make the kernel send SIGTERM to this process when the other end of the connection is closed.

    The kernel signals each change of the connection (SIGIO). A thread could wait for the connection's end
    instead. But this process forks workers, and a process with several threads cannot safely fork.
    """
    import fcntl

    def look(_signal: int, _frame: object) -> None:
        with contextlib.suppress(BlockingIOError):
            if not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGIO, look)
    # F_SETOWN: the signals go to this process, not to the workers that it forks.
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
