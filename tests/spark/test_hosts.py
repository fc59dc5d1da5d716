"""Both hosts give the same change stream, however the input is cut."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.cli.run import Runner
from firesteel.errors import DataError, UsageError
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec
from firesteel.session.environment import TableEnvironment
from firesteel.spark.batch import host as batch_host
from firesteel.spark.batch.host import BatchSettings
from firesteel.spark.checkpoint.fingerprint import FILE
from firesteel.spark.progress import Progress
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import INT, STRING
from tests.spark.jobs import folded, grouped, nested, rows, scan, source, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("changes") / "t.json"
    write_changes(path, 4000)
    return path


def batch(job: JobSpec, spark: Spark, parallelism: int = 2) -> list[tuple[object, ...]]:
    return rows(batch_host.run(job, spark, BatchSettings(parallelism)))


def stream(job: JobSpec, spark: Spark, settings: StreamSettings) -> list[tuple[object, ...]]:
    return rows(stream_host.start(job, spark, settings).results())


def test_the_change_stream_does_not_depend_on_parallelism(changes: Path, spark: Spark) -> None:
    one = batch(grouped(changes), spark, 1)
    assert len(one) > 4000
    assert len(folded(one)) == 7
    assert batch(grouped(changes), spark, 2) == one
    assert batch(grouped(changes), spark, 4) == one


@pytest.mark.private
@pytest.mark.full
def test_nor_does_that_of_nested_aggregates(changes: Path, spark: Spark) -> None:
    one = batch(nested(changes), spark, 1)
    folded(one)
    assert batch(nested(changes), spark, 4) == one


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(StreamSettings(parallelism=1), id="one batch", marks=pytest.mark.full),
        pytest.param(StreamSettings(parallelism=2, max_rows=1500), id="three batches"),
        pytest.param(
            StreamSettings(parallelism=2, key_groups=5, max_rows=2500),
            id="more key groups than partitions",
            marks=pytest.mark.full,
        ),
    ],
)
def test_the_stream_host_gives_the_same(changes: Path, spark: Spark, settings: StreamSettings) -> None:
    assert stream(grouped(changes), spark, settings) == batch(grouped(changes), spark)


@pytest.mark.private
@pytest.mark.full
def test_the_stream_host_chains_nested_aggregates(changes: Path, spark: Spark) -> None:
    settings = StreamSettings(parallelism=2, max_rows=2500)
    job = stream_host.start(nested(changes), spark, settings)
    assert rows(job.results()) == batch(nested(changes), spark)
    assert {chain for chain, _ in job.progress.states} == {1, 2}, "the first chain's sizes pass the second"
    first, second, third = (job.progress.chains[chain] for chain in (0, 1, 2))
    assert first[0].rows_out == job.progress.read == second[1].rows_in
    assert second[1].rows_out == third[1].rows_in > 0
    assert all(step.busy > 0 for step in (*first, *second, *third))
    assert job.progress.state_entries > 0


def test_several_sources_are_read_one_after_the_other(changes: Path, spark: Spark) -> None:
    chains = (source(0, scan(changes, (0,))), source(1, scan(changes, (2,))))
    job = JobSpec(chains, (SinkSpec(None, (), ("x",), (INT,)),))
    first, second = (
        batch(JobSpec((chain,), job.sinks), spark) for chain in chains
    )  # fmt: skip
    assert batch(job, spark) == first + second
    assert stream(job, spark, StreamSettings()) == first + second
    assert stream(job, spark, StreamSettings(max_rows=1500)) == first + second


def test_literal_rows_run_on_both_hosts(spark: Spark) -> None:
    values = ValuesSpec((INT, STRING), tuple((str(i), f"'v{i}'") for i in range(150)))
    job = JobSpec((source(0, values),), (SinkSpec(None, (), ("a", "b"), (INT, STRING)),))
    expected = [("+I", i, f"v{i}") for i in range(150)]
    assert batch(job, spark) == expected
    assert stream(job, spark, StreamSettings()) == expected


def test_bad_data_is_reported_as_it_was_raised(tmp_path: Path, spark: Spark) -> None:
    path = tmp_path / "bad.json"
    write_changes(path, 20)
    path.write_text(path.read_text() + "{not json\n")
    with pytest.raises(DataError, match=r"bad\.json, line 21") as on_batch:
        batch(grouped(path), spark)
    with pytest.raises(DataError) as on_stream:
        stream(grouped(path), spark, StreamSettings())
    assert str(on_batch.value) == str(on_stream.value)


def test_rows_are_counted_on_their_way(changes: Path, spark: Spark) -> None:
    for sink in (None, SinkSpec("blackhole", (("connector", "blackhole"),), ("a",), (STRING,))):
        on_batch, on_stream = Progress(), Progress()
        list(batch_host.run(grouped(changes, ("SUM",), sink), spark, progress=on_batch))
        stream_host.start(grouped(changes, ("SUM",), sink), spark, None, on_stream).wait()
        assert on_batch.read == on_stream.read > 4000
        assert on_batch.changes == on_stream.changes > 4000
        assert on_stream.batches == 1


@pytest.mark.parametrize("host", ["batch", "stream"])
def test_messages_that_were_skipped_are_reported(
    host: str, tmp_path: Path, spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.json").write_text('{"a":1}\n{broken\n{"a":2}\nand this\n{"a":1}\n')
    runner = Runner(TableEnvironment.create(spark, configuration={"firesteel.host": host}), show="changes")
    runner.run(
        f"CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t.json', "
        "'format' = 'json', 'json.ignore-parse-errors' = 'true'); SELECT a, COUNT(*) FROM t GROUP BY a;"
    )
    out, err = capsys.readouterr()
    assert out.count("+I") == 2
    assert err.endswith("2 messages skipped: they could not be read (2 damaged_message)\n")


def test_a_checkpoint_goes_on_and_refuses_another_query(tmp_path: Path, spark: Spark) -> None:
    path, checkpoint = tmp_path / "t.json", str(tmp_path / "checkpoint")
    write_changes(path, 500)
    settings = StreamSettings(checkpoint, parallelism=2)
    assert stream(grouped(path), spark, settings) == batch(grouped(path), spark)
    as_before_a_field_was_added(tmp_path / "checkpoint")
    assert stream(grouped(path), spark, settings) == []
    with pytest.raises(UsageError, match=r"its aggregates were SUM\(INT\), .* and are MIN\(INT\), "):
        stream(grouped(path, ("MIN", "MAX", "COUNT(*)")), spark, settings)


def as_before_a_field_was_added(checkpoint: Path) -> None:
    """The checkpoint as a version of Firesteel wrote it whose aggregates had no bundles yet."""
    file = checkpoint / FILE
    document = json.loads(file.read_text())
    del document["job"]["chains"][1]["operators"][0]["bundle"]
    file.write_text(json.dumps(document))
    (checkpoint / f".{FILE}.crc").unlink(missing_ok=True)


def test_a_failed_batch_leaves_the_checkpoint_as_it_was(tmp_path: Path, spark: Spark) -> None:
    path, checkpoint = tmp_path / "t.json", str(tmp_path / "checkpoint")
    write_changes(path, 300)
    good = path.read_text()
    path.write_text(good.replace('"type": "DELETE"', '"type":: "DELETE"', 1))
    settings = StreamSettings(checkpoint, parallelism=2)
    with pytest.raises(DataError):
        stream(grouped(path), spark, settings)
    job = grouped(path)
    head = job.chains[0].source
    assert isinstance(head, ScanSpec)
    skipping = replace(head, options=(*head.options, ("canal-json.ignore-parse-errors", "true")))
    first = replace(job.chains[0], inputs=(replace(job.chains[0].inputs[0], of=skipping),))
    skips = replace(job, chains=(first, *job.chains[1:]))
    assert stream(skips, spark, settings) == batch(skips, spark)
