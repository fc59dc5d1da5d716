"""State in memory: a store for tests, and a backend that lives as long as its task."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.runtime.state.backend import SortedRunBackend


class MemoryStore:
    """Run store in a dictionary. `bytes_put` counts the bytes written to it."""

    def __init__(self) -> None:
        self.runs: dict[str, bytes] = {}
        self.bytes_put = 0
        self._manifest: bytes | None = None

    def get(self, run: str) -> bytes | None:
        return self.runs.get(run)

    def put(self, run: str, data: bytes) -> None:
        self.runs[run] = data
        self.bytes_put += len(data)

    def remove(self, runs: Iterable[str]) -> None:
        for run in runs:
            self.runs.pop(run, None)

    def manifest(self) -> bytes | None:
        return self._manifest

    def set_manifest(self, data: bytes) -> None:
        self._manifest = data


def memory_backend() -> SortedRunBackend:
    """Return a backend that keeps its state in this process. Its commit does nothing."""
    return SortedRunBackend()
