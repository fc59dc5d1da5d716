"""ResultView, what the web page shows of the rows of a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class ResultView(Protocol):
    """Rows of a job for a reader. Its methods may be called from any thread.

    The session implements it: for a query in session/live/live_rows.py, for INSERTs in sink_rows.py.
    """

    def answer(self, wanted: Mapping[str, str]) -> dict[str, Any]:
        """Return rows as a JSON value.

        Args:
            wanted: Parameters of the web request (docs/guide/web-page.md), by name. An invalid value counts
                as the parameter's default.
        """
