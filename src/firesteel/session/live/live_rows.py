"""LiveRows, the result of a running query for the web page: its rows now, and its last changes.

It takes the memory of a bounded number of rows and of changes, however large the result is.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, SHORT, field
from firesteel.jobs.job import Job
from firesteel.jobs.registry import JOBS
from firesteel.plan.tree import Field
from firesteel.session.rows_left import RowsLeft
from firesteel.types.text import render

MOST_ROWS = 100_000
"""Maximum number of rows of the result that are kept."""
MOST_CHANGES, MOST_CHANGED_BYTES = 1000, 16 << 20
"""Number and bytes of the last changes that are kept for the page.

Changes are kept as tables. The oldest table is dropped as soon as the later tables have this many changes, or
all tables together have more than these bytes. A single change is kept even if it has more bytes.
"""
PAGE_ROWS = 50
"""Rows or changes on a page if the request does not say how many."""
_CELL = 1000
"""Maximum number of characters of a cell. The rest of a longer text is not shown."""


def shown(record: Job, schema: Sequence[Field], changes: Iterator[pa.Table], zone: str) -> Iterator[pa.Table]:
    """Return the changes of a query. If this process has a web page, the page shows them, too.

    Args:
        record: The record of the job.
        schema: Names and types of the columns.
        changes: The changes, as changes tables.
        zone: Time zone in which TIMESTAMP_LTZ is shown.
    """
    if not JOBS.shows_rows:
        return changes
    rows = LiveRows(schema, zone)
    record.rows = rows
    return rows.over(changes)


class LiveRows:
    """The rows of a query's result and its last changes.

    Args:
        schema: Names and types of the columns.
        zone: Time zone in which TIMESTAMP_LTZ is shown.
        most: Maximum number of rows to keep. If the result has more rows, the page shows only a part of it:
            the rows that were added last are dropped (RowsLeft).
    """

    def __init__(self, schema: Sequence[Field], zone: str, most: int = MOST_ROWS) -> None:
        self._schema = tuple(schema)
        self._zone = zone
        self._most = most
        self._left = RowsLeft([column.type for column in schema], most)
        self._last: deque[pa.Table] = deque()
        self._changes = self._rows = 0
        self._lock = threading.Lock()

    def over(self, changes: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Yield the changes, and keep what the page shows of them."""
        for table in changes:
            self.add(table)
            yield table

    def add(self, table: pa.Table) -> None:
        """Add the next changes."""
        kinds = np.asarray(table.column(KIND))
        added = int(((kinds == 0) | (kinds == 2)).sum())
        with self._lock:
            self._left.apply(table)
            self._changes += table.num_rows
            self._rows += 2 * added - table.num_rows
            self._last.append(_copy(table, MOST_CHANGES))
            while len(self._last) > 1 and self._is_over():
                self._last.popleft()

    def _is_over(self) -> bool:
        """Return whether to drop the oldest table of changes.

        True if the later tables have at least MOST_CHANGES changes, or if all tables together have more than
        MOST_CHANGED_BYTES bytes.
        """
        rows = sum(each.num_rows for each in self._last) - self._last[0].num_rows
        size = sum(int(each.nbytes) for each in self._last)
        return bool(rows >= MOST_CHANGES or size > MOST_CHANGED_BYTES)

    def answer(self, wanted: Mapping[str, str]) -> dict[str, Any]:
        size = number_of(wanted, "size", PAGE_ROWS, 1, MOST_CHANGES)
        if wanted.get("view") == "changes":
            found = self._changes_page(size)
        else:
            found = self._table_page(wanted, size)
        columns = [{"name": column.name, "type": str(column.type)} for column in self._schema]
        return {"columns": columns, "row_count": self._rows, "change_count": self._changes, **found}

    def _changes_page(self, size: int) -> dict[str, Any]:
        """Return the last changes, oldest first, each with its row kind in front."""
        with self._lock:
            tables = list(self._last)
        return {"view": "changes", "changes": last_changes(tables, self._schema, self._zone, size)}

    def _table_page(self, wanted: Mapping[str, str], size: int) -> dict[str, Any]:
        """Return one page of the rows that are kept, for the parameters `wanted` of a request.

        Parameters: `find` (text that a cell contains), `sort` (column number), `order` (`desc`), `page`
        (from 0). `size`: number of rows on a page.
        """
        with self._lock:
            rows, is_partial = self._left.by_row(), self._left.is_partial
        rows = self._found(rows, wanted.get("find", ""))
        sort = number_of(wanted, "sort", -1, -1, len(self._schema) - 1)
        if sort >= 0:
            rows = rows.take(self._order(rows.column(sort), sort, wanted.get("order") == "desc"))
        pages = max(1, -(-rows.num_rows // size))
        page = number_of(wanted, "page", 0, 0, pages - 1)
        seen = rows.slice(page * size, size)
        return {
            "view": "table",
            "found": rows.num_rows,
            "page": page,
            "pages": pages,
            "is_partial": is_partial,
            "most": self._most,
            "rows": [list(row) for row in zip(*_cells(seen.columns, self._schema, self._zone), strict=True)],
        }

    def _found(self, rows: pa.Table, text: str) -> pa.Table:
        """Return the rows that have a text in any cell. Upper and lower case are equal."""
        if not text or not rows.num_rows:
            return rows
        has = np.zeros(rows.num_rows, np.bool_)
        for column, of in zip(rows.columns, self._schema, strict=True):
            cells = pa.array(render(column, of.type, self._zone), pa.string())
            has |= np.asarray(pc.match_substring(cells, text, ignore_case=True))
        return rows.filter(pa.array(has))

    def _order(self, column: pa.ChunkedArray, number: int, is_descending: bool) -> pa.Array:
        order = "descending" if is_descending else "ascending"
        try:
            return pc.array_sort_indices(column, order=order)
        except pa.ArrowNotImplementedError:  # nested values are sorted by their text
            texts = pa.array(render(column, self._schema[number].type, self._zone), pa.string())
            return pc.array_sort_indices(texts, order=order)


def last_changes(
    tables: Sequence[pa.Table], schema: Sequence[Field], zone: str, size: int
) -> list[list[str]]:
    """Return the last changes of some tables as texts, oldest first, each with its row kind in front.

    Args:
        tables: Changes tables, oldest first.
        schema: Names and types of the columns.
        zone: Time zone in which TIMESTAMP_LTZ is shown.
        size: Maximum number of changes.
    """
    found: list[list[str]] = []
    for table in reversed(tables):
        last = table.slice(max(0, table.num_rows - (size - len(found))))
        kinds = [SHORT[kind] for kind in last.column(KIND).to_pylist()]
        columns = [last.column(field(i)) for i in range(len(schema))]
        found = [list(row) for row in zip(kinds, *_cells(columns, schema, zone), strict=True)] + found
        if len(found) >= size:
            break
    return found


def _cells(columns: Sequence[pa.ChunkedArray], schema: Sequence[Field], zone: str) -> list[list[str]]:
    return [
        list(map(_shortened, render(column, of.type, zone)))
        for column, of in zip(columns, schema, strict=True)
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def _copy(table: pa.Table, most: int) -> pa.Table:
    """Return a copy of the last `most` rows of a table.

    While the copy has more than MOST_CHANGED_BYTES and more than one row, its first half is dropped.
    """
    last = table.slice(max(0, table.num_rows - most))
    last = last.take(pa.array(np.arange(last.num_rows)))
    if last.nbytes > MOST_CHANGED_BYTES and last.num_rows > 1:
        return _copy(last, last.num_rows // 2)
    return last


def number_of(wanted: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """Return a parameter of a request as a number.

    A number below `least` becomes `least`, and one above `most` becomes `most`. If the parameter is missing
    or is not a number, return `default`.
    """
    try:
        return min(max(int(wanted.get(name, default)), least), most)
    except ValueError:
        return default
