"""The page's ASGI application: the page, its files, the JSON API and the events."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from firesteel.ui.access import Access
from firesteel.ui.connections import Connections
from firesteel.ui.event_stream import EventStream
from firesteel.ui.events import Broadcaster
from firesteel.ui.feed import Feed
from firesteel.ui.guard import Application, Guard

STATIC = Path(__file__).with_name("static")


def application(feed: Feed, access: Access, connections: Connections) -> Application:
    """Return the application.

    Args:
        feed: The jobs.
        access: Who may read the page.
        connections: The server's connections.
    """

    def page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    def api(request: Request) -> Response:  # not async, so Starlette calls it in a thread, and it may block
        found = feed.answer(request.url.path, request.url.query)
        headers = {"content-type": found.content_type, "cache-control": "no-store"}
        return Response(found.body, found.status, headers)

    events = EventStream(Broadcaster(feed), connections.abort)
    routes = [
        Route("/", page),
        Route("/api/v1/events", events),
        Route("/api/{rest:path}", api),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes), access)
