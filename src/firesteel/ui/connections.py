"""Connections of the page's server: cut off if a client sends no request, and closed at once on demand."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 5.0
"""Seconds after which a connection is cut off if the head of its first request is not complete."""


class Connections:
    """The server's open connections, by the client's address.

    Args:
        seconds: Time that a client may take to send its first request.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._open: dict[tuple[str, int], asyncio.Transport] = {}
        self._seconds = seconds

    def abort(self, client: tuple[str, int] | None) -> None:
        """Close the connection of a client at once. Data that the client has not read yet is lost.

        Do nothing if `client` is None or has no open connection.
        """
        transport = None if client is None else self._open.get(client)
        if transport is not None:
            transport.abort()

    def protocol(self) -> type[asyncio.Protocol]:
        """Return the class of the server's connections. Each open connection is registered in this object."""
        return type("Connection", (_Connection,), {"by_client": self._open, "patience": self._seconds})


class _Connection(H11Protocol):  # type: ignore[misc]
    """HTTP connection that is cut off if the client sends no request in time."""

    by_client: dict[tuple[str, int], asyncio.Transport]
    patience: float

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.patience, self._cut_off)
        if self.client is not None:
            self.by_client[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        self.by_client.pop(self.client, None)
        super().connection_lost(exc)

    def _cut_off(self) -> None:
        if self.cycle is None:
            self.transport.abort()
