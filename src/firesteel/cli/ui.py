"""The web page of the option `--ui` and of the command `firesteel ui`."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from firesteel.cli.metrics_server import cannot_listen
from firesteel.errors import UsageError
from firesteel.ui.host_header import LOOPBACK

if TYPE_CHECKING:
    from firesteel.ui.feed import Feed

OPTION = "--ui"
PORT = 8081
"""Port if none is given; that of Flink's page, too."""


def with_port(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `--ui=8081` in place of each `--ui` that no port number follows."""
    found: list[str] = []
    for index, argument in enumerate(arguments):
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        bare = argument == OPTION and not following.lstrip("-").isdigit()
        found.append(f"{OPTION}={PORT}" if bare else argument)
    return found


_INSTALL = "pip install 'firesteel[ui]'"


@contextmanager
def page(
    port: int, host: str | None, *, as_json: bool, feed: Feed | None = None, option: str = OPTION
) -> Iterator[str]:
    """Serve the page while the context is open, and print its URL.

    Args:
        port: The TCP port, 0 for a free one.
        host: Address to listen on, None for the loopback interface.
        as_json: Whether the line about the URL is a JSON object.
        feed: Source of the jobs that the page shows; None for the jobs of this process.
        option: Name of the option that sets the port, which error messages mention.

    Raises:
        UsageError: The packages of the extra `ui` are not installed, or the port or the address cannot be
            listened on.
    """
    from firesteel.cli.http_api import Api
    from firesteel.jobs.registry import JOBS

    try:
        from firesteel.ui.server import served
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("starlette", "uvicorn", "h11", "anyio"):
            raise
        raise UsageError(f"the web page needs the package {missing.name}", hint=_INSTALL) from None
    listener = _listener(port, host or LOOPBACK, option)
    JOBS.shows_rows = feed is None
    try:
        with served(feed or Api(shows_rows=True), listener, host or LOOPBACK) as url:
            _tell(url, as_json=as_json)
            yield url
    finally:
        JOBS.shows_rows = False


def _listener(port: int, host: str, option: str) -> socket.socket:
    """Return a socket that listens on the port. Raise UsageError, which mentions `option`, if it cannot."""
    listener: socket.socket | None = None
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Use `port` itself, so that 70000 fails: getaddrinfo reduces it modulo 65536, to 4464.
        listener.bind((address[0], port, *address[2:]))
        listener.listen(128)
    except (OSError, OverflowError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        raise cannot_listen(port, host, error, hint=f"use another {option} PORT (0 for a free one)") from None
    return listener


def _tell(url: str, *, as_json: bool) -> None:
    if as_json:
        from firesteel.cli.json_logs import tell

        tell("ui", url=url)
    else:
        print(f"ui: {url}", file=sys.stderr, flush=True)
