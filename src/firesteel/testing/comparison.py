"""Comparison of expected and actual rows, and the text of their difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from firesteel.testing.rows import Change

MISSING, EXTRA, SAME = "missing", "extra", ""
_CONTEXT = 2
"""Equal rows shown before and after a difference."""


def changes_difference(expected: Sequence[Change], got: Sequence[Change]) -> list[str]:
    """Return lines that show where two lists of changes differ, [] if they are equal. The order counts."""
    if list(expected) == list(got):
        return []
    lines: list[tuple[str, Change]] = []
    matcher = SequenceMatcher(None, expected, got, autojunk=False)
    for _, start, stop, first, last in matcher.get_opcodes():
        equal = expected[start:stop] == got[first:last]
        if equal:
            lines += [(SAME, row) for row in expected[start:stop]]
        else:
            lines += [(MISSING, row) for row in expected[start:stop]]
            lines += [(EXTRA, row) for row in got[first:last]]
    return list(_shown(lines))


def rows_difference(expected: Sequence[Change], got: Sequence[Change]) -> list[str]:
    """Return lines that show which rows differ, [] if both have the same rows. The order does not count."""
    wanted, found = Counter(expected), Counter(got)
    lines = [(MISSING, row) for row in sorted((wanted - found).elements())]
    lines += [(EXTRA, row) for row in sorted((found - wanted).elements())]
    lines.sort(key=lambda line: line[1])  # a value that differs stands below the expected one
    return list(_shown(lines))


def row_text(change: Change) -> str:
    """Return a row as it is shown: `+I[Tom, 12]`."""
    kind, *cells = change
    return f"{kind}[{', '.join(cells)}]"


def _shown(lines: Sequence[tuple[str, Change]]) -> Iterator[str]:
    """Yield the lines as text. Equal rows far from a difference become one line with their number."""
    near = {
        other
        for place, (mark, _) in enumerate(lines)
        if mark != SAME
        for other in range(place - _CONTEXT, place + _CONTEXT + 1)
    }
    left_out = 0
    for place, (mark, row) in enumerate(lines):
        if place not in near:
            left_out += 1
            continue
        if left_out:
            yield _left_out(left_out)
            left_out = 0
        yield f"{mark:>7}  {row_text(row)}"
    if left_out:
        yield _left_out(left_out)


def _left_out(rows: int) -> str:
    return f"         ... {rows} equal {'rows' if rows > 1 else 'row'}"


@dataclass
class RowsLeft:
    """The rows that are left after changes.

    Args:
        key: Positions of the primary key if changes replace rows by key; None if old rows are retracted.
    """

    key: tuple[int, ...] | None
    _rows: Counter[Change] = field(default_factory=Counter)
    _by_key: dict[Change, Change] = field(default_factory=dict)

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply changes. The removal of a row that is not there counts as a row that is there -1 times."""
        for kind, *cells in changes:
            if self.key is not None:
                self._upsert(kind, tuple(cells), self.key)
            else:
                self._rows[("", *cells)] += 1 if kind in ("+I", "+U") else -1

    def rows(self) -> list[Change]:
        """Return the rows."""
        return [*self._rows.elements(), *self._by_key.values()]

    def invalid(self) -> list[Change]:
        """Return rows that were removed more often than they were added."""
        return [row for row, number in self._rows.items() if number < 0]

    def _upsert(self, kind: str, cells: Change, key: tuple[int, ...]) -> None:
        place = tuple(cells[i] for i in key)
        if kind in ("+I", "+U"):
            self._by_key[place] = ("", *cells)
        else:
            self._by_key.pop(place, None)
