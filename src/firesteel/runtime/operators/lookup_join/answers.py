"""Choice between the stored and the new answer of a lookup for each change of a batch.

A key consists of the columns that identify an input row. Rows with the same key are copies of one row. They
share one answer, which is stored as long as a copy is left. After the retraction of the last copy, the answer
is dropped, and the next copy is looked up again. A retraction of a missing row changes nothing.

Take the changes of one key in a batch: an addition counts +1, a retraction -1. If the key has c copies before
the batch, the number of its copies before change i is

    x[i] - min(0, x[0], .., x[i])    with    x[i] = c + sum of the key's changes before i

Change i gets the stored answer if all of x[0], .., x[i] are above 0: a copy was always left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.operators.lookup_join.lookup import Index

T = TypeVar("T", bound=np.generic)

_APART = 1 << 40
"""Number that is greater than any number of copies. It separates the values of different keys."""


@dataclass(frozen=True)
class Answers:
    """Choice of the answer of the lookup for each of n changes, which have g keys.

    Attributes:
        is_kept: bool[n], whether a change gets the stored answer.
        source: int64[n], number of the change whose looked-up answer each change gets. -1 for a change with
            the stored answer, and for a retraction of a missing row.
        counts: int64[g], number of copies of each key after the batch.
        last: int64[g], number of the change whose answer is stored for each key. -1 if the stored answer does
            not change, or no copies are left.
    """

    is_kept: NDArray[np.bool_]
    source: Index
    counts: Index
    last: Index


def answers_of(keys: Keys, counts: Index, adds: NDArray[np.bool_], replaces: bool) -> Answers:
    """Return whether each change of a batch gets the stored answer of the lookup or a new one.

    Args:
        keys: Keys of the n changes.
        counts: int64[g], copies of each key before the batch.
        adds: bool[n], whether a change adds a row.
        replaces: Whether an added row replaces the row that its key has.
    """
    order, codes = keys.order, keys.sorted_codes
    added = adds[order]
    place = np.arange(len(order), dtype=np.int64)
    newest = _last(added, keys)
    ends = keys.starts + keys.counts - 1
    if replaces:
        taken = np.where(added, -1, _last(~added, keys, before=True))
        is_old = ~added & (newest < 0) & (taken < 0) & (counts[codes] > 0)
        left = added[ends].astype(np.int64)
        source = np.where(added, place, np.where(is_old | (taken > newest), -1, newest))
        renewed = left > 0
    else:
        copies, low = _copies(keys, counts[codes], added)
        is_old = low > 0
        source = np.where(is_old, -1, np.where(added, place, np.where(copies > 0, newest, -1)))
        left = np.maximum(copies[ends] + np.where(added[ends], 1, -1), 0)
        renewed = (left > 0) & ~is_old[ends]
    return Answers(
        _unsorted(is_old, order),
        _unsorted(np.where(source >= 0, order[source], -1), order),
        left,
        np.where(renewed, order[newest[ends]], -1),
    )


def _copies(keys: Keys, counts: Index, added: NDArray[np.bool_]) -> tuple[Index, Index]:
    """Return for each change the number of copies of its key before it, and min(x[0], .., x[i]).

    x[i] is `counts` plus the changes (+1 or -1) of the key before change i. It also counts retractions of
    missing rows, so it may fall below 0. The number of copies, x[i] - min(0, x[0], .., x[i]), does not.
    """
    steps = np.where(added, 1, -1)
    before = np.cumsum(steps) - steps
    x = counts + before - before[keys.starts][keys.sorted_codes]
    apart = keys.sorted_codes * _APART  # All values of a key are below those of the key before.
    low = np.minimum.accumulate(x - apart) + apart
    return x - np.minimum(low, 0), low


def _last(marked: NDArray[np.bool_], keys: Keys, before: bool = False) -> Index:
    """Return for each change the position of the last marked change of its key so far, -1 for none.

    The argument `marked`, the result and its positions are in the order of the changes sorted by key.

    Args:
        marked: bool[n], whether a change is marked.
        keys: Keys of the changes.
        before: Whether to look only before each change, instead of up to and including the change.
    """
    place = np.arange(len(marked), dtype=np.int64)
    found = np.maximum.accumulate(np.where(marked, place, -1))
    if before:
        found = np.concatenate([[-1], found[:-1]])
    return np.where(found >= keys.starts[keys.sorted_codes], found, -1)


def _unsorted(values: NDArray[T], order: Index) -> NDArray[T]:
    """Return the values of changes that `order` has sorted by key, in the order of the batch again."""
    found = np.empty_like(values)
    found[order] = values
    return found
