"""Jobs that are no line: an operator of two inputs, several sinks over what is read once; on both hosts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, Partitioning, sink_id
from firesteel.job.topology import stages
from firesteel.runtime.spec.tables import SinkSpec, ValuesSpec
from firesteel.spark.batch import host as batch_host
from firesteel.spark.batch.host import BatchSettings
from firesteel.spark.progress import Progress
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import BIGINT, INT, STRING, SqlType
from tests.runtime.enrich import LEFT, OUT, RIGHT, EnrichSpec
from tests.spark.jobs import HASH, aggregate, rows, scan, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

Run = Callable[[JobSpec, "Spark", Progress], list[tuple[Any, ...]]]


def on_batch(parallelism: int) -> Run:
    return lambda job, spark, progress: rows(batch_host.run(job, spark, BatchSettings(parallelism), progress))


def on_stream(parallelism: int, max_rows: int) -> Run:
    settings = StreamSettings(parallelism=parallelism, max_rows=max_rows)
    return lambda job, spark, progress: rows(stream_host.start(job, spark, settings, progress).results())


ROOT = Path(__file__).parents[2]
HOSTS = pytest.mark.parametrize(
    "run",
    [
        pytest.param(on_batch(1), id="batch, 1", marks=pytest.mark.full),
        pytest.param(on_batch(4), id="batch, 4"),
        pytest.param(on_stream(2, 0), id="stream", marks=pytest.mark.full),
        pytest.param(on_stream(2, 1500), id="stream, several batches"),
    ],
)


@pytest.fixture(scope="module")
def spark_with_operator(spark: Spark) -> Iterator[Spark]:
    """A Spark whose workers find the operator of tests/runtime/enrich.py."""
    spark.context.environment["PYTHONPATH"] = str(ROOT)
    yield spark
    del spark.context.environment["PYTHONPATH"]


def enriched() -> JobSpec:
    """Names first, so that the rows behind them are given one."""
    names = ValuesSpec(RIGHT, tuple((f"'k{i % 5}'", f"'name {i}'") for i in range(20)))
    values = ValuesSpec(LEFT, tuple((f"'k{i % 6}'", str(i)) for i in range(40)))
    chains = (
        ChainSpec(0, (Input(names),), (), (Output(2, HASH, (0,), port=1),)),
        ChainSpec(1, (Input(values),), (), (Output(2, HASH, (0,), port=0),)),
        ChainSpec(2, (Input(1, 0), Input(0, 1)), (EnrichSpec(),), (Output(sink_id(0)),)),
    )
    return JobSpec(chains, (SinkSpec(None, (), ("k", "v", "name"), OUT),))


@pytest.mark.spark
@HOSTS
def test_an_operator_of_two_inputs(run: Run, spark_with_operator: Spark) -> None:
    names = {f"k{i % 5}": f"name {i}" for i in range(20)}
    expected = [("+I", f"k{i % 6}", i, names.get(f"k{i % 6}")) for i in range(40)]
    assert run(enriched(), spark_with_operator, Progress()) == expected


def shared(path: Path, folder: Path) -> JobSpec:
    """One scan, three sinks: its rows as they are, an aggregate of them, and an aggregate of that, which is
    shared by two."""
    first = aggregate((STRING, INT), ("SUM", "COUNT(*)"), 1)
    second = aggregate((STRING, INT, BIGINT), ("COUNT(*)",), 2, "second", keys=(2,))
    one = CalcSpec(("f0", "f1"), (STRING, INT))
    chains = (
        ChainSpec(0, (Input(scan(path)),), (), (Output(1), Output(2, HASH, (0,)))),
        ChainSpec(1, (Input(0),), (one,), (Output(sink_id(0)),)),
        ChainSpec(2, (Input(0),), (first,), (Output(sink_id(1)), Output(3, HASH, (2,)))),
        ChainSpec(3, (Input(2),), (second,), (Output(sink_id(2)),)),
    )
    columns: tuple[tuple[SqlType, ...], ...] = (
        (STRING, INT), (STRING, INT, BIGINT), (BIGINT, BIGINT),
    )  # fmt: skip
    return JobSpec(chains, tuple(files(folder, f"s{i}", types) for i, types in enumerate(columns)))


def files(folder: Path, name: str, types: tuple[SqlType, ...]) -> SinkSpec:
    options = (("connector", "filesystem"), ("path", str(folder / name)), ("format", "debezium-json"))
    return SinkSpec("filesystem", options, tuple(f"c{i}" for i in range(len(types))), types, name)


def written(folder: Path) -> list[tuple[Any, ...]]:
    """What the files of a sink leave, sorted."""
    left: list[tuple[Any, ...]] = []
    for file in sorted(folder.glob("part-*")):
        for line in file.read_text(encoding="utf-8").splitlines():
            message = json.loads(line)
            for side, add in (("before", False), ("after", True)):
                if message[side] is not None:
                    row = tuple(message[side].values())
                    left.append((add, *row))
    counts: dict[tuple[Any, ...], int] = {}
    for add, *row in left:
        counts[tuple(row)] = counts.get(tuple(row), 0) + (1 if add else -1)
    assert min(counts.values(), default=0) >= 0
    return sorted(row for row, count in counts.items() for _ in range(count))


@pytest.mark.spark
@HOSTS
def test_several_sinks_read_their_source_once(run: Run, spark: Spark, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    write_changes(path, 3000)
    progress = Progress()
    assert run(shared(path, tmp_path), spark, progress) == []
    alone = Progress()
    single = JobSpec(
        (ChainSpec(0, (Input(scan(path)),), (), (Output(sink_id(0)),)),),
        (files(tmp_path, "x", (STRING, INT)),),
    )
    list(batch_host.run(single, spark, progress=alone))
    assert progress.read == alone.read
    names = written(tmp_path / "s0")
    assert names == written(tmp_path / "x")
    sums: dict[str, tuple[int, int]] = {}
    for name, count in names:
        total, number = sums.get(name, (0, 0))
        sums[name] = total + count, number + 1
    assert written(tmp_path / "s1") == sorted((name, *both) for name, both in sums.items())
    numbers = [number for _, number in sums.values()]
    assert written(tmp_path / "s2") == sorted((n, numbers.count(n)) for n in set(numbers))


def test_what_is_forwarded_runs_in_the_same_task(tmp_path: Path) -> None:
    found = stages(shared(tmp_path / "t", tmp_path))
    assert [[[chain.id for chain in f.chains] for f in stage] for stage in found] == [[[0, 1]], [[2]], [[3]]]
    assert Partitioning.FORWARD is Output(1).partitioning
