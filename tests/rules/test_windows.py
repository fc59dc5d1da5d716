"""Plans of windows as Flink 2.3 prints them: tests/golden/windows, one file for each set of options.

A case is the statement, a line `----`, and the physical plan with its changelog modes; in some files the
abstract syntax tree and another `----` stand before it. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.explain import explain
from firesteel.plan.unsupported import refuse_execution
from tests.rules.planning import GOLDEN, plan, section, tables

FOLDER = GOLDEN.parent / "windows"
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "4 s",
    "table.exec.mini-batch.size": "500",
}
OPTIONS = {
    "functions": {},
    "aggregates": {},
    "split": SPLIT,
    "mini_batch": BUNDLES,
    "one_phase": {**BUNDLES, "table.optimizer.agg-phase-strategy": "ONE_PHASE"},
}


def _cases() -> list[tuple[str, str, list[str]]]:
    cases = []
    for theme in OPTIONS:
        text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
        for case in text.strip().split("\n\n"):
            sql, *expected = case.split("\n----\n")
            cases.append((theme, sql, expected))
    return cases


@pytest.fixture(scope="module")
def catalog():
    return tables((FOLDER / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("theme", "sql", "expected"), _cases(), ids=lambda value: str(value)[:90])
def test_plan_is_flinks(theme: str, sql: str, expected: list[str], catalog) -> None:
    bound, physical = plan(sql, catalog, OPTIONS[theme])
    text = explain(bound, physical, {"CHANGELOG_MODE"}, OPTIONS[theme])
    titles = ["Abstract Syntax Tree", "Optimized Physical Plan"]
    assert [section(text, title) for title in titles[-len(expected) :]] == expected


CLICKS = "TABLE clicks, DESCRIPTOR(ts)"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (f"TUMBLE({CLICKS})", "Invalid number of arguments to function 'TUMBLE'. Was expecting 3 arguments"),
        (
            f"SESSION({CLICKS}, INTERVAL '1' HOUR, INTERVAL '1' HOUR)",
            "Invalid number of arguments to function 'SESSION'. Was expecting 3 arguments",
        ),
        (
            f"TUMBLE({CLICKS}, 10)",
            "Supported form(s): TUMBLE(TABLE table_name, DESCRIPTOR(timecol), datetime",
        ),
        (f"TUMBLE({CLICKS}, INTERVAL '1' MONTH)", "Window aggregate only support SECOND, MINUTE, HOUR, DAY"),
        (f"TUMBLE({CLICKS}, INTERVAL '1' MINUTE * 2)", "Only constant window descriptors are supported."),
        (f"TUMBLE({CLICKS}, INTERVAL '0' SECOND)", "requires size to be positive, but got 0 ms."),
        (
            f"TUMBLE({CLICKS}, INTERVAL '10' SECOND, INTERVAL '20' SECOND)",
            "must satisfy abs(offset) < size, but got size 10000 ms and offset 20000 ms.",
        ),
        (
            f"CUMULATE({CLICKS}, INTERVAL '4' SECOND, INTERVAL '10' SECOND)",
            "maxSize must be an integral multiple of step, but got maxSize 10000 ms and step 4000 ms.",
        ),
        ("TUMBLE(TABLE clicks, DESCRIPTOR(nix), INTERVAL '1' HOUR)", "Unknown identifier 'nix'"),
        (
            "TUMBLE(TABLE clicks, DESCRIPTOR(page), INTERVAL '1' HOUR)",
            "requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ, but is VARCHAR(2147483647).",
        ),
        (
            "TUMBLE(TABLE plain, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
            "The window function requires the timecol is a time attribute type, but is TIMESTAMP(3).",
        ),
        ("TUMBLE(clicks, DESCRIPTOR(ts), INTERVAL '1' HOUR)", "Column 'clicks' not found in any table"),
        ("TUMBLE(TABLE nix, DESCRIPTOR(ts), INTERVAL '1' HOUR)", "Object 'nix' not found"),
        (
            "TUMBLE(TABLE clicks PARTITION BY page, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
            "Only tables with set semantics may be partitioned.",
        ),
        (
            "SESSION(TABLE clicks PARTITION BY page ORDER BY ts, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
            "Session window TVF doesn't support order by clause.",
        ),
    ],
)
def test_a_window_function_is_refused_in_flinks_words(catalog, source: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(f"SELECT * FROM TABLE({source})", catalog)
    assert message in refused.value.message
    assert refused.value.range is not None


@pytest.mark.parametrize(
    ("call", "source", "message"),
    [
        (
            "COUNT(*)",
            f"HOP({CLICKS}, INTERVAL '4' SECOND, INTERVAL '10' SECOND)",
            "requires size must be an integral multiple of slide, but got size 10000 ms and slide 4000 ms",
        ),
        (
            "LAST_VALUE(cost)",
            f"CUMULATE({CLICKS}, INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
            "Could not find an implementation method 'merge'",
        ),
    ],
)
def test_an_aggregate_of_windows_is_refused(catalog, call: str, source: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(f"SELECT {call} FROM TABLE({source}) GROUP BY window_start, window_end", catalog)
    assert message in refused.value.message


@pytest.mark.parametrize(
    ("sql", "operator"),
    [
        (f"SELECT * FROM TABLE(TUMBLE({CLICKS}, INTERVAL '1' HOUR))", "WindowTableFunction"),
        (
            f"SELECT COUNT(*) FROM TABLE(TUMBLE({CLICKS}, INTERVAL '1' HOUR)) "
            "GROUP BY window_start, window_end",
            "GlobalWindowAggregate",
        ),
    ],
)
def test_a_plan_with_windows_does_not_run(catalog, sql: str, operator: str) -> None:
    _, physical = plan(sql, catalog)
    with pytest.raises(NotSupportedError, match=f"{operator} cannot run yet"):
        refuse_execution(physical)
