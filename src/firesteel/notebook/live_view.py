"""LiveView, content of a cell that changes while something runs.

There are two ways to show it: a widget (notebook/widget.py), and a loop that draws it again
(notebook/redraw.py).
"""

from __future__ import annotations

from typing import Protocol

REDRAW_SECONDS = 0.5
"""Least seconds between two drawings of a view."""


class LiveView(Protocol):
    """Content of a cell that changes. Its methods may be called from any thread."""

    has_rows: bool
    """Whether the view is a table of rows, for which the notebook shows a search field and page buttons."""

    @property
    def error(self) -> BaseException | None:
        """Error that has ended the view, None if there is none."""
        ...

    def html(self) -> str:
        """Return the present content as HTML."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the view, at most some seconds, and return whether it has ended."""
        ...

    def stop(self) -> None:
        """End the view."""
        ...

    def ask(self, wanted: dict[str, str]) -> None:
        """Change what the view shows.

        Args:
            wanted: Settings from the notebook. Settings that are not named stay: `find` (text that rows must
                contain), `sort` (position of a column), `order` (`desc`, else ascending), `page` (from 0),
                `view` (`changes`, else the rows).
        """
        ...
