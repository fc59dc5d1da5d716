"""Settings with which a local Spark accepts connections only from its own processes.

Spark's RPC, its block manager and its file server listen on TCP ports, which every user of the machine can
reach. With `spark.authenticate`, they demand a secret before they read anything.

Between the JVM and its Python processes, Unix sockets in a private folder replace TCP ports. One of Spark's
servers would be open otherwise: the server from which a Python worker reads its keyed state. It demands no
secret and serves the first client that connects. On a TCP port, another user could be this client. Other
users cannot open a socket in the private folder.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Mapping

from firesteel.spark.launch.settings import MASTER
from firesteel.spark.temporary import private_folder, socket_folder

AUTHENTICATE, SECRET = "spark.authenticate", "spark.authenticate.secret"
UNIX_SOCKETS, SOCKET_FOLDER = "spark.python.unix.domain.socket.enabled", "spark.python.unix.domain.socket.dir"
LOCAL_FOLDER = "spark.local.dir"
_SEVERAL_PROCESSES = "local-cluster"
"""Beginning of a local master whose executors are processes of their own.

For such a master, Firesteel creates the secret that `spark.authenticate` demands, and sets it as the setting
SECRET, so that the executors get it. For other local masters, Spark creates the secret.
"""
_SECRET_BYTES = 32


def with_private_sockets(settings: Mapping[str, str]) -> dict[str, str]:
    """Add settings that keep out other users of this machine, unless the user has set them.

    The settings of a cluster belong to the user and are returned unchanged.

    Args:
        settings: All Spark settings, including the master.

    Returns:
        Settings for the context. They contain a secret, so they must not be written on a command line.
    """
    if not settings[MASTER].startswith("local"):
        return dict(settings)
    found = {AUTHENTICATE: "true", **settings}
    if found[MASTER].startswith(_SEVERAL_PROCESSES):
        found.setdefault(SECRET, secrets.token_hex(_SECRET_BYTES))
    if hasattr(socket, "AF_UNIX"):
        found.setdefault(UNIX_SOCKETS, "true")
        if found[UNIX_SOCKETS] == "true" and SOCKET_FOLDER not in found:
            found[SOCKET_FOLDER] = str(socket_folder())
    return found


def private_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables for a local JVM that make Spark's UI, if enabled, listen on loopback."""
    return {} if "SPARK_LOCAL_IP" in environment else {"SPARK_LOCAL_IP": "127.0.0.1"}


def java_temporary_folder() -> str:
    """Return the JVM option that sets a private folder for Java's temporary files.

    Java loads native libraries from there, so no other user may write to it.
    """
    return f"-Djava.io.tmpdir={private_folder('java')}"
