"""Feed, the data that the web page shows. The command implements it over the registry of jobs."""

from __future__ import annotations

from typing import Any, Protocol

Json = dict[str, Any]


class Answer(Protocol):
    """Answer to a GET request: its text, media type and HTTP status."""

    @property
    def body(self) -> str: ...

    @property
    def content_type(self) -> str: ...

    @property
    def status(self) -> int: ...


class Feed(Protocol):
    """Jobs as JSON. Its methods may be called from any thread, and may take some milliseconds."""

    def answer(self, path: str, query: str = "") -> Answer:
        """Return the answer to GET of a path of the API, with the status 404 if nothing is there."""

    def summaries(self) -> list[Json]:
        """Return all jobs, oldest first, without their details."""

    def changing(self, id: str) -> Json | None:
        """Return the details of a job that may change, without its micro-batches; None for an unknown job."""

    def batches(self, id: str) -> list[Json]:
        """Return the micro-batches of a job that are remembered, oldest first; none for an unknown job."""

    def rows(self, id: str, query: str) -> Json | None:
        """Return rows of a job's result; None if the job shows none or is unknown.

        Args:
            id: ID of the job.
            query: What the reader wants to see, as the query of a URL.
        """
