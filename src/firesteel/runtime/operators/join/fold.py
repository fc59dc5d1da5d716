"""Folding of a bundle of changes before the join: changes that cancel out are dropped. Flink: BufferBundle.

If the input has a unique key, at most two changes of each key are left: one removes the old row, one adds the
last row. In the examples, a is the key, and the number is the value of another column:

    -U a1  +U a2  -U a2  +U a3   ->   -U a1  +U a3
    +I a1  -U a1  +U a2          ->   +U a2
    +I a1  -D a1                 ->
    -U a1  +U a2  -D a2          ->   -D a1

Without a unique key, an added row and a later removal of an equal row cancel out:

    +I a  +I b  -D a  +I a       ->   +I b  +I a

A -U whose +U is dropped becomes -D, as in the last example with a unique key. After a -U, a sink may keep the
old row, because it expects a +U.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.sequence import attributed
from firesteel.runtime.operators.join.delta import Index, Mask, added
from firesteel.runtime.spec.join import JoinInput


def fold(changes: pa.Table, side: JoinInput) -> tuple[pa.Table, Mask]:
    """Return the changes of a bundle that are left, in their order, and which of them remove a replaced row.

    Args:
        changes: Changes table of one input, with the old row of each update.
        side: The input.

    Returns:
        m changes, and bool[m]: whether a change removes a row and the next change adds a row with the same
        unique key. All False if the input has no unique key.
    """
    adds = added(changes)
    if side.unique_key is None:
        kept = _not_taken_back(_groups(changes, range(len(side.types))), adds)
        left = changes.take(pa.array(kept))
        lone = _lone_updates(_groups(left, side.keys), left.column(KIND).to_numpy())
        return _as_deletes(left, lone), np.zeros(len(kept), np.bool_)
    goes, comes = _first_and_last(_unique_keys(changes, side), adds)
    both = (goes >= 0) & (comes >= 0)
    origins = np.arange(len(adds))
    # The removal of a replaced row moves directly before the change that adds the row's replacement.
    origins[goes[both]] = comes[both]
    gone, come = goes[goes >= 0], comes[comes >= 0]
    kept = np.concatenate([gone, come])
    kept = kept[np.argsort(origins[kept], kind="stable")]
    replaced = np.zeros(len(adds), np.bool_)
    replaced[goes[both]] = True
    left = attributed(_with_deletes(changes, goes, comes), origins).take(pa.array(kept))
    return left, replaced[kept]


def has_nothing_to_fold(changes: pa.Table, side: JoinInput) -> bool:
    """Return whether the changes only add rows and have different unique keys, so `fold` would keep all."""
    if not added(changes).all():
        return False
    if side.unique_key is None:
        return True
    return bool(len(_unique_keys(changes, side)) == changes.num_rows)


def _unique_keys(changes: pa.Table, side: JoinInput) -> Keys:
    assert side.unique_key is not None
    return _groups(changes, dict.fromkeys((*side.keys, *side.unique_key)))


def _groups(changes: pa.Table, columns: Iterable[int]) -> Keys:
    arrays = [one_array(changes.column(field(i))) for i in columns]
    return find_keys(arrays, changes.num_rows)


def _first_and_last(groups: Keys, adds: Mask) -> tuple[Index, Index]:
    """Return for each unique key the change that removes its old row and the change that adds its last row.

    A removal is not that of the old row if the change before it with the same unique key is an addition: it
    removes the added row, and both changes are dropped. If the last change of a key is a removal, no change
    adds a last row.

    Args:
        groups: The g unique keys of n changes.
        adds: bool[n], whether each change adds a row.

    Returns:
        Positions of the changes, int64[g] each, -1 for none.
    """
    in_group = adds[groups.order]
    takes_back = np.concatenate([[False], in_group[:-1]])
    takes_back[groups.starts] = False
    places = np.where(in_group | takes_back, -1, np.arange(len(adds)))
    first = np.maximum.reduceat(places, groups.starts) if len(groups) else places
    last = groups.starts + groups.counts - 1
    goes = np.where(first >= 0, groups.order[first], -1)
    return goes, np.where(in_group[last], groups.order[last], -1)


def _with_deletes(changes: pa.Table, goes: Index, comes: Index) -> pa.Table:
    """Return the changes, with the kind -D for the removal of an old row that no +U replaces.

    Args:
        changes: The changes, with g unique keys.
        goes: int64[g], position of the change that removes the old row of each unique key, -1 for none.
        comes: int64[g], position of the change that adds the last row of each unique key, -1 for none.
    """
    kinds = changes.column(KIND).to_numpy()
    updated = (comes >= 0) & (kinds[comes] == RowKind.UPDATE_AFTER)
    return _as_deletes(changes, goes[(goes >= 0) & ~updated])


def _as_deletes(changes: pa.Table, places: Index) -> pa.Table:
    """Return the changes, with the kind -D at some positions."""
    if not len(places):
        return changes
    kinds = changes.column(KIND).to_numpy().copy()
    kinds[places] = RowKind.DELETE
    return changes.set_column(changes.schema.get_field_index(KIND), KIND, pa.array(kinds))


def _lone_updates(groups: Keys, kinds: Index) -> Index:
    """Return the position of each -U without its +U, int64[m].

    The -U and +U of one join key (`groups`) are paired like opening and closing parentheses. The level is the
    number of -U minus the number of +U so far. A -U has its +U exactly if the level later falls below the
    level right after this -U. If the rows a, b and c have one join key:

        -U a  -U b  +U c  ->  -U a is alone
    """
    ordered = kinds[groups.order]
    opens = ordered == RowKind.UPDATE_BEFORE
    levels = np.cumsum(opens.astype(np.int64) - (ordered == RowKind.UPDATE_AFTER))
    group = np.repeat(np.arange(len(groups)), groups.counts)
    # A level is a number of -U minus a number of +U. The levels of each group are moved above those of all
    # earlier groups, so that the minimum over all later levels ignores later groups.
    levels += group * (2 * len(kinds) + 1)
    lowest = np.minimum.accumulate(levels[::-1])[::-1]
    behind = np.append(lowest[1:], np.iinfo(np.int64).max)
    return np.sort(groups.order[opens & (behind >= levels)])


def _not_taken_back(groups: Keys, adds: Mask) -> Index:
    """Return the changes that no later change of an equal row cancels, int64[m], ascending.

    The level of a group of equal rows is its number of additions minus its number of removals so far. If the
    final level is n > 0, n additions stay: for each of the levels 1 to n, the last addition that leads to
    this level. If it is -n, n removals stay: for each of the levels -1 to -n, the last removal that leads to
    this level.

        change   +a  -a  +a  +a  -a
        level     1   0   1   2   1   ->  the second +a stays
    """
    signs = np.where(adds, 1, -1)[groups.order]
    sums = np.cumsum(signs)
    base = sums[groups.starts] - signs[groups.starts]
    levels = sums - np.repeat(base, groups.counts)
    ends = np.repeat(levels[groups.starts + groups.counts - 1], groups.counts)
    reached = np.flatnonzero((signs * levels > 0) & (levels * ends > 0) & (np.abs(levels) <= np.abs(ends)))
    heights = groups.sorted_codes[reached] * (len(adds) + 1) + np.abs(levels[reached])
    last = len(reached) - 1 - np.unique(heights[::-1], return_index=True)[1]
    return np.sort(groups.order[reached[last]])
