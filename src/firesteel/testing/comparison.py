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
    """Return lines that show where two lists of changes differ in changes or order; [] if they are equal."""
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
    """Return lines that show which rows are missing or extra, in any order; [] if there are none."""
    wanted, found = Counter(expected), Counter(got)
    lines = [(MISSING, row) for row in sorted((wanted - found).elements())]
    lines += [(EXTRA, row) for row in sorted((found - wanted).elements())]
    lines.sort(key=lambda line: line[1])  # rows with the same first values together
    return list(_shown(lines))


def row_text(change: Change) -> str:
    """Return a row as it is shown: `+I[Tom, 12]`."""
    kind, *cells = change
    return f"{kind}[{', '.join(cells)}]"


def _shown(lines: Sequence[tuple[str, Change]]) -> Iterator[str]:
    """Yield the lines of the report: for each row its mark (missing, extra or blank) and its text.

    One line with their number replaces successive equal rows that are more than `_CONTEXT` rows away from
    the next difference.
    """
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
    """The rows that changes leave: the result table.

    Args:
        key: Positions of the primary key's columns if the changes are an upsert stream. None if the
            changes are to be read without a key: each one adds a row or retracts an equal row.
    """

    key: tuple[int, ...] | None
    _rows: Counter[Change] = field(default_factory=Counter)
    _by_key: dict[Change, Change] = field(default_factory=dict)

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply changes.

        Without a key, a row that is retracted too early is counted as present -1 times. With a key, a delete
        of an absent key has no effect.
        """
        for kind, *cells in changes:
            if self.key is not None:
                self._upsert(kind, tuple(cells), self.key)
            else:
                self._rows[("", *cells)] += 1 if kind in ("+I", "+U") else -1

    def rows(self) -> list[Change]:
        """Return the rows of the result table, each with the row kind ""."""
        return [*self._rows.elements(), *self._by_key.values()]

    def invalid(self) -> list[Change]:
        """Return the rows that were retracted more often than added, each once; [] if there is a key."""
        return [row for row, number in self._rows.items() if number < 0]

    def _upsert(self, kind: str, cells: Change, key: tuple[int, ...]) -> None:
        place = tuple(cells[i] for i in key)
        if kind in ("+I", "+U"):
            self._by_key[place] = ("", *cells)
        else:
            self._by_key.pop(place, None)
