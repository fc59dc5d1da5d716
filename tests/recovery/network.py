"""A network between a job and its database that a test can cut."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Any

from tests.connectors.jdbc.postgres import Postgres

_PIECE = 1 << 16


class Link:
    """A port that leads to another port of this machine, until it is cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._is_cut = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and let new ones end at once."""
        with self._lock:
            self._is_cut = True
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_cut = False

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    near.close()
                    continue
                with self._lock:
                    self._open |= {near, far}
                if self._is_cut:
                    self._end(near, far)
                    continue
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(_PIECE):
                target.sendall(piece)
        self._end(source, target)

    def _end(self, *ends: socket.socket) -> None:
        with self._lock:
            self._open -= set(ends)
        for each in ends:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


class LinkedPostgres:
    """A server as a job reaches it: over a link. The test itself reaches it directly."""

    def __init__(self, server: Postgres, link: Link) -> None:
        self._server, self._link = server, link

    @property
    def url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self._link.port}/test"

    def connect(self, database: str = "test") -> Any:
        return self._server.connect(database)
