"""What a query reads or computes twice runs once: plans whose branches share an input, on both hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.catalog.schema import Column, SourceTraits, Table
from firesteel.changelog import ALL
from firesteel.functions.expression.nodes import AggregateCall
from firesteel.job.lower.job import translate
from firesteel.job.lower.operators import TRANSLATIONS
from firesteel.job.spec import JobSpec
from firesteel.job.topology import source_numbers
from firesteel.plan import tree
from firesteel.plan.nodes import physical
from firesteel.plan.nodes import text as node_text
from firesteel.plan.tree import Field, Node
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.batch import host as batch_host
from firesteel.spark.batch.host import BatchSettings
from firesteel.spark.progress import Progress
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import BIGINT, INT, STRING
from tests.job.test_topology import ROOT
from tests.runtime.enrich import EnrichSpec
from tests.spark.jobs import rows, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@dataclass(frozen=True)
class Enriched(tree.PhysicalNode):
    """Rows of the first input beside what the second one has for their key."""

    inputs: tuple[Node, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return (*self.inputs[0].schema, self.inputs[1].schema[1])


@pytest.fixture(autouse=True)
def translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TRANSLATIONS, Enriched, lambda node, options: EnrichSpec("names", INT))
    monkeypatch.setitem(node_text._PLAIN, Enriched, lambda node: ())


def scan(path: str = "/d", bounded: bool = True) -> physical.TableSourceScan:
    columns = (Column("id", BIGINT), Column("name", STRING), Column("cnt", INT))
    options = (("connector", "filesystem"), ("path", path), ("format", "canal-json"))
    table = Table("c", "d", path, columns, options, traits=SourceTraits(ALL, bounded))
    return physical.TableSourceScan(table, (1, 2), mode=ALL)


def by_name(node: Node) -> physical.Exchange:
    return physical.Exchange(node, (0,), mode=ALL)


def totals(node: Node) -> Node:
    total = AggregateCall("SUM", (1,), INT, "s")
    return physical.GroupAggregate(by_name(node), (0,), (total,), (True,), mode=ALL)


def with_itself(node: Node) -> Node:
    return Enriched((by_name(node), by_name(node)), mode=ALL)


def scans(job: JobSpec) -> list[int]:
    """The chains that read a table."""
    return [chain.id for chain in job.chains if isinstance(chain.source, ScanSpec)]


def shifts(job: JobSpec) -> list[tuple[int, int]]:
    specs = (spec for chain in job.chains for spec in chain.operators)
    return [(spec.places, spec.sources) for spec in specs if isinstance(spec, SequenceShiftSpec)]


def test_a_plan_joined_with_itself_reads_once() -> None:
    job = translate([with_itself(scan())])
    assert scans(job) == [0]
    assert shifts(job) == [(1, 2)]
    joined = next(chain for chain in job.chains if len(chain.inputs) == 2)
    assert [each.port for each in joined.inputs] == [
        1,
        0,
    ]  # the port that is processed first is numbered first
    assert len(source_numbers(job)[0]) == len(range(1 << 26)) // 2


def test_what_is_computed_for_both_sides_is_computed_once() -> None:
    job = translate([with_itself(totals(scan()))])
    assert len(scans(job)) == 1
    names = [type(spec).__name__ for chain in job.chains for spec in chain.operators]
    assert sorted(names) == ["EnrichSpec", "GroupAggregateSpec", "SequenceShiftSpec"]


def test_sources_are_numbered_in_the_order_in_which_rows_are_processed() -> None:
    inner = Enriched((by_name(scan("/a")), by_name(scan("/b"))), mode=ALL)
    cut = replace(inner, inputs=(inner.inputs[0], by_name(scan("/a"))))
    job = translate([Enriched((by_name(scan("/b")), by_name(cut)), mode=ALL)])
    assert shifts(job) == [(1, 3)]  # a for port 1 and, shared, for port 0 of the inner one; b comes last
    assert [numbers.start * 3 >> 26 for numbers in source_numbers(job).values()] == [0, 1]
    apart = translate([Enriched((by_name(scan("/b")), by_name(inner)), mode=ALL)])
    assert len(scans(apart)) == 2
    assert shifts(apart) == [(2, 3)]


def test_branches_of_a_union_share_only_where_reading_never_ends() -> None:
    bounded = translate([physical.Union((scan(), scan()), mode=ALL)])
    assert len(scans(bounded)) == 2
    assert shifts(bounded) == []
    unbounded = translate([physical.Union((scan(bounded=False), scan(bounded=False)), mode=ALL)])
    assert len(scans(unbounded)) == 1
    assert shifts(unbounded) == [(1, 2)]


def test_a_deep_plan_is_numbered_from_left_to_right() -> None:
    node: Node = scan()
    for _ in range(60):
        node = with_itself(node)
        node = physical.DropUpdateBefore(
            replace(node, inputs=(node.inputs[0], by_name(scan("/b")))), mode=ALL
        )  # type: ignore[attr-defined]
    job = translate([node])
    assert len(scans(job)) == 2
    assert {places for places, _ in shifts(job)} == set(range(1, 60))


Run = Callable[[JobSpec, "Spark", Progress], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def spark_with_operator(spark: Spark) -> Iterator[Spark]:
    spark.context.environment["PYTHONPATH"] = str(ROOT)
    yield spark
    del spark.context.environment["PYTHONPATH"]


def on_batch(job: JobSpec, spark: Spark, progress: Progress) -> list[tuple[Any, ...]]:
    return rows(batch_host.run(job, spark, BatchSettings(3), progress))


def on_stream(job: JobSpec, spark: Spark, progress: Progress) -> list[tuple[Any, ...]]:
    return rows(stream_host.start(job, spark, StreamSettings(parallelism=2), progress).results())


@pytest.mark.spark
@pytest.mark.parametrize("run", [on_batch, on_stream])
def test_a_scan_of_two_branches_is_decoded_once(run: Run, spark_with_operator: Spark, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    write_changes(path, 3000)
    alone, both = Progress(), Progress()
    read = on_batch(translate([scan(str(path))]), spark_with_operator, alone)
    last = {name: count for _, name, count in read}  # port 1 is processed first
    found = run(translate([with_itself(scan(str(path)))]), spark_with_operator, both)
    assert both.read == alone.read == len(read)
    by_key = sorted(found, key=lambda row: str(row[1]))
    assert by_key == sorted(((*row, last[row[1]]) for row in read), key=lambda row: str(row[1]))
