"""The end of a batch on the driver: rows count as sent once a sink has committed them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE
from firesteel.connectors.base import Commits
from firesteel.errors import JobError
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import CHANGES, FIRST, WRITTEN, Packet, write_ipc
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark import delivery
from firesteel.spark.delivery import Delivery
from firesteel.spark.progress import Progress


class Recorded:
    """A sink that keeps what was counted when it committed."""

    on_driver = False

    def __init__(self, commits: Commits, progress: Progress, *, fails: bool) -> None:
        self.commits = commits
        self._progress = progress
        self._fails = fails
        self.counted: list[int] = []

    def open(self, job: str) -> None: ...

    def abort(self, batch: int, tokens: Sequence[str]) -> None: ...

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        self.counted.append(self._progress.changes)
        if self._fails:
            raise JobError("the folder is gone")


def packet(holds: int, rows: int = 2) -> Packet:
    table = pa.table({KIND: pa.array([0] * rows, pa.int8()), SEQUENCE: row_sequences(0, 0, rows)})
    payload = write_ipc(table) if holds == CHANGES else b"token"
    return Packet(0, FIRST, rows, 5, payload, holds, to=sink_id(0))


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("commits", [Commits.DRIVER, Commits.TASK])
def test_rows_count_once_they_are_committed(
    commits: Commits, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()
    is_driver = commits is Commits.DRIVER
    sink = Recorded(commits, progress, fails=fails and is_driver)
    monkeypatch.setattr(delivery, "open_sink", lambda _: sink)
    delivered = Delivery([SinkSpec("x", (), (), ())], progress)

    def run(_: object) -> list[Packet]:
        sink.counted.append(progress.changes)
        if fails:
            raise JobError("the executor is gone")
        return []

    packets = [packet(WRITTEN if is_driver else CHANGES)]
    if fails:
        with pytest.raises(JobError, match="gone"):
            list(delivered.deliver(packets, 0, run))
    else:
        assert list(delivered.deliver(packets, 0, run)) == []
    assert sink.counted[0] == 0
    assert (progress.read, progress.changes) == (5, 0 if fails else 2)


def test_rows_of_a_query_count_once_they_are_taken() -> None:
    progress = Progress()
    delivered = Delivery([SinkSpec(None, (), (), ())], progress)
    changes = delivered.deliver([packet(CHANGES)], 0, lambda _: [])
    assert next(changes).num_rows == 2
    assert progress.changes == 0
    assert list(changes) == []
    assert progress.changes == 2


def test_a_repeated_batch_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a restart in the same process: each attempt has a Delivery of its own."""
    progress = Progress()
    for batch, fails in ((0, False), (1, True), (1, False), (1, False), (2, False)):
        sink = Recorded(Commits.DRIVER, progress, fails=fails)
        monkeypatch.setattr(delivery, "open_sink", lambda _, sink=sink: sink)
        delivered = Delivery([SinkSpec("x", (), (), ())], progress)
        packets = [packet(CHANGES), packet(WRITTEN, rows=0)]
        with pytest.raises(JobError) if fails else nullcontext():
            list(delivered.deliver(packets, batch, lambda _: []))
    assert progress.read == 3 * sum(each.read for each in packets)
    assert progress.changes == 3 * 2
