"""LiveResult, the result of a query in a cell: the table to which the changes so far add up."""

from __future__ import annotations

import threading
from html import escape

from firesteel.counted import counted
from firesteel.errors import FiresteelError
from firesteel.session.html import html_table
from firesteel.session.live.live_rows import LiveRows
from firesteel.session.result import ChangesResult

ROWS = 20
"""Rows or changes that a cell shows if it does not say how many."""


class LiveResult:
    """The rows of a running query (notebook/live_view.py: LiveView). A thread reads its changes.

    Args:
        result: Result of the query. No other reader may read it.
        zone: Time zone in which TIMESTAMP_LTZ is shown.
        size: Greatest number of rows to show.
        of_changes: Whether to show the last changes, not the rows.
    """

    has_rows = True

    def __init__(
        self, result: ChangesResult, zone: str, *, size: int = ROWS, of_changes: bool = False
    ) -> None:
        self.error: BaseException | None = None
        self._result = result
        self._rows = LiveRows(result.schema, zone)
        self._wanted = {"size": str(size), "view": "changes" if of_changes else "table"}
        self._is_stopped = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for table in self._result.changes:
                self._rows.add(table)
        except BaseException as error:
            if not self._is_stopped:
                self.error = error

    def wait(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop(self) -> None:
        self._is_stopped = True
        self._result.cancel()

    def ask(self, wanted: dict[str, str]) -> None:
        self._wanted = {**self._wanted, **wanted}

    def html(self) -> str:
        answer = self._rows.answer(self._wanted)
        names = [column["name"] for column in answer["columns"]]
        if answer["view"] == "changes":
            table = html_table(["op", *names], answer["changes"])
        else:
            table = html_table(names, answer["rows"])
        return f"{table}<div>{escape(self._foot(answer))}</div>"

    def _foot(self, answer: dict[str, object]) -> str:
        """Return the line below the table: counts, the page, and the state of the query."""
        rows, changes = int(str(answer["row_count"])), int(str(answer["change_count"]))
        parts = [counted(rows, "row"), counted(changes, "change")]
        if answer.get("pages", 1) != 1:
            parts.append(f"page {int(str(answer['page'])) + 1} of {answer['pages']:,}")
        if answer.get("is_partial"):
            parts.append(f"of them, {answer['most']:,} are kept")
        return f"{', '.join(parts)}; {self._state()}"

    def _state(self) -> str:
        if self._is_stopped:
            return "stopped"
        if self.error is not None:
            return f"failed: {self.error}" if isinstance(self.error, FiresteelError) else repr(self.error)
        if not self._thread.is_alive():
            return "finished"
        record = self._result.record
        return (record.phase if record is not None else "") or "running"
