"""Script that Spark runs as its Python.

It passes its streams to a fork of the fork server. Then it becomes a shell, which takes a megabyte where
Python takes nine, and waits for the fork's end.

Spark waits for the script, and runs it six times for each stream. So it runs without site-packages, and
imports only what is built into Python. With `json` and `socket` it would take twice as long.

Spark runs the script as `forked_python.py ADDRESS ARGUMENTS`, where ADDRESS is the socket of the fork server:

    ARGUMENTS are `-m MODULE ...`        a fork of the server runs the module
    other arguments, such as a file      an ordinary Python gets the arguments, without a fork
"""

from __future__ import annotations

import _socket
import marshal
import os
import sys

LENGTH_BYTES = 4
"""Bytes of the number that `_send` sends first: the length of its message to the fork server."""
STREAMS = 3
_INT_BYTES = 4
"""Bytes of a C int. The kernel takes file descriptors as an array of them (SCM_RIGHTS)."""
RUN_MODULE = [
    *(["-P"] if sys.version_info >= (3, 11) else []),
    "-c",
    "import sys; sys.path[:] = filter(None, sys.path); del sys.argv[0];"
    "import runpy; runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)",
]
"""Options of Python that do what `-m` does, but look for no modules in the current folder.

Otherwise, a file of that folder could be imported instead of a standard module of the same name.

The code of `-c` takes the folder off the path. Python 3.13 imports a standard module before this code begins.
So from Python 3.11 on, -P keeps the folder off the path from the start. Python 3.10 has no -P.
"""
READY = b"\x01"
"""Answer of the fork once it has the streams."""
_CONNECTION = 3
_WAIT = f"read -r _ <&{_CONNECTION}; exit 0"
"""Script of a shell that waits until the connection is closed."""

PATIENCE = 15.0
"""Seconds to wait for the server to load all libraries and fork. It takes one second on an idle machine."""


def run_in_fork(address: str, arguments: list[str]) -> None:
    """Replace this process with a fork of the server, and wait for its end.

    The fork uses this process's streams. It ends with this process too, because the connection is then
    closed. The function returns only if the server does not answer.
    """
    about = marshal.dumps((arguments, _path(), os.getcwd(), dict(os.environ)))
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(PATIENCE)
    try:
        connection.connect(address)
        _send(connection, about)
        if connection.recv(1) != READY:
            return
    except TimeoutError:
        tell_once(address, f"the fork server did not answer in {PATIENCE:.0f} s")
        return
    except OSError:
        return
    connection.settimeout(None)
    os.dup2(connection.fileno(), _CONNECTION)
    os.set_inheritable(_CONNECTION, True)
    os.execv("/bin/sh", ["sh", "-c", _WAIT, *sys.argv])


def _send(connection: _socket.socket, about: bytes) -> None:
    """Send the length of `about` and this process's standard streams in one call, then `about`.

    `about`: arguments, path, folder and environment of this process, as `marshal` writes them.
    """
    streams = b"".join(number.to_bytes(_INT_BYTES, sys.byteorder) for number in range(STREAMS))
    with_streams = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)
    connection.sendmsg([len(about).to_bytes(LENGTH_BYTES, "big")], [with_streams])
    connection.sendall(about)


def tell_once(address: str, why: str) -> None:
    """Print on stderr that workers start in a slower way, with the reason `why`.

    It is printed once for each server, because the process that prints it creates a file beside the socket.
    """
    try:
        os.close(os.open(f"{address}.told", os.O_CREAT | os.O_EXCL))
    except OSError:  # The line is already printed, or the server's folder is gone.
        return
    if sys.stderr is not None:
        print(
            f"Python workers are started in a slower way, with the same results: {why}",
            file=sys.stderr,
            flush=True,
        )


def _path() -> list[str]:
    """Return this process's module path, without the script's folder and without site-packages.

    Python runs without the site's packages (-S). The server adds them.
    """
    here = os.path.dirname(__file__)
    return [entry for entry in sys.path if entry != here]


def main() -> None:
    """Run the command line in a fork of the server or in an ordinary Python."""
    address, *arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    if is_module:
        run_in_fork(address, arguments)
    ordinary = [*RUN_MODULE, *arguments[1:]] if is_module else arguments
    os.execv(sys.executable, [sys.executable, *ordinary])


if __name__ == "__main__":
    main()
