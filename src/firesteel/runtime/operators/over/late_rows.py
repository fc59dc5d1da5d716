"""Decide which rows of an OVER aggregate with a bounded frame are late, by key.

Flink: RowTimeRowsBoundedPrecedingFunction, RowTimeRangeBoundedPrecedingFunction. Each row sets a timer of its
key at the row's time. A watermark at or above this time fires the timer. The state has, for each key, the
time of the last timer that has fired, 0 at first. A row is late if its time is not above this time. So a row
with a time below the watermark is still accepted if all fired timers of its key have earlier times.

For RANGE, a key also has a timer that drops its state. A row sets this timer to 1.5 * range + 1 milliseconds
after the row's time, unless the timer is already at range + 1 milliseconds after the row's time or later.
When the state is dropped, a new epoch of the key begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.operators.over.rows import Index, Mask
from firesteel.runtime.state.base import StateBackend

_NEVER = -(1 << 63)


@dataclass(frozen=True)
class CheckedRows:
    """Result of the check of a batch: accepted rows and ended epochs.

    Attributes:
        accepted: bool[n], whether each new row is accepted.
        epochs: int64[d + n], epochs of the d waiting rows that a watermark has passed, then of the new rows.
        left_keys: Key columns of the epochs that have ended, a row for each epoch.
        left_epochs: Numbers of the epochs that have ended.
    """

    accepted: Mask
    epochs: Index
    left_keys: tuple[pa.Array, ...]
    left_epochs: Index


@dataclass
class _Keyed:
    """State of g keys.

    Attributes:
        last: Time of the last timer of each key that has fired, 0 for none.
        forget: Time at which the state of the key is dropped, _NEVER for none.
        epoch: Epoch of the key.
    """

    last: Index
    forget: Index
    epoch: Index


class LateRowCheck:
    """Check for late rows, with its state.

    Args:
        backend: State of the operator.
        name: Name of the state.
        key_types: Types of the key columns.
        range: Frame size of a RANGE in milliseconds. None for ROWS, which never drops a key.
    """

    def __init__(
        self, backend: StateBackend, name: str, key_types: Sequence[pa.DataType], range: int | None
    ) -> None:
        self._range = range
        self._state = backend.value(name, key_types, [pa.int64()] * 3)
        self._timers = backend.times(f"{name}/forget", key_types) if range is not None else None

    def check(
        self, due_keys: Sequence[pa.Array], due: Index, keys: Sequence[pa.Array], times: Index,
            row_watermarks: Index,
        begin: int, end: int,
    ) -> CheckedRows:  # fmt: skip
        """Decide which new rows are late.

        Args:
            due_keys: Key columns of the waiting rows that a watermark of the batch passes.
            due: Times of these waiting rows.
            keys: Key columns of the new rows.
            times: int64[n], times of the new rows in arrival order.
            row_watermarks: int64[n], watermark when each new row came.
            begin: Watermark before the batch.
            end: Watermark after the batch.
        """
        # As in Flink, a timer fires only when the watermark rises, even if it was set for an earlier time.
        moves = end > begin
        rung = self._timers.take_until(end) if self._timers is not None and moves else None
        timers = np.zeros(0, np.int64) if rung is None else rung.times
        parts = [due_keys, keys] if rung is None else [due_keys, keys, rung.keys]
        found = find_keys(
            [pa.concat_arrays(each) for each in zip(*parts, strict=True)], len(due) + len(times) + len(timers)
        )
        run = _Run(found, self._load(found), due, times, row_watermarks, timers, (begin, end), self._range)
        run.check()
        if self._timers is not None:
            self._timers.put(found, np.array(run.timer_owners, np.int64), np.array(run.new_timers, np.int64))
        return self._saved(run, len(due))

    def _load(self, keys: Keys) -> _Keyed:
        last, forget, epoch = (
            column.fill_null(initial).to_numpy()
            for column, initial in zip(self._state.get(keys, 0).columns, (0, _NEVER, 0), strict=True)
        )
        return _Keyed(last.copy(), forget.copy(), epoch.copy())

    def _saved(self, run: _Run, due: int) -> CheckedRows:
        keys, known = run.keys, run.known
        gone = (known.forget == _NEVER) if self._range is not None else np.zeros(len(keys), np.bool_)
        columns = [pa.array(c) for c in (known.last, known.forget, known.epoch)]
        if len(keys):
            self._state.put(keys, np.arange(len(keys)), columns, 0, ~gone)
        ended = known.epoch - run.first_epoch + gone
        owners = np.repeat(np.arange(len(keys)), ended)
        numbers = np.arange(len(owners)) - np.repeat(np.cumsum(ended) - ended, ended)
        at = pa.array(owners)
        return CheckedRows(
            run.accepted, run.epochs, tuple(column.take(at) for column in keys.columns),
            run.first_epoch[owners] + numbers,
        )  # fmt: skip


class _Run:
    """Check of one batch for late rows.

    Arrays over the whole batch have, in this order: the waiting rows that a watermark passes, the new rows,
    and the due timers.
    """

    def __init__(
        self, keys: Keys, known: _Keyed, due: Index, times: Index, row_watermarks: Index, timers: Index,
        watermarks: tuple[int, int], range: int | None,
    ) -> None:  # fmt: skip
        self.keys, self.known = keys, known
        self.first_epoch = known.epoch.copy()
        self._due, self._times, self._row_watermarks, self._timers = due, times, row_watermarks, timers
        (self._begin, self._end), self._range = watermarks, range
        self._codes = keys.codes
        self._of_new = self._codes[len(due) : len(due) + len(times)]
        self.accepted = times > 0
        self.epochs = known.epoch[self._codes[: len(due) + len(times)]]
        self.timer_owners: list[int] = []
        self.new_timers: list[int] = []

    def check(self) -> None:
        behind = np.zeros(len(self.keys), np.bool_)
        behind[self._of_new[self.accepted & (self._times <= self._row_watermarks)]] = True
        behind |= (self.known.forget != _NEVER) & (self.known.forget <= self._begin)
        self._in_columns(~behind)
        for key in np.flatnonzero(behind).tolist():
            self._row_by_row(key)

    # --- keys whose rows and timers are all after the watermark ------------------------------------
    def _in_columns(self, clean: Mask) -> None:
        """Process the keys marked in `clean`, whose new rows are all accepted.

        Update the times of their last fired timers, and find the keys whose state is dropped.
        """
        known, due = self.known, len(self._due)
        if self._range is not None:
            self._set_timers(clean)
        fired = np.concatenate([self._due, self._times, self._timers])
        epochs = np.concatenate([self.epochs, self.first_epoch[self._codes[len(self.epochs) :]]])
        counts = clean[self._codes] & (fired <= self._end) & (epochs == known.epoch[self._codes])
        counts[due : due + len(self._times)] &= self.accepted
        np.maximum.at(known.last, self._codes[counts], fired[counts])
        if self._range is not None:
            gone = clean & (known.forget <= self._end)
            known.forget[gone] = _NEVER
            known.last[gone] = 0

    def _set_timers(self, clean: Mask) -> None:
        """Set the times at which keys are dropped, and the epochs of their rows.

        A pass of the loop processes, for all keys together, one row of each key: the next row that postpones
        the drop of the key or begins an epoch. Most rows do neither, so the passes are few.
        """
        assert self._range is not None
        known, range = self.known, self._range
        at = np.flatnonzero(self.accepted & clean[self._of_new])
        if not len(at):
            return
        by = at[stable_order(self._of_new[at])]
        owners, times, row_watermarks = self._of_new[by], self._times[by], self._row_watermarks[by]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        keys = owners[starts]
        ends = np.append(starts[1:], len(by))
        greatest = _running_max(times, starts)
        begins, rung = np.zeros(len(by), np.int64), np.full(len(by), _NEVER)
        forget, place = known.forget[keys], starts.copy()
        going = np.arange(len(keys))
        while len(going):
            wanted = np.where(forget[going] == _NEVER, _NEVER, forget[going] - range)
            place[going] = _first_at(greatest, wanted, place[going], ends[going])
            going = going[place[going] < ends[going]]
            here = place[going]
            begins[here] = (forget[going] != _NEVER) & (forget[going] <= row_watermarks[here])
            forget[going] = times[here] + int(range * 1.5) + 1
            later = forget[going] > self._end
            rung[here[~later]] = forget[going[~later]]
            self.timer_owners += keys[going[later]].tolist()
            self.new_timers += forget[going[later]].tolist()
            place[going] = here + 1
            going = going[place[going] < ends[going]]
        passed = np.cumsum(begins)
        passed -= (passed[starts] - begins[starts]).repeat(np.diff(np.append(starts, len(by))))
        self.epochs[len(self._due) + by] += passed
        last = ends - 1
        known.last[keys] = np.where(passed[last] > 0, 0, known.last[keys])
        newest = passed == passed[last].repeat(np.diff(np.append(starts, len(by))))
        np.maximum.at(known.last, owners[newest], rung[newest])
        known.epoch[keys] += passed[last]
        known.forget[keys] = forget

    # --- keys with a row or a timer at or before the watermark -------------------------------------
    def _row_by_row(self, key: int) -> None:
        """Process one key row by row, because whether a row is late depends on the rows before it."""
        known, due = self.known, len(self._due)
        clock = _KeyClock(
            int(known.last[key]), int(known.forget[key]), int(known.epoch[key]), self._begin, self._range
        )
        start = int(self.keys.starts[key])
        mine = self.keys.order[start : start + int(self.keys.counts[key])]
        of_new = (mine >= due) & (mine < due + len(self._times))
        rest = np.concatenate([self._due, self._times, self._timers])[mine[~of_new]]
        clock.pending = rest.tolist()
        heapify(clock.pending)
        for row in (mine[of_new] - due).tolist():
            clock.advance(int(self._row_watermarks[row]))
            taken = clock.take(int(self._times[row]))
            self.accepted[row] = taken
            self.epochs[due + row] = clock.epoch
        clock.advance(self._end)
        later = sorted(clock.timers)
        self.timer_owners += [key] * len(later)
        self.new_timers += later
        known.last[key], known.forget[key], known.epoch[key] = clock.last, clock.forget, clock.epoch


class _KeyClock:
    """State of one key while its rows are processed one by one, as in Flink's function."""

    def __init__(self, last: int, forget: int, epoch: int, watermark: int, range: int | None) -> None:
        self.last, self.forget, self.epoch = last, forget, epoch
        self._watermark = watermark
        self._range = range
        self.pending: list[int] = []
        self.timers: set[int] = set()
        """Timers set in this batch that have not fired."""

    def advance(self, watermark: int) -> None:
        """Fire the timers up to a watermark, if it is above the last one.

        So a timer that is set for a time before the last watermark fires only when the watermark rises.
        """
        if watermark <= self._watermark:
            return
        self._watermark = watermark
        while self.pending and self.pending[0] <= watermark:
            at = heappop(self.pending)
            self.timers.discard(at)
            if self.forget != _NEVER and self.forget <= at:
                self.last, self.forget = 0, _NEVER
                self.epoch += 1
            else:
                self.last = at

    def take(self, time: int) -> bool:
        """Add a row. Return False if it is late."""
        if time <= self.last:
            return False
        heappush(self.pending, time)
        if self._range is not None and (self.forget == _NEVER or self.forget < time + self._range + 1):
            self.forget = time + int(self._range * 1.5) + 1
            heappush(self.pending, self.forget)
            self.timers.add(self.forget)
        return True


def _running_max(times: Index, starts: Index) -> Index:
    """Return, for each row, the greatest time of its key so far. The rows are grouped by key."""
    segment = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(times)))
    least = int(times.min())
    span, numbers = int(times.max()) - least + 1, times - least
    values = None
    if len(starts) * span >= 1 << 62:
        values, numbers = np.unique(times, return_inverse=True)
        span = len(values)
    found: Index = np.maximum.accumulate(segment * span + numbers) - segment * span
    return found + least if values is None else values[found]


def _first_at(values: Index, wanted: Index, low: Index, high: Index) -> Index:
    """Return, for each of m ranges of ascending values, the first position with at least the wanted value."""
    low, high = low.copy(), high.copy()
    while True:
        open_ = low < high
        if not open_.any():
            return low
        middle = (low + high) // 2
        less = open_ & (values[np.minimum(middle, len(values) - 1)] < wanted)
        low = np.where(less, middle + 1, low)
        high = np.where(open_ & ~less, middle, high)
