"""A process that has the workers' libraries loaded, and forks the Python processes that Spark starts.

Spark starts a worker daemon when the first task comes, and for a stream half a dozen planners one after
another; each loads the same libraries for half a second in which nothing else has anything to do. The
server loads them once, while the JVM is starting. As its Python, Spark is given a script that hands its
standard streams over to a fork of the server, which runs the wanted module in its place.

Where the server does not answer, the script becomes an ordinary Python.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import shutil
import signal
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType

_EXECUTOR_ENVIRONMENT = "spark.executorEnv."
_NUMBER = struct.Struct("!I")
_STREAMS = 3
_SOCKET = "socket"
_TERMINATED = 143


class ForkServer:
    """A server that belongs to this process and ends with it at the latest. settings: Spark's, of which it
    takes the workers' environment, since some of that is only read when a process starts.

    python: the script that is Spark's Python.
    """

    def __init__(self, python: Path, settings: Mapping[str, str]) -> None:
        import subprocess

        self.python = python
        self._folder = folder = python.parent
        self._process = subprocess.Popen(
            [_interpreter(), "-m", "firesteel.spark.daemon", "--serve", str(folder / _SOCKET)],
            stdin=subprocess.PIPE,
            env={**os.environ, **_environment(settings)},
            start_new_session=True,
        )

    def stop(self) -> None:
        """End the server; the processes that it has forked are Spark's and stay."""
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def start(settings: Mapping[str, str]) -> ForkServer | None:
    """A server, or None where this system does not fork, cannot hand open files to another process, or runs
    no script from its folder for temporary files."""
    import tempfile

    if not hasattr(socket, "send_fds") or not hasattr(os, "fork"):
        return None
    script = _script(Path(tempfile.mkdtemp(prefix="firesteel-")))
    if os.access(script, os.X_OK):
        return ForkServer(script, settings)
    shutil.rmtree(script.parent, ignore_errors=True)
    return None


def _script(folder: Path) -> Path:
    script = folder / "python"
    command = shlex.join([_interpreter(), "-m", "firesteel.spark.fork_server", str(folder / _SOCKET)])
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    return script


def _interpreter() -> str:
    return os.environ.get("PYSPARK_PYTHON", sys.executable)


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """What Spark and pyspark set for workers, as far as it is read when a process starts."""
    seed = os.environ.get("PYTHONHASHSEED", "0")
    of_workers = {
        key.removeprefix(_EXECUTOR_ENVIRONMENT): value
        for key, value in settings.items()
        if key.startswith(_EXECUTOR_ENVIRONMENT)
    }
    return {"PYTHONHASHSEED": seed, "PYTHONUNBUFFERED": "YES", **of_workers}


def serve(address: str, load: Callable[[], None]) -> None:
    """Load, then fork for each that asks. Returns in the forks, whose streams, arguments, folder, path and
    environment are then those of the process that asked. Ends the process when its input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        load()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
        while True:
            ready = select.select([sys.stdin, listener], [], [])[0]
            if sys.stdin in ready:
                shutil.rmtree(Path(address).parent, ignore_errors=True)
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                break
            connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _become(connection)


def hand_over(address: str, arguments: list[str]) -> int | None:
    """Have a fork of the server be this process, with its streams, until it ends. Returns an exit status, or
    None where there is no server."""
    about = json.dumps([arguments, sys.path, str(Path.cwd()), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
            socket.send_fds(connection, [_NUMBER.pack(len(about))], range(_STREAMS))
            connection.sendall(about)
            (fork,) = _NUMBER.unpack(connection.recv(_NUMBER.size, socket.MSG_WAITALL))
        except (OSError, struct.error):
            return None

        def terminate(_signal: int, _frame: FrameType | None) -> None:
            os.kill(fork, signal.SIGTERM)
            os._exit(_TERMINATED)

        signal.signal(signal.SIGTERM, terminate)
        connection.recv(1)
    return 0


def _become(connection: socket.socket) -> None:
    """Take over what `hand_over` sent. The connection stays open for as long as the process lives."""
    length, streams, _, _ = socket.recv_fds(connection, _NUMBER.size, _STREAMS)
    with connection.makefile("rb") as file:
        arguments, path, folder, environment = json.loads(file.read(*_NUMBER.unpack(length)))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv[:] = arguments
    sys.path[:] = path
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    connection.sendall(_NUMBER.pack(os.getpid()))
    connection.detach()


def main() -> None:
    """What the script runs: `ADDRESS -m MODULE ...`, or other arguments of Python's."""
    address, *arguments = sys.argv[1:]
    status = hand_over(address, arguments) if arguments[:1] == ["-m"] else None
    if status is None:
        os.execv(sys.executable, [sys.executable, *arguments])
    sys.exit(status)


if __name__ == "__main__":
    main()
