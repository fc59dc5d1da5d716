"""What Spark runs as its Python: hands its streams to a fork of the fork server, and waits for its end.

Run as a file, without the site's packages, and loads only what it needs: Spark waits for it.
`src/firesteel/spark/launch/forked_python.py ADDRESS -m MODULE ...`, or other arguments of Python's.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys

NUMBER = struct.Struct("!I")
STREAMS = 3
RUN_MODULE = (
    "import sys; sys.path[:] = filter(None, sys.path); del sys.argv[0];"
    "import runpy; runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)
"""For `python -c`: what `-m` does, without looking for modules in the current folder: a file there that has
the name of one of Python's would be run in its place (from Python 3.11 on, -P)."""
READY = b"\x01"
"""What the fork answers when it has the streams."""


PATIENCE = 15.0
"""Seconds in which the server has loaded everything and has forked; it takes one on an idle machine."""


def run_in_fork(address: str, arguments: list[str]) -> int | None:
    """Have a fork of the server be this process, with its streams, until it ends; it ends with this process,
    too, whose end closes the connection. Returns an exit status, or None where there is no server."""
    about = json.dumps([arguments, _path(), os.getcwd(), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        try:
            connection.connect(address)
            socket.send_fds(connection, [NUMBER.pack(len(about))], range(STREAMS))
            connection.sendall(about)
            if connection.recv(1) != READY:
                return None
        except TimeoutError:
            tell_once(address, f"the fork server did not answer in {PATIENCE:.0f} s")
            return None
        except OSError:
            return None
        connection.settimeout(None)
        connection.recv(1)
    return 0


def tell_once(address: str, why: str) -> None:
    """One line on stderr, for all processes that ask the server."""
    try:
        os.close(os.open(f"{address}.told", os.O_CREAT | os.O_EXCL))
    except OSError:  # told, or the server's folder is gone
        return
    if sys.stderr is not None:
        print(f"Python workers are started in the plain way: {why}", file=sys.stderr, flush=True)


def _path() -> list[str]:
    """Where Python looks for modules by itself; the server adds the site's packages."""
    here = os.path.dirname(__file__)
    return [entry for entry in sys.path if entry != here]


def main() -> None:
    """See above; ends the process."""
    address, *arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    status = run_in_fork(address, arguments) if is_module else None
    if status is None:
        ordinary = ["-c", RUN_MODULE, *arguments[1:]] if is_module else arguments
        os.execv(sys.executable, [sys.executable, *ordinary])
    os._exit(status)


if __name__ == "__main__":
    main()
