"""Rows of the next micro-batch, by the bytes that the last one has sent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.changelog import field
from firesteel.job.spec import JobSpec, Output, sink_id
from firesteel.runtime.dataflow.packets import FIRST, Packet
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.progress import Progress
from firesteel.spark.stream import host, source_feedback
from firesteel.spark.stream.admitted_rows import AdmittedRows, admitted_rows, has_growing_results
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.task.counters import TaskCounters, sent_bytes
from firesteel.types.sql import BIGINT, STRING
from tests.spark.jobs import HASH, aggregate, keyed, scan, source

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


def batch(read: int, sent: int) -> list[Packet]:
    """The packets of a micro-batch whose tasks have sent so many bytes."""
    (packet,) = TaskCounters(sent=sent).attach([])
    return [Packet(0, FIRST, 5, read, b""), packet]


def limit(tmp_path: Path, first: int | None = None, least: int = 1) -> AdmittedRows:
    return AdmittedRows(str(tmp_path / "rows"), 1_000_000, 2_000_000, least, first)


def test_the_bytes_sent_travel_with_the_counters() -> None:
    assert [sent_bytes(each) for each in batch(10, 777)] == [0, 777]


def test_without_much_output_nothing_is_limited(tmp_path: Path) -> None:
    made = limit(tmp_path)
    made.take(batch(1000, 1_000_000))
    assert admitted_rows(made.file) is None
    assert not (tmp_path / "rows").exists()


def test_much_output_cuts_the_next_micro_batch(tmp_path: Path) -> None:
    made = limit(tmp_path)
    made.take(batch(1000, 50_000_000))
    assert admitted_rows(made.file) == 20
    made.take(batch(20, 4_000_000_000))
    assert admitted_rows(made.file) == 1


def test_little_output_ends_the_limit_step_by_step(tmp_path: Path) -> None:
    made = limit(tmp_path, first=10_000)
    found = [admitted_rows(made.file)]
    while (rows := admitted_rows(made.file)) is not None:
        made.take(batch(rows, 10))
        found.append(admitted_rows(made.file))
    assert found == [10_000, 160_000, None]


def test_output_that_grows_with_its_key_has_a_bound(tmp_path: Path) -> None:
    """Row n of one key sends n times 10 bytes."""
    made, read, most = limit(tmp_path, first=100), 0, 0
    while read < 20_000:
        rows = admitted_rows(made.file) or 2_000_000
        sent = sum(10 * each for each in range(read, read + rows))
        made.take(batch(rows, sent))
        read, most = read + rows, max(most, sent)
    assert most < 4_000_000


@pytest.mark.parametrize("sources", [1, 3, 10])
def test_each_of_several_sources_may_read_the_limit(tmp_path: Path, sources: int) -> None:
    """A row sends 100 bytes, so 10,000 rows of all sources are as many as may be sent."""
    made = limit(tmp_path, first=50_000)
    sent = 0
    for _ in range(20):
        rows = (admitted_rows(made.file) or 2_000_000) * sources
        sent = 100 * rows
        made.take(batch(rows, sent))
    assert 500_000 < sent <= 1_000_000


def test_a_micro_batch_without_rows_changes_nothing(tmp_path: Path) -> None:
    made = limit(tmp_path, first=500)
    made.take(batch(0, 0))
    made.take(batch(3, 100))
    assert admitted_rows(made.file) == 500


def test_a_bundle_of_mini_batch_is_not_cut(tmp_path: Path) -> None:
    made = limit(tmp_path, least=5000)
    made.take(batch(10_000, 1_000_000_000))
    assert admitted_rows(made.file) == 5000


def listed(path: Path, bundle: int = 0) -> JobSpec:
    """SELECT LISTAGG(name) FROM t."""
    operator = replace(aggregate((BIGINT, STRING), ("LISTAGG",), 1, keys=()), bundle=bundle)
    sink = SinkSpec(None, (), ("names",), (STRING,))
    chains = (source(0, scan(path, (0, 1)), Output(1, HASH, ())), keyed(1, (0,), (operator,)))
    chains = (chains[0], replace(chains[1], outputs=(Output(sink_id(0)),)))
    return JobSpec(chains, (sink,))


def test_results_that_grow_are_known_before(tmp_path: Path) -> None:
    assert has_growing_results(listed(tmp_path / "t.json"))
    assert not has_growing_results(listed(tmp_path / "t.json", bundle=100))


@pytest.mark.spark
@pytest.mark.full
def test_a_job_reads_less_where_its_results_grow(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_feedback, "FIRST_ROWS", 100)
    rows = [{"id": str(n), "name": f"{n:09d}", "cnt": "1"} for n in range(600)]
    messages = [{"data": [row], "old": None, "type": "INSERT", "isDdl": False} for row in rows]
    (tmp_path / "t.json").write_text("".join(f"{json.dumps(message)}\n" for message in messages))
    progress = Progress()
    settings = StreamSettings(parallelism=1, key_groups=1, max_bytes=100_000)
    tables = list(host.start(listed(tmp_path / "t.json"), spark, settings, progress).results())
    assert tables[-1].column(field(0))[-1].as_py() == ",".join(row["name"] for row in rows)
    assert sum(table.num_rows for table in tables) == 2 * 600 - 1
    assert progress.batches >= 4
