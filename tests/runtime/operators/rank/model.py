"""Ranks row by row on plain lists, as Flink's functions send them: what the operator is compared with.

A row is (partition, id, value). A sent change is (kind, *row), with its rank behind if that is an output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from tests.runtime.changes import Row

Sent = Iterator[tuple[str, tuple[Any, ...], int]]


class RankModel:
    """The rows of all partitions, each sorted by sort key and arrival.

    Args:
        spec: Settings.
        sort_key: Returns what a row is sorted by.
    """

    def __init__(self, spec: RankSpec, sort_key: Callable[[Row], Any]) -> None:
        self._spec = spec
        self._key = sort_key
        self._partitions: dict[Any, list[Row]] = {}

    def send(self, changes: Iterable[Row]) -> list[Row]:
        """Return what some changes cause."""
        spec, out = self._spec, []
        for kind, *values in changes:
            row = tuple(values)
            name = tuple(row[i] for i in spec.partition)
            rows = self._partitions.setdefault(name, [])
            end = spec.end
            assert end is not None
            before = rows[spec.start - 1 : end]
            sent_by_ranks = list(self._one(rows, kind in ("+I", "+U"), row, end))
            if spec.start > 1 and not (spec.with_number or spec.emit_update_before):
                out += self._net(before, rows[spec.start - 1 : end])
                continue
            for sent, content, rank in sent_by_ranks:
                if sent == "-U" and not spec.emit_update_before:
                    continue
                if not spec.shifts:
                    out.append((sent, *content))
                elif spec.start <= rank <= end:
                    out.append((sent, *content, *([rank] if spec.with_number else [])))
        return out

    def _net(self, before: list[Row], after: list[Row]) -> Iterator[Row]:
        """How the rows of the range differ, for a table by their key."""
        old, new = ({self._name(row): row for row in rows} for rows in (before, after))
        yield from (("-D", *row) for name, row in old.items() if name not in new)
        yield from (("+I", *row) for name, row in new.items() if name not in old)
        yield from (("+U", *row) for name, row in new.items() if name in old and old[name] is not row)

    def _name(self, row: Row) -> Any:
        """What tells a row from others: its key, or itself."""
        return tuple(row[i] for i in self._spec.row_key) if self._spec.row_key else id(row)

    def left(self) -> list[Row]:
        """Return the rows that a batch query answers."""
        found = []
        for rows in self._partitions.values():
            for rank, row in enumerate(rows, 1):
                if self._spec.start <= rank <= (self._spec.end or 0):
                    found.append((*row, *([rank] if self._spec.with_number else [])))
        return found

    def _one(self, rows: list[Row], adds: bool, row: Row, end: int) -> Sent:
        if self._spec.strategy is RankStrategy.UPDATE:
            return self._update(rows, row, end) if adds else iter(())
        return self._add(rows, row, end) if adds else self._take(rows, row, end)

    def _add(self, rows: list[Row], row: Row, end: int) -> Sent:
        at = self._insert(rows, row)
        if at < end:
            if self._spec.shifts:
                yield from self._shift_down(rows, at, end)
            elif len(rows) > end and self._spec.is_top1 and self._spec.strategy is not RankStrategy.RETRACT:
                yield from (("-U", rows[end], 1), ("+U", row, 1))
            else:
                if len(rows) > end:
                    yield "-D", rows[end], 1
                yield "+I", row, 1
        if self._spec.strategy is not RankStrategy.RETRACT:
            del rows[max(end, 0) :]

    def _shift_down(self, rows: list[Row], at: int, end: int) -> Sent:
        for place in range(at, min(end, len(rows) - 1)):
            yield "-U", rows[place + 1], place + 1
            yield "+U", rows[place], place + 1
        if len(rows) <= end:
            yield "+I", rows[-1], len(rows)

    def _take(self, rows: list[Row], row: Row, end: int) -> Sent:
        at = next((i for i, each in enumerate(rows) if repr(each) == repr(row)), None)
        if at is None:
            return
        row = rows.pop(at)
        if at >= end:
            return
        if not self._spec.shifts:
            yield "-D", row, 1
            if len(rows) >= end:
                yield "+I", rows[end - 1], 1
            return
        leaving = row
        for place in range(at, min(end, len(rows))):
            yield "-U", leaving, place + 1
            yield "+U", rows[place], place + 1
            leaving = rows[place]
        if len(rows) < end:
            yield "-D", leaving, len(rows) + 1

    def _update(self, rows: list[Row], row: Row, end: int) -> Sent:
        name = [row[i] for i in self._spec.row_key]
        old = next((i for i, each in enumerate(rows) if [each[k] for k in self._spec.row_key] == name), None)
        if old is None:
            yield from self._add(rows, row, end)
            return
        before = rows[old]
        if self._key(before) == self._key(row):
            rows[old] = row
            yield from (("-U", before, old + 1), ("+U", row, old + 1))
            return
        rows.pop(old)
        new = self._insert(rows, row)
        if not self._spec.shifts or new == old:
            yield from (("-U", before, old + 1), ("+U", row, old + 1))
        elif new < old:
            yield "-U", rows[new + 1], new + 1
            yield "-U", before, old + 1
            yield "+U", row, new + 1
            for place in range(new + 1, old):
                yield "-U", rows[place + 1], place + 1
                yield "+U", rows[place], place + 1
            yield "+U", rows[old], old + 1
        else:
            yield "-U", before, old + 1
            for place in range(old, new):
                yield "-U", rows[place], place + 2
                yield "+U", rows[place], place + 1
            yield "+U", row, new + 1

    def _insert(self, rows: list[Row], row: Row) -> int:
        key = self._key(row)
        at = sum(not key < self._key(each) for each in rows)
        rows.insert(at, row)
        return at
