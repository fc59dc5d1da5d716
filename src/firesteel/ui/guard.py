"""Guard, the middleware in front of the page: it refuses requests and adds security headers to answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from firesteel.ui.access import COOKIE, Access

Scope: TypeAlias = "MutableMapping[str, Any]"
Message: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[Message]]"
Send: TypeAlias = "Callable[[Message], Awaitable[None]]"
Application: TypeAlias = "Callable[[Scope, Receive, Send], Awaitable[None]]"

HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
}
"""Headers of each answer. The page loads nothing from elsewhere, and no other page may embed it."""


class Guard:
    """ASGI application that passes allowed requests to the page's application, and refuses all others.

    Args:
        inner: The page's application.
        access: The rules that decide which requests are allowed.
    """

    def __init__(self, inner: Application, access: Access) -> None:
        self._inner = inner
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope["query_string"].decode("latin-1")
        refusal = self._access.refusal(scope["method"], headers, query)
        if refusal is not None:
            extra = {"allow": "GET, HEAD"} if refusal.status == 405 else {}
            await _answer(send, refusal.status, refusal.message, extra)
        elif scope["path"] == "/" and self._access.is_token(query):
            cookie = f"{COOKIE}={self._access.token}; HttpOnly; SameSite=Strict; Path=/"
            # The redirect to "/" keeps the URL with the token out of the browser's history.
            await _answer(send, 303, "", {"location": "/", "set-cookie": cookie})
        else:
            await self._inner(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message.get("headers", ())}
            added = [pair for pair in _encoded(HEADERS) if pair[0] not in own]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sent


async def _answer(send: Send, status: int, text: str, extra: dict[str, str]) -> None:
    body = f"{text}\n".encode() if text else b""
    own = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body)), **extra}
    await send({"type": "http.response.start", "status": status, "headers": _encoded({**HEADERS, **own})})
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
