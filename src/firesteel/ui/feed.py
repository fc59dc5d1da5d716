"""Feed, the interface to the data that the web page shows.

cli/http_api.py implements it for the jobs of this process, cli/checkpoint/page.py for those of a checkpoint.
"""

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
        """Return the fields of a job that may change while it runs, such as its metrics.

        The micro-batches are not among them. Return None for an unknown job.
        """

    def batches(self, id: str) -> list[Json]:
        """Return the micro-batches of a job that are still in memory or saved, oldest first.

        Return an empty list for an unknown job.
        """

    def rows(self, id: str, query: str) -> Json | None:
        """Return rows of a job's result; None if the job shows none or is unknown.

        Args:
            id: ID of the job.
            query: What the reader wants to see, as the query of a URL.
        """
