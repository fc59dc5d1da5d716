"""Watermarks on both hosts, from WATERMARK to the operator that looks at them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output
from firesteel.job.watermark_routing import with_watermark_needs
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.batch import host as batch_host
from firesteel.spark.batch.host import BatchSettings
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import INT
from tests.runtime.clocked import ClockedSpec
from tests.spark.jobs import HASH
from tests.spark.test_watermarks_at_exchanges import SHOWN, SINK, TS, assigner, expected, seen

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark

TIMES = [i * 7 % 50 + i for i in range(100)]


@pytest.fixture(scope="module")
def spark_with_operator(spark: Spark) -> Iterator[Spark]:
    """A Spark whose workers find the operator of tests/runtime/clocked.py."""
    spark.context.environment["PYTHONPATH"] = str(Path(__file__).parents[3])
    yield spark
    del spark.context.environment["PYTHONPATH"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of rows."""
    folder = tmp_path_factory.mktemp("rows")
    lines = [json.dumps({"v": v, "ts": f"2026-01-01 00:00:00.{t:03}"}) for v, t in enumerate(TIMES)]
    (folder / "a.json").write_text("\n".join(lines[:60]) + "\n")
    (folder / "b.json").write_text("\n".join(lines[60:]) + "\n")
    return folder


def clocked(folder: Path, key: str = "f0") -> JobSpec:
    """An operator that shows the watermarks behind an exchange by this expression."""
    options = (("connector", "filesystem"), ("path", str(folder)), ("format", "json"))
    scan = ScanSpec("filesystem", options, ("v", "ts"), (INT, TS), (0, 1), table="t")
    calc = CalcSpec(("f0", "f1", key), (INT, TS, INT))
    chains = (
        ChainSpec(0, (Input(scan),), (assigner(), calc), (Output(1, HASH, (2,)),)),
        ChainSpec(1, (Input(0),), (ClockedSpec(),), SHOWN),
    )
    return with_watermark_needs(JobSpec(chains, (SINK,)))


_DAY = 1767225600000
"""2026-01-01 in milliseconds."""


def watermarks() -> list[tuple[int | None, int]]:
    return expected([_DAY + time for time in TIMES])


@pytest.mark.parametrize("parallelism", [1, 4])
def test_batch_host(folder: Path, spark_with_operator: Spark, parallelism: int) -> None:
    assert (
        seen(batch_host.run(clocked(folder), spark_with_operator, BatchSettings(parallelism))) == watermarks()
    )


@pytest.mark.parametrize("max_rows", [pytest.param(0, marks=pytest.mark.full), 30])
def test_stream_host(folder: Path, spark_with_operator: Spark, max_rows: int) -> None:
    settings = StreamSettings(parallelism=2, max_rows=max_rows)
    assert seen(stream_host.start(clocked(folder), spark_with_operator, settings).results()) == watermarks()


@pytest.mark.parametrize("on_stream", [False, True], ids=["batch", "stream"])
def test_key_groups_without_rows_get_them_all(
    folder: Path, spark_with_operator: Spark, on_stream: bool
) -> None:
    job, several = clocked(folder, "0"), StreamSettings(parallelism=2, key_groups=4, max_rows=30)
    if on_stream:
        tables = list(stream_host.start(job, spark_with_operator, several).results())
    else:
        tables = list(batch_host.run(job, spark_with_operator, BatchSettings(4)))
    told = [
        (v, time)
        for table in tables
        for v, time in zip(table["f0"].to_pylist(), table["f1"].to_pylist(), strict=True)
    ]
    assert Counter(time for v, time in told if v is None) == {
        time: 4 for v, time in watermarks() if v is None
    }
