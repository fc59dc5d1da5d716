"""Guard that accepts calls from the JVM to Python only from processes of the same user.

pyspark starts py4j's callback server, over which Spark runs `foreachBatch`, without a token. Every user of
the machine could call the function with arguments of their own. Linux shows in /proc/net/tcp which user owns
the other end of a loopback connection. Nothing is read from a connection of another user.

This replaces py4j's private `PythonServer._create_connection`, which gets each accepted connection.
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
"""Inode in /proc/net/tcp of a connection that no process holds: it was closed, or its process has ended.

The line of such a connection always names user 0, so it does not show who the owner was.
"""


@cache
def guard_callbacks() -> None:
    """Make py4j's callback servers in this process refuse connections of other users."""
    from py4j.clientserver import PythonServer

    make = PythonServer._create_connection

    def checked(server: Any, connection: socket.socket, stream: Any) -> Any:
        if not is_own_peer(connection):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            stream = io.BytesIO()  # `stream` may still have bytes from before the shutdown.
        return make(server, connection, stream)

    PythonServer._create_connection = checked


def is_own_peer(connection: socket.socket) -> bool:
    """Return whether the other end of a TCP connection on this machine belongs to a process of this user.

    If the system has no connection table, every peer counts as this user's.
    """
    try:
        peer, here = connection.getpeername()[1], connection.getsockname()[1]
    except OSError:  # The connection is closed.
        return False
    tables = [table for table in _TABLES if table.exists()]
    return not tables or any(_has(table, peer, here) for table in tables)


def _has(table: Path, local_port: int, remote_port: int) -> bool:
    """Return whether the end of a TCP connection on `local_port` belongs to a process of this user.

    Args:
        table: Linux's table of connections, /proc/net/tcp or tcp6.
        local_port: Port of the end that is checked.
        remote_port: Port of the other end of the connection.
    """
    local, remote = f":{local_port:04X}", f":{remote_port:04X}"
    user = str(os.getuid())
    for line in table.read_text().splitlines()[1:]:
        _, own, other, state, _, _, _, owner, _, inode, *_ = line.split()
        if own.endswith(local) and other.endswith(remote) and state == _ESTABLISHED and inode != _NO_INODE:
            return owner == user
    return False
