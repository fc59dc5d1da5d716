"""A process that has the workers' libraries loaded and forks Spark's worker daemons from itself.

Spark starts a daemon when the first task comes, and loading the libraries then takes half a second in
which nothing else has anything to do. The server loads them while the JVM is starting. Spark's own daemon
process (spark/daemon.py) hands its standard streams over to a fork of the server, which becomes the
daemon in its place; a stream's planners, each of which has a daemon of its own, are served as well.

Where there is no server, or it does not answer, the daemon loads the libraries itself.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ADDRESS = "FIRESTEEL_FORK_SERVER"
"""The environment variable by which daemons find the server: the path of its socket."""

_EXECUTOR_ENVIRONMENT = "spark.executorEnv."
_LENGTH = struct.Struct("!I")
_STREAMS = 3


class ForkServer:
    """A server that belongs to this process and ends with it at the latest. settings: Spark's, of which it
    takes the workers' environment, since some of that is only read when a process starts."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        import subprocess

        self._folder = tempfile.mkdtemp(prefix="firesteel-")
        self.address = str(Path(self._folder) / "socket")
        workers = {
            key.removeprefix(_EXECUTOR_ENVIRONMENT): value
            for key, value in settings.items()
            if key.startswith(_EXECUTOR_ENVIRONMENT)
        }
        seed = os.environ.get("PYTHONHASHSEED", "0")  # as pyspark sets it for workers
        python = os.environ.get("PYSPARK_PYTHON", sys.executable)
        self._process = subprocess.Popen(
            [python, "-m", "firesteel.spark.daemon", "--serve", self.address],
            stdin=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": seed, **workers},
            start_new_session=True,
        )

    @property
    def settings(self) -> dict[str, str]:
        """Spark settings by which the daemons find the server."""
        return {f"{_EXECUTOR_ENVIRONMENT}{ADDRESS}": self.address}

    def stop(self) -> None:
        """Let the server end; the daemons that it has forked are Spark's and stay."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def is_possible() -> bool:
    """Whether this system can fork, and hand open files to another process."""
    return hasattr(socket, "send_fds") and hasattr(os, "fork")


def serve(address: str, load: Callable[[], None]) -> None:
    """Load, then fork a daemon for each that asks. Returns in the forks, whose streams, arguments, paths and
    environment are then those of the process that asked; ends the process when its input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        load()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
        while True:
            ready = select.select([sys.stdin, listener], [], [])[0]
            if sys.stdin in ready:
                Path(address).unlink(missing_ok=True)
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                break
            connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _become(connection)


def hand_over() -> int | None:
    """Have the server's fork be this process, with its streams, until it ends. Returns the exit status, or
    None where there is no server."""
    address = os.environ.get(ADDRESS)
    if not address or not is_possible():
        return None
    about = json.dumps([sys.argv, sys.path, str(Path.cwd()), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
            socket.send_fds(connection, [_LENGTH.pack(len(about))], range(_STREAMS))
            connection.sendall(about)
        except OSError:
            return None
        try:
            connection.recv(1)
        except OSError:
            return 1
    return 0


def _become(connection: socket.socket) -> None:
    """Take over what `hand_over` sent. The connection stays open for as long as the process lives."""
    length, streams, _, _ = socket.recv_fds(connection, _LENGTH.size, _STREAMS)
    with connection.makefile("rb") as file:
        arguments, path, folder, environment = json.loads(file.read(*_LENGTH.unpack(length)))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv[:] = arguments
    sys.path[:] = path
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    connection.detach()
