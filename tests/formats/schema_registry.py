"""A schema registry of our own: what a registry's clients ask, kept in memory."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Registry(ThreadingHTTPServer):
    """Keeps schemas by number and subject."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.schemas: list[str] = []
        self.subjects: dict[str, list[int]] = {}
        self.heard: list[str | None] = []
        """What `Authorization` said each time."""
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def add(self, schema: str, subject: str = "other") -> int:
        if schema not in self.schemas:
            self.schemas.append(schema)
        number = self.schemas.index(schema) + 1
        self.subjects.setdefault(subject, []).append(number)
        return number


class _Answers(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]  # Java's client asks with `?fetchMaxId=false`
        number = int(path.rpartition("/")[2])
        known = path.startswith("/schemas/ids/") and number <= len(self.server.schemas)
        self._answer(200, {"schema": self.server.schemas[number - 1]}) if known else self._answer(404, {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        subject = self.path.partition("?")[0].split("/")[2]
        if subject == "locked":
            self._answer(409, {"message": "incompatible"})
        else:
            self._answer(200, {"id": self.server.add(body["schema"], subject)})

    def _answer(self, status: int, said: dict[str, Any]) -> None:
        self.server.heard.append(self.headers["Authorization"])
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def running(tls: ssl.SSLContext | None = None) -> Iterator[Registry]:
    """One that answers. tls: behind https."""
    made = Registry()
    if tls is not None:
        made.socket = tls.wrap_socket(made.socket, server_side=True)
        made.url = made.url.replace("http:", "https:")
    threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()
