"""Calls from the JVM to Python are taken from this user's processes only.

pyspark starts py4j's callback server, over which Spark runs `foreachBatch`, without a token: every user of
the machine could call the function with arguments of their own. Linux tells whose the other end of a
connection on loopback is (/proc/net/tcp); nothing is read from a connection of another user.

Private: `PythonServer._create_connection` of py4j, which gets each connection that was accepted.
"""

from __future__ import annotations

import io
import os
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = "01"
_NO_INODE = "0"
"""Of a connection that its process has left: such lines have user 0, whoever that was."""


@cache
def guard_callbacks() -> None:
    """Have py4j's callback servers of this process refuse other users, from now on."""
    from py4j.clientserver import PythonServer

    make = PythonServer._create_connection

    def checked(server: Any, connection: socket.socket, stream: Any) -> Any:
        if not is_own_peer(connection):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            stream = io.BytesIO()  # what has come already could be read after the shutdown
        return make(server, connection, stream)

    PythonServer._create_connection = checked


def is_own_peer(connection: socket.socket) -> bool:
    """Whether the other end of a TCP connection on this machine is a process of this user.

    Where the system has no such table, every peer counts as this user's.
    """
    try:
        peer, here = connection.getpeername()[1], connection.getsockname()[1]
    except OSError:  # it is gone
        return False
    tables = [table for table in _TABLES if table.exists()]
    return not tables or any(_has(table, peer, here) for table in tables)


def _has(table: Path, local_port: int, remote_port: int) -> bool:
    """Whether a table has a connection of this user from one port to the other."""
    local, remote = f":{local_port:04X}", f":{remote_port:04X}"
    user = str(os.getuid())
    for line in table.read_text().splitlines()[1:]:
        _, own, other, state, _, _, _, owner, _, inode, *_ = line.split()
        if own.endswith(local) and other.endswith(remote) and state == _ESTABLISHED and inode != _NO_INODE:
            return owner == user
    return False
