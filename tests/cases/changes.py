"""Hold one change stream against another: what is left, and what each key went through."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

Change = Sequence[str]
"""Row kind (+I, -U, +U, -D), then the cells as printed."""

SIGNIFICANT_DIGITS = 9
"""Floating point numbers are compared to this many: their last ones depend on the order of additions."""

TINY = 1e-9
"""What is smaller is what additions leave of zero."""

NUDGE = 1 + 1e-11
"""Keeps numbers that end in a 5 (21.83203125) from being rounded now up, now down."""


def normal(cell: str) -> str:
    """A cell as it is compared: integers by all digits, other numbers by value, the rest as text."""
    try:
        return str(int(cell))
    except ValueError:
        pass
    try:
        number = float(cell)
    except ValueError:
        return cell
    if abs(number) < TINY:
        return "0"
    return f"{number * NUDGE:.{SIGNIFICANT_DIGITS}g}" if math.isfinite(number) else str(number)


def _row(cells: Sequence[str], text: bool) -> tuple[str, ...]:
    return tuple(map(str.strip, cells)) if text else tuple(map(normal, cells))


def folded(changes: Sequence[Change], text: bool = False) -> tuple[Counter[tuple[str, ...]], str | None]:
    """The rows that are left after all changes, and the first change that takes away what is not there."""
    rows: Counter[tuple[str, ...]] = Counter()
    for kind, *cells in changes:
        row = _row(cells, text)
        if kind in ("+I", "+U"):
            rows[row] += 1
        elif rows[row] > 0:
            rows[row] -= 1
        else:
            return +rows, f"{kind}{list(cells)} takes away a row that is not there"
    return +rows, None


def by_key(
    changes: Sequence[Change], key_columns: int, text: bool = False
) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """For each key (the first cells), its changes in order."""
    found: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for kind, *cells in changes:
        row = _row(cells, text)
        found[row[:key_columns]].append((kind, *row))
    return dict(found)


def difference(
    expected: Sequence[Change],
    got: Sequence[Change],
    key_columns: int,
    every_change: bool,
    text: bool = False,
) -> str | None:
    """Why `got` is not what was expected, or None. every_change: each key's changes must be the same,
    one by one; else only what is left counts, and that no change is invalid. text: cells are compared as
    text, not by value."""
    rows, invalid = folded(got, text)
    if invalid:
        return invalid
    wanted, _ = folded(expected, text)
    if rows != wanted:
        missing, extra = sorted((wanted - rows).elements()), sorted((rows - wanted).elements())
        return f"rows missing {missing}, too many {extra}"
    if every_change:
        here, there = (by_key(changes, key_columns, text) for changes in (got, expected))
        for key in sorted(here.keys() | there.keys()):
            if here.get(key) != there.get(key):
                return f"key {key}: expected {there.get(key)}, got {here.get(key)}"
    return None
