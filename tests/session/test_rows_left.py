"""Folding changes into the rows that are left."""

from __future__ import annotations

from firesteel.session.rows_left import RowsLeft


def test_rows_left_are_those_that_no_change_takes_away() -> None:
    changes = [
        ("+I", "a", "1"),
        ("+I", "b", "1"),
        ("+I", "b", "1"),
        ("-U", "a", "1"),
        ("+U", "a", "2"),
        ("-D", "b", "1"),
    ]
    rows = RowsLeft()
    rows.apply(iter(changes))
    assert list(rows) == [("b", "1"), ("a", "2")]
    assert rows.places() == [1, 4]
