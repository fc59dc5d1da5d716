"""EventStream, the ASGI application behind /api/v1/events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import parse_qs

from firesteel.ui.events import Broadcaster, Client, TooSlow
from firesteel.ui.guard import Message, Receive, Scope, Send

MOST_CLIENTS = 64
"""Maximum number of clients at a time. A further client gets the status 503."""
SEND_SECONDS = 10.0
"""Time that a client may take to read an event. A client that takes longer is dropped."""
_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]


class EventStream:
    """ASGI application that sends events to a client until the client leaves or is too slow.

    Args:
        broadcaster: Producer of the events.
        abort: Closes the connection of a client at once, by its address.
        seconds: Time that a client may take to read an event.
    """

    def __init__(
        self,
        broadcaster: Broadcaster,
        abort: Callable[[tuple[str, int] | None], None],
        seconds: float = SEND_SECONDS,
    ) -> None:
        self._broadcaster = broadcaster
        self._abort = abort
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._broadcaster.clients >= MOST_CLIENTS:
            await send({"type": "http.response.start", "status": 503, "headers": [(b"retry-after", b"10")]})
            await send({"type": "http.response.body", "body": b"there are too many readers of events\n"})
            return
        wanted = parse_qs(scope["query_string"].decode("latin-1"))
        client = self._broadcaster.join(wanted.get("job", [None])[0], wanted.get("rows", [None])[0])
        writer = asyncio.ensure_future(self._write(client, send))
        leaving = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait((writer, leaving), return_when=asyncio.FIRST_COMPLETED)
            if writer.done() and isinstance(writer.exception(), TooSlow):
                self._abort(scope.get("client"))
        finally:
            self._broadcaster.leave(client)
            writer.cancel()
            leaving.cancel()

    async def _write(self, client: Client, send: Send) -> None:
        """Send the client's events.

        Raises:
            TooSlow: The client does not read them.
        """
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await self._sent(send, {"type": "http.response.body", "body": b"retry: 2000\n\n", "more_body": True})
        while True:
            body = await client.next()
            await self._sent(send, {"type": "http.response.body", "body": body, "more_body": True})

    async def _sent(self, send: Send, message: Message) -> None:
        try:
            await asyncio.wait_for(send(message), self._seconds)
        except asyncio.TimeoutError:
            raise TooSlow from None


async def _disconnected(receive: Receive) -> None:
    """Wait until the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
