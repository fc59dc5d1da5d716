"""The HTTP server of `--metrics-port`.

It is for a scraper on the same machine unless `--metrics-host` says otherwise. A client that sends
nothing, or one byte a second, is cut off. The number of connections is limited, because each has a thread.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from firesteel.errors import UsageError
from firesteel.ui.host_header import LOOPBACK, names_this_machine, refusal

MOST_CONNECTIONS = 16
"""Largest number of open connections. A further connection is closed without an answer."""
SECONDS = 5.0
"""Seconds after which a connection is closed, whether its answer is complete or not."""


@dataclass(frozen=True)
class Answer:
    """Answer to a GET request.

    Attributes:
        body: The text.
        content_type: Its media type.
        status: The HTTP status.
    """

    body: str
    content_type: str = "text/plain; charset=utf-8"
    status: int = 200


class _Server(ThreadingHTTPServer):
    """HTTP server that limits its open connections (MOST_CONNECTIONS) and the duration of each."""

    daemon_threads = True
    block_on_close = False

    def __init__(
        self, address: Any, family: int, handler: type[BaseHTTPRequestHandler], seconds: float
    ) -> None:
        self.address_family = family
        self._seconds = seconds
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Bind without HTTPServer's look-up of the host name, which may wait for a name server."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        deadline = threading.Timer(self._seconds, _cut_off, (request,))
        deadline.daemon = True
        try:
            deadline.start()
            super().process_request_thread(request, client_address)
        finally:
            deadline.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a client that closes its connection early causes no error of the job."""


def _cut_off(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


@contextmanager
def served(
    answer: Callable[[str], Answer], port: int, host: str = LOOPBACK, seconds: float = SECONDS
) -> Iterator[int]:
    """Answer GET requests while the context is open.

    If `host` is a loopback address, a request whose header Host names another machine gets the status 403.

    Args:
        answer: Function from the path of a request, without the query after `?`, to the answer.
        port: The TCP port, 0 for a free one.
        host: The address to listen on, or a name of it; `0.0.0.0` and `::` are all addresses of the machine.
        seconds: How long a connection may last.

    Yields:
        The port.

    Raises:
        UsageError: If the port or the address cannot be listened on.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answer(self.path.partition("?")[0])
            if not names_this_machine(self.headers.get("Host"), host):
                found = Answer(f"{refusal('--metrics-host ADDRESS')}\n", status=403)
            body = found.body.encode()
            self.send_response(found.status)
            self.send_header("Content-Type", found.content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Write no log of requests: stderr is for messages about the job."""

    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Use `port` itself, so that 70000 fails: getaddrinfo reduces it modulo 65536, to 4464.
        address = (address[0], port, *address[2:])
        server = _Server(address, family, Handler, seconds)
    except (OSError, OverflowError, UnicodeError) as error:
        raise cannot_listen(port, host, error, hint=_ANOTHER) from None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


_ANOTHER = "use another --metrics-port (above 1023 unless you are root) or --metrics-host"


def cannot_listen(port: int, host: str, error: Exception, hint: str) -> UsageError:
    """Return the error for a port that cannot be listened on.

    Args:
        port: The port.
        host: The address.
        error: Error of the attempt to listen. The message gives its reason.
        hint: Advice to the user, shown below the message.
    """
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        reason = "there is no such address or port"
    else:
        reason = (error.strerror or str(error)).lower()
    return UsageError(f"Cannot listen on port {port} of {host}: {reason}", hint=hint)
