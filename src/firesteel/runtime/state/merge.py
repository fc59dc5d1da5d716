"""Merge sorted runs, keeping the newest version of each entry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.runtime.state.runs import Index, Mask, Run
from firesteel.runtime.state.sort import run_order


def merge(runs: Sequence[Run], bottom: bool, expiry: int | None) -> Run:
    """Return one run from several, given newest first.

    Args:
        runs: The runs, newest first.
        bottom: Whether no older run lies below. Then tombstones and expired entries are dropped.
        expiry: Entries written at or before this time (milliseconds) have expired. None if nothing expires.
    """
    joined = concat(runs) if len(runs) > 1 else runs[0]
    keep: Index | None = None
    if len(runs) > 1:
        order = run_order(joined)
        keep = order[first_of_each(joined, order)]
    if bottom:
        index = np.arange(len(joined)) if keep is None else keep
        there = joined.there(index, expiry)
        if not there.all():
            keep = index[there]
    merged = joined if keep is None else joined.take(keep)
    if bottom or (merged.live is not None and merged.live.all()):
        return Run(merged.words, merged.columns, None, merged.time, merged.tail)
    return merged


def first_of_each(run: Run, order: Index) -> Mask:
    """Return which positions of `order` have the newest version of an entry, bool[n].

    `run` has the entries of several runs, those of newer runs first. `order` is a stable sort order of them.
    So the newest version of an entry comes first.
    """
    same = np.ones(max(0, len(order) - 1), np.bool_)
    for word in run.words:
        ordered = word[order]
        same &= ordered[1:] == ordered[:-1]
    if run.tail:
        alike = np.flatnonzero(same)
        tails = run.columns[0]
        equal = pc.equal(tails.take(pa.array(order[alike])), tails.take(pa.array(order[alike + 1])))
        same[alike] = equal.to_numpy(zero_copy_only=False)
    first = np.concatenate([np.ones(min(1, len(order)), np.bool_), ~same])
    if not run.tail and len(run.words) > 1 and _shared(run, order, same):
        return _first_by_all_words(run, order)
    return first


def _shared(run: Run, order: Index, same: Mask) -> bool:
    """Return whether two neighbors in `order` are different entries with equal sorting words.

    The sorting words are the first two words of an entry, or only the first if it has two words in all. If
    the entries A and B have equal sorting words, `order` may have B between two versions of A. Then a
    comparison of neighbors does not find the older version of A:

        order   version 2 of A, B, version 1 of A

    Args:
        run: The entries.
        order: Their order by sorting words.
        same: bool[n - 1], whether all words of neighbors in `order` are equal.
    """
    sorting = 2 if len(run.words) > 2 else 1
    alike = np.ones(len(same), np.bool_)
    for word in run.words[:sorting]:
        ordered = word[order]
        alike &= ordered[1:] == ordered[:-1]
    return bool(np.any(alike & ~same))


def _first_by_all_words(run: Run, order: Index) -> Mask:
    """Return which positions of `order` have the newest version of an entry, by a sort over all words.

    This is needed if two keys or sub-keys have an equal hash of 64 bits, which is rare (`_shared`).
    """
    words = [word[order] for word in run.words]
    by_all = np.lexsort(words[::-1])
    new = np.ones(len(order), np.bool_)
    new[1:] = np.any([word[by_all][1:] != word[by_all][:-1] for word in words], axis=0)
    first = np.zeros(len(order), np.bool_)
    first[by_all[new]] = True
    return first


def concat(runs: Sequence[Run]) -> Run:
    """Return the entries of all runs, one run after the other."""
    words = tuple(np.concatenate(word) for word in zip(*(run.words for run in runs), strict=True))
    columns = tuple(pa.concat_arrays(column) for column in zip(*(run.columns for run in runs), strict=True))
    live = None
    if any(run.live is not None for run in runs):
        live = np.concatenate([np.ones(len(r), np.bool_) if r.live is None else r.live for r in runs])
    time = None
    if any(run.time is not None for run in runs):
        time = np.concatenate([np.zeros(len(r), np.int64) if r.time is None else r.time for r in runs])
    return Run(words, columns, live, time, runs[0].tail)
