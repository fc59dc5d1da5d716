"""The rows that are left after changes: what a batch query would answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class RowsLeft:
    """Folds changes as they come. A row is left as often as it was added and not taken away."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._seen = 0

    def apply(self, changes: Iterable[tuple[str, ...]]) -> None:
        """Take in changes: row kind and cells, as a result's texts() gives them."""
        for kind, *cells in changes:
            row = tuple(cells)
            if kind in ("+I", "+U"):
                self._places.setdefault(row, []).append(self._seen)
            else:
                places = self._places[row]
                places.pop()
                if not places:
                    del self._places[row]
            self._seen += 1

    def places(self) -> list[int]:
        """Which of the changes added the rows that are left, in their order."""
        return sorted(place for places in self._places.values() for place in places)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """The rows, in the order in which they came last."""
        for row, places in self._places.items():
            for _ in places:
                yield row
