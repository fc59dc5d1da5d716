"""Hot keys of a job: what its tasks send, what the driver keeps, and who sees it."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.cli.http_api import Api
from firesteel.jobs.job import Source
from firesteel.jobs.registry import Registry
from firesteel.runtime.dataflow.packets import Packer
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.spark.hot_keys import HotKeys
from firesteel.spark.progress import Progress
from firesteel.spark.task.counters import ReadKeys, StateSizes, TaskCounters, read_counters, with_state
from tests.runtime.dataflow.test_hot_keys import Unlimited, changes
from tests.spark.in_process import _Run
from tests.spark.in_process import changes as source_rows

JOIN = """
CREATE TABLE l (a INT, b STRING) WITH ('connector' = 'datagen');
CREATE TABLE r (c INT, d STRING) WITH ('connector' = 'datagen');
CREATE TABLE o (b STRING, d STRING) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT b, d FROM l JOIN r ON a = c;
"""


@pytest.fixture(autouse=True)
def all_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sample all packets, however long it takes."""
    monkeypatch.setattr("firesteel.runtime.dataflow.hot_keys.PROCESS", Unlimited())


def sent(*keys: int, targets: int = 8) -> TaskCounters:
    """Return the counters of a task that has sent rows to port 1 of chain 3."""
    counters = TaskCounters()
    packer = Packer((0,), targets, sketch=counters.sketch(3, 1, (0,)))
    packer.add(changes(pa.array(keys)))
    packer.flush()
    return counters


def test_keys_travel_with_the_counters() -> None:
    for targets in (1, 8):
        (packet,) = sent(5, 6, 5, targets=targets).attach([])
        for each in (packet, with_state(packet, StateSizes(1, 2, {}))):
            assert read_counters(each).keys == [ReadKeys(3, 1, 3, [(("5",), 2), (("6",), 1)])]


def test_a_task_without_rows_sends_none() -> None:
    (packet,) = sent().attach([])
    assert read_counters(packet).keys == []


def test_the_driver_adds_them_up() -> None:
    progress = Progress()
    for keys in ((5, 6, 5), (5, 7)):
        (packet,) = sent(*keys).attach([])
        progress.add(packet)
    (found,) = progress.hot_keys.values()
    assert list(progress.hot_keys) == [(3, 1)]
    assert found.rows == 5
    assert found.top()[0] == (("5",), 3)


def test_cold_keys_are_not_shown_and_not_kept() -> None:
    keys = HotKeys()
    for number in range(5000):
        keys.add(100, [((str(number),), 1), (("hot",), 2)])
    assert keys.top() == [(("hot",), 10_000)]
    assert len(keys._counts) <= 1024


def test_both_inputs_of_a_join() -> None:
    (planned,) = script_jobs(TableEnvironment.create(), JOIN)
    job, progress = planned.job.job, Progress()
    run = _Run(job, 2, 1)
    left = source_rows([0] * 4, pa.array([1, 1, 1, 2], pa.int32()), pa.array(list("wxyz")))
    right = source_rows([0], pa.array([2], pa.int32()), pa.array(["q"]))
    tops = {}
    for work in run._first:
        source = work.fragment.head.source
        assert isinstance(source, ScanSpec)
        rows = left if source.table.endswith(".l") else right
        for packet in run._read(work, [rows], run._numbers[work.fragment.head.id], 0, True):
            progress.add(packet)
        (output,) = work.fragment.head.outputs
        tops[source.table[-1]] = progress.hot_keys[output.to, output.port].top()
    assert len(progress.hot_keys) == 2
    assert tops == {"l": [(("1",), 3), (("2",), 1)], "r": [(("2",), 1)]}


def test_the_api_shows_them_only_where_it_shows_rows() -> None:
    registry = Registry()
    job = registry.add(Source("SELECT 1"))
    progress = Progress(steps={3: ("exchange", "Join", "send")})
    progress.hot_keys[3, 1] = HotKeys()
    progress.hot_keys[3, 1].add(1000, [(("Tom", None), 600), (("Ann", "x"), 5)])
    registry.planned(job, progress)
    shown = [
        {
            "chain": 3,
            "port": 1,
            "operator": "Join",
            "rows": 1000,
            "keys": [{"key": ["Tom", None], "rows": 600}],
        }
    ]
    own = Api(registry, shows_rows=True)
    assert json.loads(own.answer("/api/v1/jobs/1").body)["hot_keys"] == shown
    assert (own.changing("1") or {})["hot_keys"] == shown
    other = Api(registry)
    assert json.loads(other.answer("/api/v1/jobs/1").body)["hot_keys"] == []


def test_numbers_of_numpy_are_no_trouble() -> None:
    (packet,) = sent(*np.arange(3000).tolist(), *[5] * 3000).attach([])
    (found,) = read_counters(packet).keys
    assert [key for key, _ in found.keys] == [("5",)]
