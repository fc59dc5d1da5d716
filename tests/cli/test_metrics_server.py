"""The metrics' port: for this machine, for few at a time, and for a short time each."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack, closing
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from firesteel.cli.metrics_server import MOST_CONNECTIONS, Answer, served
from firesteel.errors import UsageError


def text(path: str) -> Answer:
    return Answer("a 1\n", status=200 if path == "/metrics" else 404)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 10)


def read(port: int) -> str:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=100) as answer:
        found: str = answer.read().decode()
        return found


def test_there_is_nothing_else() -> None:
    with served(text, 0) as port, pytest.raises(HTTPError, match="404"):
        urlopen(f"http://127.0.0.1:{port}/x")


def test_a_port_that_is_taken() -> None:
    with (
        served(text, 0) as port,
        pytest.raises(UsageError, match=f"Cannot listen on port {port} of 127.0.0.1: address already in use"),
    ):
        served(text, port).__enter__()
    with pytest.raises(UsageError, match="Cannot listen on port 70000"):
        served(text, 70_000).__enter__()
    with pytest.raises(UsageError, match=r"of no\.such\.host\.invalid: there is no such address or port"):
        served(text, 0, "no.such.host.invalid").__enter__()


def test_only_the_address_that_is_named_is_listened_on() -> None:
    with served(text, 0) as port:
        assert read(port) == "a 1\n"
        with pytest.raises(OSError), closing(socket.create_connection(("127.0.0.2", port), 5)):
            pass
    with served(text, 0, "0.0.0.0") as port, closing(socket.create_connection(("127.0.0.2", port), 5)):
        assert read(port) == "a 1\n"


def test_a_client_that_sends_nothing_is_cut_off() -> None:
    with served(text, 0, seconds=0.2) as port, closing(connect(port)) as silent:
        silent.sendall(b"GET /metrics HTTP/1.0\r\n")
        assert silent.recv(1) == b""
        assert read(port) == "a 1\n"


def test_a_client_that_sends_a_byte_now_and_then_is_cut_off() -> None:
    with served(text, 0, seconds=0.5) as port, closing(connect(port)) as slow:
        slow.settimeout(0.05)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                slow.sendall(b"x")
                if slow.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return
    pytest.fail("it was never cut off")


def test_half_open_connections_do_not_become_threads() -> None:
    before = threading.active_count()
    with served(text, 0, seconds=2.0) as port, ExitStack() as open_:
        clients = [open_.enter_context(closing(connect(port))) for _ in range(60)]
        refused = 0
        for client in clients[MOST_CONNECTIONS:]:
            refused += client.recv(1) == b""  # the server has come to it
        assert refused == len(clients) - MOST_CONNECTIONS
        assert threading.active_count() - before <= 2 * MOST_CONNECTIONS + 1
        assert clients[0].recv(1) == b""  # after its time
        while True:  # a place is free as soon as its thread is done
            try:
                assert read(port) == "a 1\n"
                break
            except OSError:
                time.sleep(0.01)


def test_a_page_under_a_name_of_its_own_reads_nothing_of_the_loopback_interface() -> None:
    def asked(port: int, name: str) -> int:
        request = Request(f"http://127.0.0.1:{port}/metrics", headers={"Host": name})
        try:
            with urlopen(request, timeout=100) as answer:
                status: int = answer.status
                return status
        except HTTPError as error:
            with error:
                return error.code

    with served(text, 0) as port:
        assert [asked(port, f"{name}:{port}") for name in ("localhost", "127.0.0.1", "[::1]")] == [200] * 3
        assert [asked(port, name) for name in ("evil.example", f"evil.example:{port}", "127.0.0.1.x")] == [
            403
        ] * 3
    with served(text, 0, "0.0.0.0") as port:
        assert asked(port, "monitored.example") == 200
