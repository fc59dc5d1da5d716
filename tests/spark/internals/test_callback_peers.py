"""Another user of the machine cannot call Python as the JVM does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from firesteel.spark.internals import callback_peers
from firesteel.spark.internals.callback_peers import guard_callbacks, is_own_peer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux names the other end's user")
AS_NOBODY = """
import os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
connection = socket.socket(socket.AF_INET)
connection.connect((b"127.0.0.1", int(sys.argv[1])))
connection.sendall(b"c\\np0\\ncall\\ne\\n")
if sys.argv[2] == "leaves":
    connection.close()
print("sent", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def test_this_user_s_connection_is_its_own(listener: socket.socket) -> None:
    with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
        assert is_own_peer(accepted)


def test_one_that_its_process_has_left_is_nobody_s(listener: socket.socket) -> None:
    made = socket.create_connection(listener.getsockname())
    accepted, _ = listener.accept()
    made.close()
    with accepted:
        assert not is_own_peer(accepted)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("way", ["stays", "leaves"])
def test_another_user_s_connection_is_not(listener: socket.socket, way: str) -> None:
    command = [sys.executable, "-c", AS_NOBODY, str(listener.getsockname()[1]), way]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "sent\n"
        with listener.accept()[0] as accepted:
            assert not is_own_peer(accepted)
        other.communicate("")


def test_what_another_user_has_sent_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from py4j.clientserver import ClientServer, JavaParameters, PythonParameters

    guard_callbacks()
    called: list[bool] = []

    class Callback:
        def call(self) -> None:
            called.append(True)

    parameters = PythonParameters(port=0, daemonize=True, daemonize_connections=True)
    server = ClientServer(java_parameters=JavaParameters(port=1), python_parameters=parameters)
    try:
        name = server.gateway_property.pool.put(Callback())
        address = "127.0.0.1", server.get_callback_server().get_listening_port()

        end = time.monotonic() + 20
        while True:  # it begins to listen in a thread
            try:
                socket.create_connection(address, 20).close()
                break
            except ConnectionRefusedError:
                assert time.monotonic() < end

        def call() -> bytes:
            with socket.create_connection(address, 20) as connection:
                connection.sendall(f"c\n{name}\ncall\ne\n".encode())
                try:
                    return connection.recv(100)
                except ConnectionError:
                    return b""

        assert call().startswith(b"!y")
        monkeypatch.setattr(callback_peers, "is_own_peer", lambda connection: False)
        assert call() == b""
        assert called == [True]
    finally:
        server.shutdown_callback_server()
