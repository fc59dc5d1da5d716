"""A checkpoint knows what it was made for."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.registry import deciding
from firesteel.errors import UsageError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import Input, JobSpec
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, ResolvedLookupJoinSpec
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.checkpoint.fingerprint import (
    Layout,
    _change,
    _fingerprint,
    check_saved,
    differences,
    plain,
)
from firesteel.types.sql import INT, STRING
from tests.runtime.operators.lookup_join.tables import table_spec
from tests.spark.jobs import grouped, in_two_phases, nested

LAYOUT = Layout(1, 1)


def test_a_job_is_json_and_equal_to_itself() -> None:
    value = plain(nested(Path("/d/t.json")))
    assert json.loads(json.dumps(value)) == value
    assert list(differences(value, value, "")) == []


def test_differences_name_the_place() -> None:
    before = grouped(Path("/d/t.json"))
    operator = before.chains[1].operators[0]
    assert isinstance(operator, GroupAggregateSpec)
    after = replace(
        before, chains=(before.chains[0], replace(before.chains[1], operators=(replace(operator, ttl=5),)))
    )
    assert list(differences(plain(before), plain(after), "")) == [("chains[1].operators[0].ttl", 0, 5)]


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ([1], [1, 2], "x"),
        ({"a": 1}, {"a": 1, "b": 2}, "x.b"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "x.a[0].b"),
    ],
)
def test_shapes(before: object, after: object, path: str) -> None:
    assert [p for p, _, _ in differences(before, after, "x")] == [path]


def test_options_that_decide_nothing_of_a_checkpoint_may_change() -> None:
    given = {"connector": "filesystem", "path": "/d", "format": "canal-json", "canal-json.table.include": "t"}
    free = {"canal-json.ignore-parse-errors": "true", "source.monitor-interval": "1 s"}
    assert deciding({**given, **free}) == given
    assert deciding({"connector": "x", "a": "b"}) == {"connector": "x", "a": "b"}


def test_a_saved_job_may_have_other_free_options() -> None:
    job = grouped(Path("/d/t.json"))
    scan = job.chains[0].source
    assert isinstance(scan, ScanSpec)
    for options, told in (
        ((("canal-json.ignore-parse-errors", "true"),), None),
        ((("source.path.regex-pattern", "a"),), "the option 'source.path.regex-pattern' of table"),
    ):
        other = replace(scan, options=(*scan.options, *options))
        after = replace(job, chains=(replace(job.chains[0], inputs=(Input(other),)), *job.chains[1:]))
        change = _change(saved(job), after, LAYOUT)
        assert change is None if told is None else told in (change or "")


@pytest.mark.parametrize("resolved", [False, True])
def test_how_a_lookup_join_asks_its_table_may_change(resolved: bool) -> None:
    job = grouped(Path("/d/t.json"))

    def joining(**options: str) -> JobSpec:
        table = table_spec((INT, STRING), options=options)
        join = LookupJoinSpec(table, CalcSpec(("f0",), (INT,)), bool(options.get("left")), (INT, STRING))
        operator = ResolvedLookupJoinSpec(join, (INT,), (0,)) if resolved else join
        first = replace(job.chains[0], operators=(*job.chains[0].operators, operator))
        return replace(job, chains=(first, *job.chains[1:]))

    before = saved(joining(url="a"))
    assert _change(before, joining(url="b", password="c"), LAYOUT) is None
    assert _change(before, joining(url="a", left="yes"), LAYOUT) is not None


def test_what_is_looked_at_of_a_source_may_be_written_in_another_way() -> None:
    job = grouped(Path("/d/t.json"))
    scan = job.chains[0].source
    assert isinstance(scan, ScanSpec)
    other = replace(scan, parts=((("a",),),) * len(scan.projection))
    after = replace(job, chains=(replace(job.chains[0], inputs=(Input(other),)), *job.chains[1:]))
    assert _change(saved(job), after, LAYOUT) is None
    assert _change(saved(after), job, LAYOUT) is None


@pytest.mark.parametrize(
    "of", ["chains.1.operators.0", "chains.1.operators.0.calls.0", "chains.0", "sinks.0", ""]
)
def test_a_field_that_is_new_had_its_default(of: str) -> None:
    """As if the checkpoint were made before the spec had any of its fields with a default."""
    job = grouped(Path("/d/t.json"))
    document = saved(job)
    spec, now = document["job"], job
    for step in filter(None, of.split(".")):
        spec = spec[int(step) if step.isdigit() else step]
        now = now[int(step)] if step.isdigit() else getattr(now, step)
    later = {field.name: field.default for field in fields(now) if field.default is not MISSING}
    assert later
    for name, default in later.items():
        assert spec.pop(name) == plain(getattr(now, name))
        if getattr(now, name) != default:
            spec[name] = plain(getattr(now, name))
    assert _change(document, job, LAYOUT) is None


def test_a_field_that_is_new_and_has_another_value_is_a_change() -> None:
    job = in_two_phases(grouped(Path("/d/t.json")), 10)
    document = saved(job)
    del document["job"]["chains"][1]["operators"][0]["aggregate"]["bundle"]
    assert "'table.exec.mini-batch.size' was 0 rows and is 10 rows" in (_change(document, job, LAYOUT) or "")
    del document["job"]["chains"][1]["operators"][0]["aggregate"]["keys"]
    assert _change(document, job, LAYOUT) is not None


def saved(job: JobSpec) -> Any:
    """What a checkpoint's file says of the job."""
    return json.loads(json.dumps(_fingerprint(job, LAYOUT)))


def test_a_folder_that_has_lost_its_fingerprint_is_refused(tmp_path: Path) -> None:
    """Under another id the sinks would not know which micro-batches of the job they have."""
    job = grouped(Path("/d/t.json"))
    assert check_saved(None, str(tmp_path), job) is None
    (tmp_path / "spark" / "offsets").mkdir(parents=True)
    (tmp_path / "spark" / "offsets" / "0").write_text("v1")
    with pytest.raises(UsageError, match=r"has lost .*firesteel\.json"):
        check_saved(None, str(tmp_path), job)


def test_a_saved_join_may_have_other_bundles() -> None:
    job = grouped(Path("/d/t.json"))
    side = JoinInput((INT,), (0,))
    joins = [JoinSpec(JoinKind.INNER, (side, side), (False,), folds=size) for size in ((0, 0), (100, 0))]
    before, after = (
        replace(job, chains=(job.chains[0], replace(job.chains[1], operators=(join,)))) for join in joins
    )
    assert _change(saved(before), after, LAYOUT) is None


def test_options_of_the_formats_of_key_and_value_may_change() -> None:
    given = {"connector": "kafka", "topic": "t", "value.format": "json", "key.format": "debezium-json"}
    bound = {"key.debezium-json.schema-include": "true", "value.csv.null-literal": "x"}
    free = {
        "value.json.timestamp-format.standard": "ISO-8601",
        "key.debezium-json.ignore-parse-errors": "true",
    }
    assert deciding({**given, **bound, **free}) == {**given, **bound}


def test_options_of_csv_that_cut_files_may_change_where_messages_have_borders() -> None:
    csv = {"format": "csv", "csv.field-delimiter": ";"}
    assert "csv.field-delimiter" not in deciding({"connector": "kafka", **csv})
    assert "csv.field-delimiter" in deciding({"connector": "filesystem", **csv})
