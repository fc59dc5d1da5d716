"""Sessions in columns are those of a reference that takes one row after the other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MIN_WATERMARK
from firesteel.runtime.operators.window.sessions import LATE, Arrivals, OpenSessions, Sessions, assign

GAP = 5

Step = tuple[int, int, int]
"""A row's owner and time, and how far the watermark comes before it."""


class Reference:
    """Flink's rules, one row at a time."""

    def __init__(self) -> None:
        self.live: list[dict[str, Any]] = []
        self.fired: list[dict[str, Any]] = []

    def advance(self, mark: int) -> None:
        self.fired += [each for each in self.live if each["end"] - 1 <= mark]
        self.live = [each for each in self.live if each["end"] - 1 > mark]

    def add(self, owner: int, time: int, number: int, mark: int) -> None:
        self.advance(mark)
        mine = {"owner": owner, "start": time, "end": time + GAP, "rows": [number]}
        for each in [e for e in self.live if e["owner"] == owner]:
            if each["start"] <= time + GAP and each["end"] >= time:
                mine["start"], mine["end"] = min(each["start"], mine["start"]), max(each["end"], mine["end"])
                mine["rows"] += each["rows"]
                self.live.remove(each)
        if mine["end"] - 1 > mark:
            self.live.append(mine)

    def all(self) -> list[tuple[int, int, int, tuple[int, ...]]]:
        return sorted(
            (e["owner"], e["start"], e["end"], tuple(sorted(e["rows"]))) for e in self.fired + self.live
        )


steps = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(0, 9)), max_size=25)


def marks_of(rows: list[Step]) -> list[int]:
    mark, found = MIN_WATERMARK, []
    for _, time, move in rows:
        if move > 4:
            mark = max(mark, time - move)
        found.append(mark)
    return found


def numbers(values: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(values, np.int64)


def cut_and_assigned(rows: list[Step], cuts: set[int]) -> list[tuple[int, int, int, tuple[int, ...]]]:
    """The sessions where the rows come in pieces: what is open goes on to the next."""
    marks = marks_of(rows)
    open_sessions: list[tuple[int, int, int, tuple[int, ...]]] = []
    closed: list[tuple[int, int, int, tuple[int, ...]]] = []
    bounds = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for low, high in pairwise(bounds):
        part, standing = rows[low:high], marks[low:high]
        closed += [each for each in open_sessions if each[2] - 1 <= standing[0]]
        open_sessions = [each for each in open_sessions if each[2] - 1 > standing[0]]
        found = assign(
            Arrivals(numbers([r[0] for r in part]), numbers([r[1] for r in part]), numbers(standing)),
            OpenSessions(*(numbers([each[i] for each in open_sessions]) for i in range(3))),
            GAP,
        )
        open_sessions = list(told(found, low, open_sessions))
    return sorted(closed + open_sessions)


def told(
    found: Sessions, low: int, before: list[tuple[int, int, int, tuple[int, ...]]]
) -> list[tuple[int, int, int, tuple[int, ...]]]:
    rows: list[list[int]] = [[] for _ in found.starts]
    for number, of in enumerate(found.of_rows.tolist()):
        if of != LATE:
            rows[of].append(low + number)
    for known, of in zip(before, found.of_open.tolist(), strict=True):
        rows[of] += known[3]
    columns = (found.owners.tolist(), found.starts.tolist(), found.ends.tolist())
    assert (found.timers == found.ends - 1).all()
    return [(*each, tuple(sorted(mine))) for *each, mine in zip(*columns, rows, strict=True)]  # type: ignore[misc]


@settings(max_examples=400, deadline=None)
@given(steps, st.sets(st.integers(1, 25), max_size=4))
def test_any_cutting_gives_the_reference_s_sessions(rows: list[Step], cuts: set[int]) -> None:
    reference = Reference()
    for number, ((owner, time, _), mark) in enumerate(zip(rows, marks_of(rows), strict=True)):
        reference.add(owner, time, number, mark)
    assert cut_and_assigned(rows, cuts) == reference.all()


def test_end_to_end_is_together() -> None:
    """1, 6, 11 with a gap of 5."""
    none = numbers([])
    never = numbers([MIN_WATERMARK] * 3)
    rows = Arrivals(numbers([0, 0, 0]), numbers([1, 11, 6]), never)
    found = assign(rows, OpenSessions(none, none, none), GAP)
    assert (found.starts.tolist(), found.ends.tolist()) == ([1], [16])
