"""The rows of a job that is upgraded (upgrade_run.py), as lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

_FIRST = datetime(2026, 1, 1)


@dataclass(frozen=True)
class Shape:
    """How rows are made. Row i depends on i alone.

    Attributes:
        names: Bound of the number of names.
        per_second: Rows of one second of event time.
        step: How the counts go on from row to row; no multiple of 23.
        rows_per_batch: Most rows of a micro-batch, also of one that an upgrade reads again.
    """

    names: int = 7
    per_second: int = 1
    step: int = 5
    rows_per_batch: int = 7

    @classmethod
    def of(cls, rows: int, seed: int) -> Shape:
        """Return a shape for so many rows: some twenty of each name and a second, three micro-batches."""
        return cls(max(7, rows // 20), max(1, rows // 50_000), 1 + seed % 22, max(7, rows // 3))

    def sale(self, i: int) -> str:
        """Return row i of `sales`."""
        time = _FIRST + timedelta(seconds=i // self.per_second)
        values = f'"id": {i}, "name": "n{i * i % self.names}", "cnt": {i * self.step % 23}'
        return f'{{{values}, "ts": "{time}"}}'

    def teams(self) -> Iterator[str]:
        """Yield the rows of `names`. Some names of sales are not there."""
        for i in range(self.names * 5 // 7):
            yield f'{{"name": "n{i}", "team": "t{i % 2}"}}'

    def stock(self, i: int) -> Iterator[str]:
        """Yield messages about row i: it is added, and now and then an earlier one changes or goes."""
        yield f'{{"before": null, "after": {self._item(i, i % 10)}, "op": "c"}}'
        if i % 3 == 2:
            old = self._item(i - 1, (i - 1) % 10)
            yield f'{{"before": {old}, "after": {self._item(i - 1, 50 + i)}, "op": "u"}}'
            yield f'{{"before": {self._item(i - 2, (i - 2) % 10)}, "after": null, "op": "d"}}'

    def _item(self, i: int, count: int) -> str:
        return f'{{"id": {i}, "name": "n{i % self.names}", "cnt": {count}}}'


SMALL = Shape()
