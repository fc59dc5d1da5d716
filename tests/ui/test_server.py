"""The page's server: what it answers, and to whom."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, suppress
from urllib.parse import urlsplit

import pytest

from firesteel.jobs.registry import Registry
from firesteel.ui import access
from tests.ui.conftest import add_job, page_of

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


def test_the_page_and_the_api_of_the_metrics_port(registry: Registry, page: str) -> None:
    add_job(registry)
    assert page.startswith("http://127.0.0.1:")
    with httpx.Client(base_url=page) as client:
        assert "<title>Firesteel</title>" in client.get("/").text
        jobs = client.get("/api/v1/jobs").json()["jobs"]
        assert [job["name"] for job in jobs] == ["orders.sql: totals"]
        assert client.get("/api/v1/jobs/1").json()["plan"].startswith("==")
        assert client.get("/api/v1/jobs/1/batches").json() == {"id": "1", "batches": []}
        assert client.get("/api/v1/jobs/9").status_code == 404
        assert client.get("/api/v1/nothing").status_code == 404
        assert client.get("/nothing").status_code == 404
        assert client.get("/static/js/main.js").headers["content-type"].startswith("text/javascript")


def test_nothing_is_loaded_from_elsewhere_and_no_page_embeds_it(page: str) -> None:
    for path in ("/", "/static/style.css", "/api/v1/jobs", "/nothing"):
        headers = httpx.get(page + path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'; ")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_it_is_read_only(page: str, method: str) -> None:
    for path in ("/", "/api/v1/jobs", "/api/v1/jobs/1", "/static/style.css"):
        answer = httpx.request(method, page + path)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"])
def test_only_files_of_the_page_are_served(page: str, path: str) -> None:
    parts = urlsplit(page)
    with closing(socket.create_connection((parts.hostname, parts.port), 10)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:1", 200), ("localhost", 200), ("[::1]:8081", 200), ("evil.example", 403), ("", 403)],
)
def test_on_loopback_a_request_names_this_machine(page: str, host: str, status: int) -> None:
    for path in ("/", "/api/v1/jobs"):
        answer = httpx.get(page + path, headers={"Host": host})
        assert answer.status_code == status
        assert ("Open 127.0.0.1 or localhost" in answer.text) == (status == 403)
        assert ("--ui-host ADDRESS" in answer.text) == (status == 403)


def test_beyond_loopback_it_asks_for_a_token(registry: Registry) -> None:
    add_job(registry)
    with page_of(registry, "0.0.0.0") as url:
        parts = urlsplit(url)
        token = parts.query.removeprefix("token=")
        assert len(token) >= 43
        base = f"http://127.0.0.1:{parts.port}"
        for path in ("/", "/api/v1/jobs", "/api/v1/events", "/static/style.css"):
            assert httpx.get(base + path).status_code == 401
            assert httpx.get(f"{base}{path}?token={token[:-1]}").status_code == 401
            assert httpx.get(base + path, cookies={access.COOKIE: "no"}).status_code == 401
        with httpx.Client(base_url=base) as browser:
            first = browser.get("/", params={"token": token})
            assert (first.status_code, first.headers["location"]) == (303, "/")
            cookie = first.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert browser.get("/").status_code == browser.get("/api/v1/jobs").status_code == 200
            assert browser.post("/").status_code == 405
        bearer = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{base}/api/v1/jobs", headers=bearer).status_code == 200
    with page_of(registry, "0.0.0.0") as again:
        assert token not in again


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr(access.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or True)
    rules = access.Access("10.0.0.1", "secret")
    assert rules.refusal("GET", {}, "token=x") is None
    assert compared == [(b"x", b"secret")]


def test_a_client_that_sends_no_request_is_cut_off(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firesteel.ui import connections

    monkeypatch.setattr(connections.Connections.__init__, "__defaults__", (0.2,))
    with page_of(registry) as url:
        parts = urlsplit(url)
        with closing(socket.create_connection((parts.hostname, parts.port), 10)) as silent:
            silent.sendall(b"GET / HTTP/1.1\r\n")
            silent.settimeout(10)
            with suppress(ConnectionResetError):
                assert silent.recv(1) == b""
        assert httpx.get(url).status_code == 200


def test_it_ends_with_the_job_although_clients_stay(registry: Registry) -> None:
    add_job(registry)
    with page_of(registry) as url:
        parts = urlsplit(url)
        reader = socket.create_connection((parts.hostname, parts.port), 10)
        reader.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" in reader.recv(100)
        begun = time.monotonic()
    assert time.monotonic() - begun < 10
    assert "firesteel-ui" not in {thread.name for thread in threading.enumerate()}
    reader.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_errors_of_requests_leave_stderr_to_the_job(page: str, capfd: pytest.CaptureFixture[str]) -> None:
    parts = urlsplit(page)
    with closing(socket.create_connection((parts.hostname, parts.port), 10)) as client:
        client.sendall(b"nonsense\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 400")
    assert capfd.readouterr().err == ""
