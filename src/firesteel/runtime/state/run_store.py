"""Contract of the storage below a state backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class RunStore(Protocol):
    """Durable storage of a state backend: a map from run ids to bytes, and one manifest.

    Spark's state store implements it (MapState and ValueState), and so does a dictionary. Writes become
    durable with the commit of the host.
    """

    def get(self, run: str) -> bytes | None:
        """Return the bytes of a run, None if it does not exist."""
        ...

    def put(self, run: str, data: bytes) -> None:
        """Store a run. An id that is already stored has the same bytes: it is a digest of them."""
        ...

    def remove(self, runs: Iterable[str]) -> None:
        """Delete runs."""
        ...

    def manifest(self) -> bytes | None:
        """Return the manifest, None if none was written yet."""
        ...

    def set_manifest(self, data: bytes) -> None:
        """Replace the manifest."""
        ...
