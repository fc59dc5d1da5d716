"""A physical plan is cut at its exchanges, and copied above a Union."""

from __future__ import annotations

import pytest

from firesteel.catalog.schema import Column, SourceTraits, Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, ChangelogMode
from firesteel.errors import NotSupportedError
from firesteel.expr.nodes import AggregateCall, Call, InputRef, Literal
from firesteel.plan import physical
from firesteel.plan.tree import Field, Node
from firesteel.runtime.spec import CalcSpec, DropUpdateBeforeSpec, GroupAggregateSpec, ScanSpec, ValuesSpec
from firesteel.spark.translate import TranslateOptions, translate
from firesteel.types.sql import BIGINT, BOOLEAN, INT, STRING


def table(name: str = "t", mode: ChangelogMode = ALL, bounded: bool = True) -> Table:
    columns = (
        Column("id", BIGINT),
        Column("at", STRING, metadata="file.name", virtual=True),
        Column("name", STRING),
        Column("cnt", INT),
    )
    options = (("connector", "filesystem"), ("path", "/d"), ("format", "canal-json"))
    return Table("c", "d", name, columns, options, traits=SourceTraits(mode, bounded))


def scan(mode: ChangelogMode = ALL, bounded: bool = True) -> physical.TableSourceScan:
    columns = (Field("name", STRING), Field("cnt", INT))
    return physical.TableSourceScan(table("t", mode, bounded), columns, (1, 2), mode=mode)


def aggregate(below: Node, *calls: AggregateCall, mode: ChangelogMode = ALL) -> physical.GroupAggregate:
    exchange = physical.Exchange(below, (0,), mode=below.mode)  # type: ignore[attr-defined]
    retract = tuple(below.mode.has_retraction for _ in calls)  # type: ignore[attr-defined]
    return physical.GroupAggregate(exchange, (0,), calls, retract, mode=mode)


SUM = AggregateCall("SUM", (1,), INT, "s")
COUNT_STAR = AggregateCall("COUNT", (), BIGINT, "n")


def test_a_chain_ends_at_each_exchange() -> None:
    job = translate(aggregate(scan(), SUM, COUNT_STAR), TranslateOptions(ttl=1000))
    source, keyed = job.chains
    assert isinstance(source.head, ScanSpec)
    assert source.head.names == ("id", "name", "cnt", "at")
    assert source.head.metadata == (None, None, None, "file.name")
    assert source.head.projection == (1, 2)
    assert source.head.table == "c.d.t"
    assert (source.partition_by, keyed.head, keyed.partition_by) == ((0,), (source.id,), None)
    (operator,) = keyed.operators
    assert isinstance(operator, GroupAggregateSpec)
    assert (operator.keys, operator.count_star, operator.ttl) == ((0,), 1, 1000)
    assert operator.input_retracts
    assert operator.emit_update_before
    assert [call.retract for call in operator.calls] == [True, True]
    assert job.sink.connector is None
    assert job.sink.names == ("name", "s", "n")


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
    assert [chain.head for chain in chains[1:]] == [(0,), (1,)]
    assert [chain.operators[0].state_id for chain in chains[1:]] == [  # type: ignore[union-attr]
        "group-aggregate-1",
        "group-aggregate-2",
    ]


def test_operators_above_a_union_run_in_every_branch() -> None:
    condition = Call(">", (InputRef(1, INT), Literal(3, INT)), BOOLEAN)
    calc = physical.Calc(scan(), (InputRef(0, STRING),), ("name",), condition, ALL)
    plain = physical.Calc(scan(), (InputRef(0, STRING),), ("name",), None, ALL)
    both = physical.Union((calc, plain), ALL)
    job = translate(aggregate(physical.DropUpdateBefore(both, UPSERT), COUNT_STAR))
    first, second, keyed = job.chains
    assert keyed.head == (first.id, second.id)
    for chain, condition_there in ((first, True), (second, False)):
        calc_spec, drop = chain.operators
        assert isinstance(calc_spec, CalcSpec)
        assert (calc_spec.condition is not None) == condition_there
        assert drop == DropUpdateBeforeSpec()
        assert chain.partition_by == (0,)


def test_a_union_may_be_the_root() -> None:
    job = translate(physical.Union((scan(), scan()), ALL))
    assert [chain.partition_by for chain in job.chains] == [None, None]


def test_literal_rows() -> None:
    rows = ((Literal(1, INT), Literal("a", STRING)), (Literal(None, INT), Literal("b", STRING)))
    job = translate(physical.Values((Field("x", INT), Field("y", STRING)), rows, INSERT_ONLY))
    head = job.chains[0].head
    assert isinstance(head, ValuesSpec)
    assert head.types == (INT, STRING)
    assert [len(row) for row in head.rows] == [2, 2]


def test_an_unbounded_source_makes_the_job_unbounded() -> None:
    assert translate(scan()).bounded
    assert not translate(physical.Union((scan(), scan(bounded=False)), ALL)).bounded


def test_a_sink_gets_the_columns_that_are_stored() -> None:
    sink = translate(physical.Sink(scan(), table("out"), mode=ALL)).sink
    assert (sink.connector, sink.table) == ("filesystem", "c.d.out")
    assert sink.names == ("id", "name", "cnt")


def test_what_cannot_run_is_named() -> None:
    with pytest.raises(NotSupportedError, match="SinkUpsertMaterialize"):
        translate(physical.Sink(scan(), table("out"), upsert_materialize=True, mode=ALL))
