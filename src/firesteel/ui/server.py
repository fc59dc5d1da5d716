"""Server of the page, in a thread of its own."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from firesteel.ui.access import PARAMETER, Access
from firesteel.ui.app import application
from firesteel.ui.connections import Connections
from firesteel.ui.feed import Feed

MOST_CONNECTIONS = 160
"""If at least this many connections are open, its own included, a request gets the status 503."""
_END_SECONDS = 3.0
"""Maximum number of seconds to wait for the server's thread to end when the page is no longer needed."""
_WILDCARDS = ("0.0.0.0", "::")


@contextmanager
def served(feed: Feed, listener: socket.socket, host: str) -> Iterator[str]:
    """Serve the page while the context is open.

    Args:
        feed: The jobs.
        listener: Socket that listens. It is closed at the end.
        host: Address as the user gave it.

    Yields:
        The URL of the page. Beyond the loopback interface, it has the token.
    """
    address, port = listener.getsockname()[:2]
    access = Access.to(address)
    server = _server(feed, access)
    ready = threading.Event()
    thread = threading.Thread(
        target=_run, args=(server, listener, ready.set), name="firesteel-ui", daemon=True
    )
    thread.start()
    ready.wait()
    try:
        yield _url(socket.gethostname() if host in _WILDCARDS else host, port, access.token)
    finally:
        server.should_exit = True
        thread.join(_END_SECONDS)
        listener.close()


def _server(feed: Feed, access: Access) -> uvicorn.Server:
    quiet = logging.getLogger("uvicorn")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False  # keeps uvicorn's messages off stderr, which the job uses
    connections = Connections()
    return uvicorn.Server(
        uvicorn.Config(
            application(feed, access, connections),
            http=connections.protocol(),
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=0,
        )
    )


def _run(server: uvicorn.Server, listener: socket.socket, started: Callable[[], None]) -> None:
    """Call `started`, then run the server until it stops.

    An error of the server is logged and not raised, so that it cannot end the job of this process.
    """
    try:
        started()
        server.run(sockets=[listener])
    except Exception:
        logging.getLogger("uvicorn.error").exception("the page's server has ended")


def _url(host: str, port: int, token: str | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}" + ("" if token is None else f"/?{PARAMETER}={token}")
