"""Oldest time of a state whose entries are sorted by time."""

from __future__ import annotations

import re

import numpy as np

from firesteel.runtime.state.levels import Level, Levels
from firesteel.runtime.state.runs import bounds
from firesteel.runtime.state.sliced import time_of_word
from firesteel.runtime.state.times import times_of

_SLICED = re.compile(r"map by slices of (\d+) ms")


def oldest_time(kind: str, levels: Levels) -> int | None:
    """Return the least time of a state, in milliseconds.

    The first word of an entry holds its time or slice, and entries are sorted by it. So only the first entry
    of each level matters. For a time state, the run of this entry is loaded, if needed: the operator reads
    its first entries anyway. Runs of a sliced state may be large, so they are not loaded: the manifest has
    the first word of each run. An entry that was deleted counts until a merge drops it.

    Args:
        kind: Kind of the state, as a manifest has it.
        levels: Levels of the state.

    Returns:
        For a time state the time, for a sliced state the beginning of the slice. None if the state is empty
        or has another kind.
    """
    slices = _SLICED.fullmatch(kind)
    if slices is None and kind != "time":
        return None
    find = _first_word if slices is None else _first_slice
    words = [word for level in levels.levels if (word := find(levels, level)) is not None]
    if not words:
        return None
    if slices is not None:
        return time_of_word(min(words), int(slices[1]))
    return int(times_of(np.array([min(words)], np.uint64))[0])


def _first_word(levels: Levels, level: Level) -> int | None:
    """Return the first word of a level's first entry; None if the level has no entry."""
    for piece in level:
        run = levels.run(piece)
        start, stop = bounds(run, piece.low, piece.high)
        if start < stop:
            return int(run.words[0][start])
    return None


def _first_slice(levels: Levels, level: Level) -> int | None:
    """Return the first word of a level's first entry, which begins with the entry's slice. None for no entry.

    If the run is not in memory, the word comes from the manifest. The manifest of an earlier version lacks
    the word: the run is then read. If the lower bound of the piece cuts off the run's first entry, the result
    is the first word of this bound. The first entry that is left may have a greater word.
    """
    for piece in level:
        if piece.low >= piece.high or not piece.rows:
            continue
        if piece.run is None and piece.first is not None:
            return max(piece.first, piece.low >> 64)
        word = _first_word(levels, [piece])
        if word is not None:
            return word
    return None
