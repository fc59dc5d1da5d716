"""Tables as Flink prints results: drawn with +, - and |, with right-aligned cells.

Rules: Flink's `TableauStyle` and `PrintStyle`. A streaming result has column widths by type. A complete
result (SHOW, DESCRIBE) has column widths by content.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence

from firesteel.types.sql import SqlType, TypeRoot
from firesteel.types.text import NULL_TEXT

CUT = "..."
OP = "op"
"""Name of the column that holds the row kind."""

_FIXED_WIDTHS = {
    TypeRoot.TINYINT: 4,
    TypeRoot.SMALLINT: 6,
    TypeRoot.INTEGER: 11,
    TypeRoot.BIGINT: 20,
    TypeRoot.BOOLEAN: 5,
    TypeRoot.DATE: 10,
}


def display_width(text: str) -> int:
    """Return the width of a text in terminal columns, as Flink counts it.

    Wide and full-width characters take two columns. Each character above U+FFFF takes one more.
    """
    if text.isascii():
        return len(text)
    return sum(_character_width(c) for c in text)


def _character_width(character: str) -> int:
    """Return the width of a character: 1, or 2 if it is wide or full-width; above U+FFFF, 1 more.

    Flink counts UTF-16 units, of which a character above U+FFFF has two. So a wide one has the width 3.
    """
    width = 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
    return width + (character > "\uffff")


def width_of_type(kind: SqlType, max_width: int) -> int:
    """Return the width of a column of a type; `max_width` for types whose text has no bound."""
    root = kind.root
    if root in _FIXED_WIDTHS:
        width = _FIXED_WIDTHS[root]
    elif root is TypeRoot.DECIMAL:
        width = (kind.precision or 0) + 2  # a sign and a point
    elif root is TypeRoot.TIME:
        width = 8 if not kind.precision else 9 + kind.precision
    elif root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        width = 19 if not kind.precision else 20 + kind.precision
    else:
        width = max_width
    return max(width, len(NULL_TEXT))


def widths_by_type(names: Sequence[str], types: Sequence[SqlType], max_width: int) -> list[int]:
    """Return the column widths of a streaming result: by type, and at least the length of the name."""
    return [max(len(n), width_of_type(t, max_width)) for n, t in zip(names, types, strict=True)]


def widths_by_content(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[int]:
    """Return column widths in which the names and every cell fit."""
    widths = [display_width(name) for name in names]
    for row in rows:
        widths = [max(w, display_width(cell)) for w, cell in zip(widths, row, strict=True)]
    return widths


def fit(text: str, width: int) -> str:
    """Return the text right-aligned in `width` columns. If it is wider, its end is replaced by CUT."""
    taken = display_width(text)
    if taken <= width:
        return " " * (width - taken) + text
    room, kept = width - len(CUT), 0
    for index, character in enumerate(text):
        kept += _character_width(character)
        if kept > room:
            text = text[:index] + CUT
            break
    return " " * (width - display_width(text)) + text


def line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one row of the table: `| a | b |`."""
    return "".join(f"| {fit(cell, width)} " for cell, width in zip(cells, widths, strict=True)) + "|"


def border(widths: Sequence[int]) -> str:
    return "+" + "".join("-" * (width + 2) + "+" for width in widths)


def print_tableau(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    widths: Sequence[int],
    write: Callable[[str], object],
) -> int:
    """Print rows as they arrive: a heading before the first row, and the number of rows after the last row.

    For a result without rows, print only `Empty set`.

    Args:
        names: Names of the columns.
        rows: Cells of each row.
        widths: Widths of the columns.
        write: Function that takes whole lines with their line ends.

    Returns:
        The number of rows.

    Raises:
        KeyboardInterrupt: The user pressed Ctrl-C. Before the error is raised, the bottom border is printed
            if there are rows, and then `Query terminated, received a total of 3 rows`.
    """
    count = 0
    try:
        for count, row in enumerate(rows, start=1):
            if count == 1:
                write(f"{border(widths)}\n{line(names, widths)}\n{border(widths)}\n")
            write(line(row, widths) + "\n")
    except KeyboardInterrupt:
        if count:
            write(f"{border(widths)}\n")
        write(f"Query terminated, received a total of {_rows(count)}\n")
        raise
    write(f"{border(widths)}\n{_rows(count)} in set\n" if count else "Empty set\n")
    return count


def _rows(count: int) -> str:
    return f"{count} {'row' if count == 1 else 'rows'}"
