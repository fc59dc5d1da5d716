"""CURRENT_WATERMARK and SOURCE_WATERMARK: plans as Flink prints them, and what it refuses in its words."""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.job.lower.job import translate
from tests.rules.planning import physical_text, plan, tables

WITH = "WITH ('connector' = 'filesystem', 'path' = '/d', 'format' = 'json')"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(
        f"CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) {WITH};"
        f"CREATE TABLE plain (id INT, ts TIMESTAMP(3), p AS PROCTIME()) {WITH};"
        f"CREATE TABLE source (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) {WITH};"
    )


def test_a_filter_does_not_merge_with_what_varies(catalog: Catalog) -> None:
    text = physical_text(
        "SELECT id, x FROM (SELECT id, CURRENT_WATERMARK(ts) AS x FROM t) WHERE x > TIMESTAMP '2026-01-01 "
        "00:00:00' AND id > 2",
        catalog,
    )
    assert text.splitlines()[:3] == [
        "Calc(select=[id, x], where=[AND(>(x, 2026-01-01 00:00:00), >(id, 2))])",
        "+- Calc(select=[id, CURRENT_WATERMARK(CAST(ts AS TIMESTAMP(3))) AS x])",
        "   +- WatermarkAssigner(rowtime=[ts], watermark=[-(ts, 2000:INTERVAL SECOND)])",
    ]


ONE = "The argument of CURRENT_WATERMARK() must be a rowtime attribute, but was"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT CURRENT_WATERMARK(ts) FROM plain", f"{ONE} 'TIMESTAMP(3)'."),
        ("SELECT CURRENT_WATERMARK(p) FROM plain", f"{ONE} 'TIMESTAMP_LTZ(3) NOT NULL *PROCTIME*'."),
        (
            "SELECT CURRENT_WATERMARK(id) FROM t",
            "CURRENT_WATERMARK() must be called with a single rowtime attribute argument, but 'INT' cannot "
            "be a time attribute.",
        ),
        (
            "SELECT CURRENT_WATERMARK(ts, ts) FROM t",
            "No match found for function signature CURRENT_WATERMARK(<TIMESTAMP>, <TIMESTAMP>)",
        ),
    ],
)
def test_what_flink_refuses(catalog: Catalog, sql: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog)
    assert refused.value.message == message


@pytest.mark.parametrize("sql", ["SELECT * FROM source", "SELECT SOURCE_WATERMARK() FROM t"])
def test_no_source_has_watermarks_of_its_own(catalog: Catalog, sql: str) -> None:
    _, physical = plan(sql, catalog)
    with pytest.raises(ValidationError, match=r"SOURCE_WATERMARK\(\) is a declarative marker function"):
        translate([physical])
