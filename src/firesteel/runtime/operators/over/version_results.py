"""Results of each row in each version of its partition (versions.py), and the changes to send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind
from firesteel.runtime.columns.equal_rows import equal_rows
from firesteel.runtime.columns.sorting import stable_order, stable_order_by
from firesteel.runtime.operators.over.results import Results
from firesteel.runtime.operators.over.versions import Versions
from firesteel.runtime.spec.over import SortedOverSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Sent:
    """c changes to send, in the order in which they are sent.

    Attributes:
        origins: int64[c], change of the batch that causes each.
        kinds: int8[c], row kinds.
        places: int64[c], place of the row that each change sends (`SortedRows`).
        results: Results of the calls, c rows each.
    """

    origins: Index
    kinds: NDArray[np.int8]
    places: Index
    results: list[pa.Array]


@dataclass(frozen=True)
class VersionRows:
    """e entries: each pair of a row and a version of its partition that contains the row.

    The entries are sorted by version, then by the place of the row (`SortedRows`). The position of an entry
    is its index in this order. `firsts` and `positions` find the entries of a row:

        entries (row, version)   0: (x, 1)  1: (y, 1)  2: (x, 2)  3: (y, 2)
        positions                0, 2, 1, 3   the entries of x, then those of y
        firsts                   0, 2         where x and y begin in `positions`

    Attributes:
        places: int64[e], place of the row of each entry.
        versions: int64[e], version of each entry.
        before: int64[e], position of the entry with the same row in the version before, -1 for none.
        firsts: int64[r], for each of the r rows in `Versions.rows`, the index of its first entry in
            `positions`.
        positions: int64[e], the positions of all entries, sorted by the place of the row, then by version.
    """

    places: Index
    versions: Index
    before: Index
    firsts: Index
    positions: Index

    @classmethod
    def of(cls, versions: Versions) -> VersionRows:
        counts = versions.past - versions.first
        firsts = np.cumsum(counts) - counts
        number = np.arange(versions.size) - np.repeat(firsts, counts)
        of_version = np.repeat(versions.first, counts) + number
        order = stable_order(of_version)
        positions = np.empty_like(order)
        positions[order] = np.arange(len(order))
        before = np.where(number > 0, np.concatenate([[-1], positions])[:-1], -1)
        places = np.repeat(versions.rows, counts)
        return cls(places[order], of_version[order], before[order], firsts, positions)

    def find(self, versions: Versions, places: Index, of_version: Index) -> Index:
        """Return the positions of some entries, each given by the place of its row and its version."""
        row = np.searchsorted(versions.rows, places)
        found: Index = self.positions[self.firsts[row] + of_version - versions.first[row]]
        return found


def results_of(
    spec: SortedOverSpec, rows: VersionRows, columns: Sequence[pa.Array], codes: Index
) -> list[pa.Array]:
    """Return the results of each row in each version, one array of e values for each call.

    Args:
        spec: Settings.
        rows: The e pairs of a row and a version that contains it.
        columns: Fields of the rows, by place.
        codes: Numbers that are equal for rows with equal sort keys, by place.
    """
    at, nothing = pa.array(rows.places), pa.array(np.zeros(len(rows.places), np.int64))
    constants = [pa.array([value], to_arrow(kind)).take(nothing) for value, kind in spec.constants]
    fields = [*(column.take(at) for column in columns), *constants, pa.array(rows.versions)]
    kinds = np.full(len(rows.places), RowKind.INSERT, np.int64)
    results = Results(spec.aggregate, memory_backend())
    if spec.rows:
        return results.after(fields, kinds, np.arange(len(rows.places)))
    code = codes[rows.places]
    new = (np.diff(code, prepend=-1) != 0) | (np.diff(rows.versions, prepend=-1) != 0)
    lasts = np.append(np.flatnonzero(new)[1:], len(new)) - 1
    peers = pa.array(np.cumsum(new) - 1)
    return [column.take(peers) for column in results.after(fields, kinds, lasts)]


def changes_of(
    versions: Versions, rows: VersionRows, results: Sequence[pa.Array], adds: Mask, kinds: NDArray[np.int8]
) -> Sent:
    """Return the changes to send for each change of the batch: its row, and rows whose results it changes.

    The changes to send for one change are sorted by place. A row whose result changes is sent as -U and +U.

    Args:
        versions: Versions of the partitions.
        rows: The e pairs of a row and a version that contains it.
        results: Results of each row in each version, e values for each call.
        adds: bool[n], which changes of the batch add a row.
        kinds: int8[n], their row kinds.
    """
    gives = adds[versions.changes]
    own = rows.find(versions, versions.places, np.where(gives, versions.of_change, _before(versions)))
    alike = equal_rows(results, len(rows.places))
    differ = np.flatnonzero((rows.before >= 0) & (alike != alike[rows.before]))
    origin = versions.changes[versions.origins[rows.versions[differ]]]
    own_kinds = np.where(gives, kinds[versions.changes], RowKind.DELETE).astype(np.int8)
    size = len(differ)
    origins = np.concatenate([versions.changes, origin, origin])
    places = np.concatenate([versions.places, rows.places[differ], rows.places[differ]])
    positions = np.concatenate([own, rows.before[differ], differ])
    all_kinds = np.concatenate(
        [
            own_kinds,
            np.full(size, RowKind.UPDATE_BEFORE, np.int8),
            np.full(size, RowKind.UPDATE_AFTER, np.int8),
        ]
    )
    order = stable_order_by(origins, places)
    at = pa.array(positions[order])
    return Sent(origins[order], all_kinds[order], places[order], [column.take(at) for column in results])


def _before(versions: Versions) -> Index:
    """Return the number of the version that each change ends, int64[k].

    A change that begins version v ends version v - 1. Each retraction begins a version. For an addition that
    extends a version, the result has no meaning.
    """
    return versions.of_change - 1
