"""Settings by which a Spark on this machine answers nobody but its own processes.

Spark's RPC, its block manager and its file server listen on TCP ports, which every user of the machine can
reach. `spark.authenticate` makes them ask for a secret before they read anything. The ports between the JVM
and its Python processes become Unix sockets in a private folder: on TCP, the server that gives a Python
worker its keyed state asks for nothing, and takes the first who connects.
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
"""A master whose executors are processes. With other local masters Spark makes the secret itself."""
_SECRET_BYTES = 32


def with_private_sockets(settings: Mapping[str, str]) -> dict[str, str]:
    """Add what keeps other users of this machine out, where the settings do not say otherwise.

    The settings of a cluster are the user's: they are returned as they are.

    Args:
        settings: All Spark settings, the master among them.

    Returns:
        Settings for the context. The secret in them must not be written on a command line.
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
    """Return environment variables for a local JVM: Spark's UI, if it is on, listens on loopback."""
    return {} if "SPARK_LOCAL_IP" in environment else {"SPARK_LOCAL_IP": "127.0.0.1"}


def java_temporary_folder() -> str:
    """Return the option for a private folder for Java's temporary files: it loads native libraries there."""
    return f"-Djava.io.tmpdir={private_folder('java')}"
