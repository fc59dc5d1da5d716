"""ResultView, the interface through which the web page reads result rows of a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class ResultView(Protocol):
    """Result rows of one job, for the web page. Any thread may call its methods.

    Two classes implement it: for a query in session/live/live_rows.py, for INSERTs in sink_rows.py.
    """

    def answer(self, wanted: Mapping[str, str]) -> dict[str, Any]:
        """Return a page of rows as a JSON object.

        Args:
            wanted: Parameters of the web request (docs/guide/web-page.md), by name. An invalid value counts
                as the parameter's default.
        """
