"""CurrentTopN, the current rows of each Top-N, and a batch's changes to them in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firesteel.kernels.rank import ROOM, ROW, process_rows, settings_of
from firesteel.kernels.rank_updates import process_updates
from firesteel.kernels.types import Words, given
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.operators.rank.rank_places import RankPlaces
from firesteel.runtime.spec.rank import RankSpec, RankStrategy

Index = NDArray[np.int64]
Sent = NDArray[np.int64]
"""p changes to send, int64[p, 4].

Columns: number of the input row that causes the change; row kind; number of the row whose fields are sent
(the input rows of the batch are numbered first, then the stored rows); rank.
"""

PIECE = 1 << 18
"""Number of changes that are computed at once. It may be exceeded if one input row shifts a large Top-N."""


@dataclass(frozen=True)
class CurrentTopN:
    """Current rows of the Top-N of each of g keys, among s places (RankPlaces). Kernels update the arrays.

    Attributes:
        words: uint64[w], the set of the places of the current rows, as bits (kernels/places.py). Level 0 has
            one bit for each of the s places, each higher level one bit for each word of the level below.
        levels: int64[k], where each of the k levels begins in `words`.
        last: int64[g], place of the last row of each Top-N, -1 for none.
        sizes: int64[g], number of current rows.
        ends: int64[g], N of each key.
        rows: int64[s], number of the row whose fields each place has now. An update can change it.
    """

    words: Words
    levels: Index
    last: Index
    sizes: Index
    ends: Index
    rows: Index

    @classmethod
    def of(cls, places: RankPlaces, ends: Index) -> CurrentTopN:
        """Return the Top-N of each key before the first input row.

        Args:
            places: Places of the stored rows and the input rows.
            ends: int64[g], N of each key.
        """
        sizes = places.stored_sizes(len(ends))
        return cls(*places.stored_set(), places.last_of(sizes, ends), sizes, ends, places.rows.copy())

    def most(self, places: RankPlaces) -> int:
        """Return an upper bound of the changes to send for one input row, which may shift a whole Top-N."""
        rows = int(np.bincount(places.owners).max(initial=0))
        return 2 * (min(int(self.ends.max(initial=0)), rows) + 1) + 4


def changes_of_rows(
    spec: RankSpec, places: RankPlaces, current: CurrentTopN, alike: Index | None
) -> Iterator[Sent]:
    """Yield the changes to send for input rows, each of which adds a row or retracts an equal row.

    Args:
        spec: Settings.
        places: n input rows and m stored rows.
        current: The Top-N of each key, updated in place before each yield.
        alike: int64[n + m], equal numbers for equal rows. None if no row is retracted.
    """
    none = np.zeros(0, np.int64)
    heads, tails, members, values = none, none, none, none
    if alike is not None:
        values = alike
        members = _members(places, values)
        counts = np.bincount(values[places.rows], minlength=int(values.max()) + 1)
        heads = np.cumsum(counts) - counts
        tails = heads + np.bincount(values[places.inputs :], minlength=len(counts))
    inputs = places.inputs
    settings = _settings(spec)
    read = given(
        places.slots[:inputs],
        current.rows,
        places.owners[:inputs],
        current.ends,
        values[:inputs],
        members,
        settings,
    )
    updated = (current.words, current.levels, current.last, current.sizes, heads, tails)
    yield from _pieces(
        lambda out, progress: process_rows(out, progress, *updated, *read), inputs, current.most(places)
    )


def changes_of_updated_rows(
    spec: RankSpec, places: RankPlaces, current: CurrentTopN, identities: Index
) -> Iterator[Sent]:
    """Yield the changes to send for input rows, each of which adds a row or replaces the row with its key.

    Args:
        spec: Settings.
        places: n input rows and m stored rows.
        current: The Top-N of each key, updated in place before each yield.
        identities: int64[n + m], equal numbers for rows with equal row keys.
    """
    inputs, of_places = places.inputs, identities[places.rows]
    by_row_key = np.full(int(identities.max(initial=-1)) + 1, -1, np.int64)
    by_row_key[identities[inputs:]] = places.slots[inputs:]
    settings = _settings(spec)
    read = given(
        places.slots[:inputs], places.owners[:inputs], current.ends, places.codes, of_places, settings
    )
    updated = (current.words, current.levels, current.last, current.sizes, current.rows, by_row_key)
    yield from _pieces(
        lambda out, progress: process_updates(out, progress, *updated, *read), inputs, current.most(places)
    )


def _settings(spec: RankSpec) -> Index:
    """Return the settings of the kernels that update the Top-N, int64[6] (kernels/rank.py: settings_of).

    The last setting, `drops`, is 1 if there is an offset, and the output has neither rank numbers nor -U. The
    kernel then sends only the row that enters the range of ranks, and -D for the row that leaves it. The sink
    upserts by the row key, so it needs this -D. Flink sends an update for each shifted rank instead, which
    leaves the row in the sink, or deletes another row.
    """
    inserts, retracts = spec.strategy is RankStrategy.APPEND, spec.strategy is RankStrategy.RETRACT
    drops = spec.start > 1 and not (spec.with_number or spec.emit_update_before)
    return settings_of(
        spec.start, inserts, spec.shifts, spec.emit_update_before, spec.is_top1 and not retracts, drops
    )


def _pieces(step: Callable[[Sent, Index], None], rows: int, most: int) -> Iterator[Sent]:
    """Call a kernel until it has processed all rows, and yield the changes that it writes.

    Args:
        step: The kernel. It writes changes to its first argument. In its second argument, it counts the
            processed input rows and the written changes.
        rows: Number of input rows.
        most: Upper bound of the changes of one input row.
    """
    progress = np.zeros(2, np.int64)
    while progress[ROW] < rows:
        out = np.empty((max(PIECE, most), 4), np.int64)
        step(out, progress)
        if progress[ROOM]:
            yield out[: progress[ROOM]]


def _members(places: RankPlaces, alike: Index) -> Index:
    """Return the places sorted by the content of their rows (`alike`), then by arrival.

    Equal rows have equal sort keys, so their places are sorted by arrival already.
    """
    return stable_order_by(alike[places.rows])
