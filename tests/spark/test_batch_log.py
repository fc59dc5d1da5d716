"""The last micro-batches of a job."""

from __future__ import annotations

import time

import pytest

from firesteel.runtime.dataflow.counters import Counters
from firesteel.spark.batch_log import KEPT, TASKS, WAITING, Totals
from firesteel.spark.progress import Progress


def test_a_batch_has_what_it_added_and_where_its_time_went() -> None:
    progress = Progress()
    begun = time.monotonic()
    progress.log.spend(WAITING)
    progress.chains = {0: [Counters(0, 5, 10), Counters(5, 5, 20)]}
    progress.read, progress.batch = 5, 7
    progress.log.spend(TASKS)
    progress.end_batch()
    progress.chains = {0: [Counters(0, 9, 16), Counters(9, 9, 21)], 1: [Counters(9, 9, 3)]}
    progress.read, progress.changes, progress.late, progress.batch = 9, 4, 1, 8
    progress.end_batch()
    first, second = progress.log
    assert (first.number, second.number) == (7, 8)
    assert first.counts == Totals(5)
    assert second.counts == Totals(4, 4, 1, 0)
    assert first.busy == {0: (10, 20)}
    assert second.busy == {0: (6, 1), 1: (3,)}
    assert list(first.spent) == ["waiting", "tasks", "delivery"]
    assert list(second.spent) == ["delivery"]
    assert first.seconds == pytest.approx(sum(first.spent.values()))
    assert first.seconds + second.seconds <= time.monotonic() - begun + 1


def test_the_last_batches_are_remembered() -> None:
    progress = Progress()
    for progress.batch in range(KEPT + 5):
        progress.end_batch()
    assert [batch.number for batch in progress.log] == list(range(5, KEPT + 5))
