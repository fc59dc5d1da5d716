"""TableModel, the live table of a query: the sort order, the page on the screen, and the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.session.tableau import border, line

Cells = Callable[[pa.Table], list[tuple[str, ...]]]
"""Function from a table to its rows; a row is a tuple with the text of each cell."""
_NARROWEST = 4
_BORDERS = 4
"""Lines of a page besides its rows: three borders and the heading."""


class TableModel:
    """Rows of a result, and the part of them that is visible.

    Args:
        names: Names of the columns.
        widths: Widths of the columns.
        cells: Function that returns the texts of the cells of a table.

    Attributes:
        column: Position of the column that the rows are sorted by; None for the order in which they came.
        descending: Whether the largest value comes first.
        top: Position of the first visible row in the sort order, from 0.
        left: Position of the first visible column, from 0.
        found: Position of the row that the last search found, in the sort order; None if it found none.
    """

    def __init__(self, names: Sequence[str], widths: Sequence[int], cells: Cells) -> None:
        self._names = tuple(names)
        self._widths = tuple(widths)
        self._cells = cells
        self._rows: pa.Table | None = None
        self.column: int | None = 0 if self._names else None
        self.descending = False
        self.top = 0
        self.left = 0
        self.found: int | None = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return 0 if self._rows is None else int(self._rows.num_rows)

    def show(self, rows: pa.Table) -> None:
        """Replace the rows by newer ones. The sort order and the page stay."""
        self._rows = self._sorted(rows)
        self.found = None

    def sort_by(self, column: int | None, *, descending: bool = False) -> None:
        """Sort the rows by the column at a position.

        None turns sorting off: rows that are passed to `show` later are not sorted. The present rows keep
        their old order until then.
        """
        self.column, self.descending = column, descending
        if self._rows is not None:
            self.show(self._rows)

    def sort_by_next(self) -> None:
        """Sort by the next column, ascending. After the last column, turn sorting off (see `sort_by`)."""
        following = 0 if self.column is None else self.column + 1
        self.sort_by(following if following < len(self._names) else None)

    def move(self, rows: int, height: int) -> None:
        """Move the page by a number of rows, not beyond the ends. `height` is the height of the screen."""
        last = max(0, self.count - self.room(height))
        self.top = min(max(0, self.top + rows), last)

    def move_columns(self, columns: int) -> None:
        """Move the page to the right by some columns, or to the left if negative, not beyond the ends."""
        self.left = min(max(0, self.left + columns), max(0, len(self._names) - 1))

    def find(self, text: str, height: int, *, again: bool = False) -> bool:
        """Move to the next row that has a text in any column. Return False if no row has the text.

        Args:
            text: Text to search for. Upper and lower case are equal.
            height: Height of the screen.
            again: Whether to begin behind the row that the last search found. After the last row, the search
                then continues at the first one. If False, the search begins at the first row.
        """
        if self._rows is None or not text:
            return False
        begin = self.found + 1 if again and self.found is not None else 0
        low = text.lower()
        rows = self._cells(self._rows)
        order = [*range(begin, len(rows)), *range(begin)]
        self.found = next((n for n in order if any(low in cell.lower() for cell in rows[n])), None)
        if self.found is not None:
            self.move(self.found - self.top, height)
        return self.found is not None

    def room(self, height: int) -> int:
        """Return how many rows fit on a screen of this height."""
        return max(1, height - _BORDERS)

    def page(self, width: int, height: int) -> list[str]:
        """Return the lines of the page that fills a screen: borders, heading and rows."""
        first, widths = self._columns(width)
        last = first + len(widths)
        lines = [border(widths), line(self._heading()[first:last], widths), border(widths)]
        if self._rows is not None:
            seen = self._rows.slice(self.top, self.room(height))
            lines += [line(cells[first:last], widths) for cells in self._cells(seen)]
        return [*lines, border(widths)]

    def _heading(self) -> list[str]:
        arrow = " v" if self.descending else " ^"
        return [name + (arrow if n == self.column else "") for n, name in enumerate(self._names)]

    def _columns(self, width: int) -> tuple[int, list[int]]:
        """Return the columns that fit on a screen: the position of the first one, and the width of each."""
        widths: list[int] = []
        room = width - 1
        for own in self._widths[self.left :]:
            if widths and own + 3 > room:
                break
            widths.append(max(_NARROWEST, min(own, room - 3)))
            room -= widths[-1] + 3
        return self.left, widths

    def _sorted(self, rows: pa.Table) -> pa.Table:
        if self.column is None:
            return rows
        values = rows.column(self.column)
        try:
            order = pc.array_sort_indices(values, order="descending" if self.descending else "ascending")
        except pa.ArrowNotImplementedError:  # nested values are sorted by their text
            texts = pa.array([cells[self.column] for cells in self._cells(rows)], pa.string())
            order = pc.array_sort_indices(texts, order="descending" if self.descending else "ascending")
        return rows.take(order)
