"""A physical plan is cut at its exchanges, and copied above a Union."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firesteel.catalog.schema import Column, SourceTraits, Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, ChangelogMode
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.expression.nodes import AggregateCall, Call, InputRef, Literal
from firesteel.job.lower.job import TranslateOptions
from firesteel.job.lower.job import translate as translate_all
from firesteel.job.spec import Input, JobSpec, Output, Partitioning, sink_id
from firesteel.job.topology import stages
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Field, Node
from firesteel.runtime.spec.operators import DropUpdateBeforeSpec, GroupAggregateSpec
from firesteel.runtime.spec.sink import SinkUpsertMaterializerSpec
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.types.sql import BIGINT, BOOLEAN, INT, STRING


def translate(root: Node, options: TranslateOptions | None = None) -> JobSpec:
    return translate_all([root], options)


def table(name: str = "t", mode: ChangelogMode = ALL, bounded: bool = True) -> Table:
    columns = (
        Column("id", BIGINT),
        Column("at", STRING, metadata="file.name", virtual=True),
        Column("name", STRING),
        Column("cnt", INT),
    )
    options = (("connector", "filesystem"), ("path", "/d"), ("format", "canal-json"))
    return Table(
        "c",
        "d",
        name,
        columns,
        options,
        traits=SourceTraits(mode, bounded, metadata=(("file.name", STRING),)),
    )


def scan(mode: ChangelogMode = ALL, bounded: bool = True) -> physical.TableSourceScan:
    return physical.TableSourceScan(table("t", mode, bounded), (1, 2), mode=mode)


def aggregate(below: Node, *calls: AggregateCall, mode: ChangelogMode = ALL) -> physical.GroupAggregate:
    exchange = physical.Exchange(below, (0,), mode=below.mode)  # type: ignore[attr-defined]
    retract = tuple(below.mode.has_retraction for _ in calls)  # type: ignore[attr-defined]
    return physical.GroupAggregate(exchange, (0,), calls, retract, mode=mode)


SUM = AggregateCall("SUM", (1,), INT, "s")
COUNT_STAR = AggregateCall("COUNT", (), BIGINT, "n")


def test_a_chain_ends_at_each_exchange() -> None:
    job = translate(aggregate(scan(), SUM, COUNT_STAR), TranslateOptions(ttl=1000))
    source, keyed = job.chains
    assert isinstance(source.source, ScanSpec)
    assert source.source.names == ("id", "name", "cnt", "at")
    assert source.source.metadata == (None, None, None, "file.name")
    assert source.source.projection == (1, 2)
    assert source.source.table == "c.d.t"
    assert source.outputs == (Output(keyed.id, Partitioning.HASH, (0,)),)
    assert (keyed.inputs, keyed.outputs) == ((Input(source.id),), (Output(sink_id(0)),))
    (operator,) = keyed.operators
    assert isinstance(operator, GroupAggregateSpec)
    assert (operator.keys, operator.count_star, operator.ttl) == ((0,), 1, 1000)
    assert operator.input_retracts
    assert operator.emit_update_before
    assert [call.retract for call in operator.calls] == [True, True]
    assert job.sinks[0].connector is None
    assert job.sinks[0].names == ("name", "s", "n")


@pytest.mark.parametrize(
    "call",
    [
        AggregateCall("COUNT", (1,), BIGINT, "n"),
        AggregateCall("COUNT", (), BIGINT, "n", filter=1),
        AggregateCall("COUNT", (1,), BIGINT, "n", distinct=True),
    ],
)
def test_only_a_plain_count_star_counts_records(call: AggregateCall) -> None:
    (operator,) = translate(aggregate(scan(), call)).chains[1].operators
    assert isinstance(operator, GroupAggregateSpec)
    assert operator.count_star is None


def test_an_insert_only_input_needs_no_counter() -> None:
    (operator,) = translate(aggregate(scan(INSERT_ONLY), COUNT_STAR, mode=UPSERT)).chains[1].operators
    assert isinstance(operator, GroupAggregateSpec)
    assert not operator.input_retracts
    assert not operator.emit_update_before
    assert operator.count_star is None


def test_each_state_has_a_name_of_its_own() -> None:
    inner = aggregate(scan(), SUM)
    chains = translate(aggregate(inner, COUNT_STAR)).chains
    assert [chain.inputs for chain in chains[1:]] == [(Input(0),), (Input(1),)]
    assert [chain.operators[0].state_id for chain in chains[1:]] == [  # type: ignore[union-attr]
        "group-aggregate-1",
        "group-aggregate-2",
    ]


def test_operators_above_a_union_run_in_every_branch() -> None:
    condition = Call(">", (InputRef(1, INT), Literal(3, INT)), BOOLEAN)
    calc = physical.Calc(scan(), (InputRef(0, STRING),), ("name",), condition, mode=ALL)
    plain = physical.Calc(scan(), (InputRef(0, STRING),), ("name",), mode=ALL)
    both = physical.Union((calc, plain), mode=ALL)
    apart = TranslateOptions(reuse=False)
    job = translate(aggregate(physical.DropUpdateBefore(both, mode=UPSERT), COUNT_STAR), apart)
    first, second, keyed = job.chains
    assert keyed.inputs == (Input(first.id), Input(second.id))
    for chain, condition_there in ((first, True), (second, False)):
        calc_spec, drop = chain.operators
        assert isinstance(calc_spec, CalcSpec)
        assert (calc_spec.condition is not None) == condition_there
        assert drop == DropUpdateBeforeSpec()
        assert chain.outputs == (Output(keyed.id, Partitioning.HASH, (0,)),)


def test_a_union_may_be_the_root() -> None:
    job = translate(physical.Union((scan(), scan(INSERT_ONLY)), mode=ALL))
    assert [chain.outputs for chain in job.chains] == [(Output(sink_id(0)),)] * 2


def test_branches_that_meet_again_read_for_themselves() -> None:
    """So their rows stand branch by branch, as Flink's."""
    first, second = translate(physical.Union((scan(), scan()), mode=ALL)).chains
    assert isinstance(first.source, ScanSpec)
    assert (first.source, first.outputs) == (second.source, second.outputs)


def test_equal_parts_of_two_inserts_run_once() -> None:
    sinks = [physical.Sink(scan(), table(name), mode=ALL) for name in ("a", "b")]
    shared, first, second = translate_all(sinks).chains
    assert isinstance(shared.source, ScanSpec)
    assert shared.outputs == (Output(first.id), Output(second.id))
    assert first.inputs == second.inputs == (Input(shared.id),)
    for options in (TranslateOptions(reuse=False), TranslateOptions(reuse_sources=False)):
        assert [chain.inputs for chain in translate_all(sinks, options).chains] == [shared.inputs] * 2


def test_inserts_into_one_table_have_one_sink() -> None:
    sinks = [physical.Sink(scan(mode), table("out"), mode=ALL) for mode in (ALL, INSERT_ONLY)]
    job = translate_all(sinks)
    assert [(sink.table, sink.mode) for sink in job.sinks] == [("c.d.out", ALL)]
    assert [chain.outputs for chain in job.chains] == [(Output(sink_id(0)),)] * 2


def test_inserts_share_what_they_have_in_common() -> None:
    """Of two INSERTs over one aggregate, one of a part of it."""
    grouped = aggregate(scan(), SUM)
    some = physical.Calc(grouped, (InputRef(0, STRING),), ("name",), mode=ALL)
    sinks = [physical.Sink(below, table(name), mode=ALL) for below, name in ((grouped, "a"), (some, "b"))]
    job = translate_all(sinks)
    source, keyed, whole, part = job.chains
    assert source.outputs == (Output(keyed.id, Partitioning.HASH, (0,)),)
    assert keyed.outputs == (Output(whole.id), Output(part.id))
    assert (whole.outputs, part.outputs) == ((Output(sink_id(0)),), (Output(sink_id(1)),))
    assert job.target == "c.d.a, c.d.b"
    assert [[f.head.id for f in stage] for stage in stages(job)] == [[source.id], [keyed.id]]
    assert [chain.id for chain in stages(job)[1][0].chains] == [keyed.id, whole.id, part.id]


def test_literal_rows() -> None:
    rows = ((Literal(1, INT), Literal("a", STRING)), (Literal(None, INT), Literal("b", STRING)))
    job = translate(physical.Values((Field("x", INT), Field("y", STRING)), rows, mode=INSERT_ONLY))
    head = job.chains[0].source
    assert isinstance(head, ValuesSpec)
    assert head.types == (INT, STRING)
    assert [len(row) for row in head.rows] == [2, 2]


def test_an_unbounded_source_makes_the_job_unbounded() -> None:
    assert translate(scan()).bounded
    assert not translate(physical.Union((scan(), scan(UPSERT, bounded=False)), mode=ALL)).bounded


def test_a_sink_gets_the_columns_that_are_stored() -> None:
    sink = translate(physical.Sink(scan(), table("out"), mode=ALL)).sinks[0]
    assert (sink.connector, sink.table) == ("filesystem", "c.d.out")
    assert sink.names == ("id", "name", "cnt")
    assert (sink.primary_key, sink.metadata, sink.mode) == ((), (None,) * 3, ALL)


def test_a_sink_knows_its_key_and_metadata() -> None:
    columns = (
        Column("at", STRING, metadata="timestamp"),
        Column("id", STRING),
        Column("twice", STRING, computed=InputRef(0, STRING)),
        Column("k", STRING),
        Column("from", STRING, metadata="topic", virtual=True),
    )
    out = replace(table("out"), columns=columns, primary_key=("k", "id"))
    sink = translate(physical.Sink(scan(INSERT_ONLY), out, mode=INSERT_ONLY)).sinks[0]
    assert (sink.names, sink.primary_key) == (("at", "id", "k"), (2, 1))
    assert (sink.metadata, sink.mode) == (("timestamp", None, None), INSERT_ONLY)


def test_a_materialized_sink_stands_behind_an_exchange_by_its_key() -> None:
    out = replace(table("out"), primary_key=("cnt",))
    sink = physical.Sink(scan(), out, upsert_materialize=True, upsert_key=(0,), mode=ALL)
    spec = translate(sink)
    assert spec.chains[0].outputs == (Output(1, Partitioning.HASH, (2,)),)
    assert spec.chains[1].operators == (
        SinkUpsertMaterializerSpec((2,), (BIGINT, STRING, INT), (0,), state_id="sink-materializer-1"),
    )
    assert spec.sinks[0].mode == UPSERT


def test_what_a_calc_leaves_out_nobody_looks_at() -> None:
    read = physical.Calc(scan(), (InputRef(1, STRING),), ("name",), mode=ALL)
    (source,) = (chain.source for chain in translate(read).chains)
    assert isinstance(source, ScanSpec)
    assert source.parts == ((), ((),))
