"""What is told of a checkpoint that another job made."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import Input, JobSpec
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.spark.checkpoint.changed_job import what_changed
from firesteel.spark.checkpoint.fingerprint import plain
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING
from tests.spark.jobs import grouped, nested

JOB = grouped(Path("/d/t.json"))


def with_scan(**changes: Any) -> JobSpec:
    first, *others = JOB.chains
    assert isinstance(first.source, ScanSpec)
    return replace(JOB, chains=(replace(first, inputs=(Input(replace(first.source, **changes)),)), *others))


def with_operator(*operators: Any) -> JobSpec:
    first, second, *others = JOB.chains
    return replace(JOB, chains=(first, replace(second, operators=operators), *others))


AGGREGATE = JOB.chains[1].operators[0]
assert isinstance(AGGREGATE, GroupAggregateSpec)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (with_scan(table="u"), "it read t and now reads u"),
        (
            with_scan(options=(("connector", "filesystem"), ("path", "/e"), ("format", "canal-json"))),
            "the option 'path' of table t was '/d/t.json' and is '/e'",
        ),
        (
            with_scan(projection=(1,)),
            "it read the columns name, cnt of table t and now reads name",
        ),
        (
            with_scan(names=("id", "name"), types=(BIGINT, STRING)),
            "the columns of table t were id BIGINT, name STRING, cnt INT and are id BIGINT, name STRING",
        ),
        (with_operator(replace(AGGREGATE, ttl=5)), "'table.exec.state.ttl' was 0 ms and is 5 ms"),
        (with_operator(replace(AGGREGATE, keys=(1,))), "the GroupAggregate has other keys"),
        (
            with_operator(replace(AGGREGATE, calls=AGGREGATE.calls[:1])),
            "its aggregates were SUM(INT), MAX(INT), COUNT(*) and are SUM(INT)",
        ),
        (
            with_operator(AGGREGATE, CalcSpec(("f0",), (INT,))),
            "its operators were GroupAggregate and are GroupAggregate, Calc",
        ),
        (
            replace(JOB, sinks=(SinkSpec("print", (), JOB.sinks[0].names, JOB.sinks[0].types, "s"),)),
            "it wrote into the terminal and now writes into s",
        ),
    ],
)
def test_the_first_difference_in_words(after: JobSpec, told: str) -> None:
    assert what_changed(plain(JOB), plain(after)) == told


def test_other_jobs_altogether() -> None:
    told = what_changed(plain(JOB), plain(nested(Path("/d/t.json"))))
    assert told.startswith("its operators were GroupAggregate and are GroupAggregate, ")


def test_a_condition() -> None:
    one, other = (with_operator(CalcSpec(("f0",), (INT,), f"f0 > {n}")) for n in (1, 2))
    assert what_changed(plain(one), plain(other)) == "a condition was f0 > 1 and is f0 > 2"


def test_the_layout_of_an_aggregate_s_state() -> None:
    first = replace(AGGREGATE.calls[0], function="PERCENTILE", args=(1, 2), arg_types=(INT, DOUBLE))
    plainly, distinct = (
        plain(with_operator(replace(AGGREGATE, calls=(replace(first, distinct=d), *AGGREGATE.calls[1:]))))
        for d in (False, True)
    )
    assert "percentile" not in str(plainly)  # a checkpoint of before goes on
    before = json.loads(json.dumps(distinct).replace(', "state": "percentile.v2"', ""))
    assert before != distinct
    assert what_changed(before, distinct) == (
        "it was made by a version of Firesteel that keeps the state of PERCENTILE(DISTINCT INT, DOUBLE) "
        "in another way"
    )


def test_secrets_are_not_reported() -> None:
    one, other = (with_scan(options=(("connector", "x"), ("password", text))) for text in ("a", "b"))
    told = what_changed(plain(one), plain(other))
    assert told == "the option 'password' of table t was another and is another"
