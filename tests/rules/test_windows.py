"""Plans of windows, and of what reads times, as Flink 2.3 prints them: the files of tests/golden/windows.

A case is the statement, a line `----`, and the physical plan with its changelog modes; in some files the
abstract syntax tree and another `----` stand before it. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from firesteel.explain import explain
from tests.goldens import hold
from tests.rules.planning import GOLDEN, plan, section, tables

FOLDER = GOLDEN.parent / "windows"
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "4 s",
    "table.exec.mini-batch.size": "500",
}
EARLY = {"table.exec.emit.early-fire.enabled": "true", "table.exec.emit.early-fire.delay": "5 s"}
OPTIONS = {
    "projections": {},
    "functions": {},
    "aggregates": {},
    "split": SPLIT,
    "mini_batch": BUNDLES,
    "one_phase": {**BUNDLES, "table.optimizer.agg-phase-strategy": "ONE_PHASE"},
    "group_windows": {},
    "group_windows_mini_batch": BUNDLES,
    "early_fire": {**BUNDLES, **EARLY},
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
    found = [section(text, title) for title in titles[-len(expected) :]]
    hold(FOLDER / f"{theme}.txt", (sql, *expected), *found)


HOURLY = "SELECT COUNT(*) FROM clicks GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)"
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
        (
            "TUMBLE(TABLE ev, DESCRIPTOR(t), INTERVAL '5' SECOND, 1)",
            "Cannot apply 'TUMBLE' to arguments of type 'TUMBLE(<RECORDTYPE(VARCHAR(2147483647) ID, "
            "VARCHAR(2147483647) KIND, DECIMAL(10, 2) AMOUNT, INTEGER QTY, TIMESTAMP_LTZ(3) *ROWTIME* T, "
            "BOOLEAN FLAG, VARCHAR(2147483647) ARRAY TAGS, RECORDTYPE:PEEK_NO_EXPAND(INTEGER A, "
            "VARCHAR(2147483647) B) INFO, DATE D)>, <COLUMN_LIST>, <INTERVAL SECOND>, <INTEGER>)'. Supported",
        ),
        (f"SESSION({CLICKS}, 'x')", "SESSION(TABLE table_name [PARTITION BY (keycols, ...)], DESCRIPTOR("),
        (f"TUMBLE({CLICKS}, NULL)", "Illegal use of 'NULL'"),
        ("TUMBLE(TABLE clicks, ts, INTERVAL '1' HOUR)", "Column 'ts' not found in any table"),
        (
            "TUMBLE(TABLE clicks, DESCRIPTOR(clicks.ts), INTERVAL '1' HOUR)",
            "Table or column alias must be a simple identifier",
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
            "COUNT(*)",
            f"TUMBLE({CLICKS}, INTERVAL '-1' SECOND)",
            "TUMBLE table function based aggregate requires size to be positive, but got -1000 ms.",
        ),
        (
            "COUNT(*)",
            f"SESSION({CLICKS}, INTERVAL '0' SECOND)",
            "SESSION table function based aggregate requires gap to be positive, but got gap 0 ms.",
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
    ("sql", "message"),
    [
        (
            "SELECT COUNT(*) FROM plain GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
            "can only be defined over a time attribute column, but TIMESTAMP(3) encountered.",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY TUMBLE(page, INTERVAL '1' HOUR)",
            "Cannot apply '$TUMBLE' to arguments of type '$TUMBLE(<VARCHAR(2147483647)>,",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY HOP(ts, INTERVAL '1' HOUR)",
            "Invalid number of arguments to function '$HOP'. Was expecting 3 arguments",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY TUMBLE(ts, INTERVAL '1' DAY, TIME '10:00:00')",
            "TUMBLE window with alignment is not supported yet.",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY TUMBLE(ts, INTERVAL '1' MONTH)",
            "Window aggregate only support SECOND, MINUTE, HOUR, DAY as the time unit.",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY TUMBLE(ts, INTERVAL '0' SECOND)",
            "TumblingWindowAssigner parameters must satisfy size > 0",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY HOP(ts, INTERVAL '0' SECOND, INTERVAL '5' SECOND)",
            "SlidingWindowAssigner parameters must satisfy slide > 0 and size > 0",
        ),
        (
            "SELECT COUNT(*) FROM clicks GROUP BY SESSION(ts, INTERVAL '-5' SECOND)",
            "SessionWindowAssigner parameters must satisfy 0 < size",
        ),
        (
            "SELECT COUNT(*) FROM taps GROUP BY TUMBLE(pt, INTERVAL '1' HOUR), TUMBLE(pt, INTERVAL '2' HOUR)",
            "Only a single window group function may be used in GROUP BY",
        ),
        (
            f"{HOURLY}, SESSION(ts, INTERVAL '1' HOUR)",
            "Only a single window group function may be used in GROUP BY",
        ),
        (
            "SELECT TUMBLE(ts, INTERVAL '1' HOUR) FROM clicks GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
            "Group function '$TUMBLE' can only appear in GROUP BY clause",
        ),
        (
            "SELECT TUMBLE_START(ts, INTERVAL '2' HOUR) FROM clicks GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
            "auxiliary group function 'TUMBLE_START' must have matching call to group function '$TUMBLE'",
        ),
        ("SELECT HOP_END(ts, INTERVAL '1' HOUR, INTERVAL '2' HOUR) FROM clicks", "must have matching call"),
        (
            "SELECT page FROM clicks WHERE TUMBLE_START(ts, INTERVAL '1' HOUR) IS NULL",
            "Unsupported call: TUMBLE_START",
        ),
        (
            "SELECT page, COUNT(*) FROM clicks GROUP BY page, TUMBLE_START(ts, INTERVAL '1' HOUR)",
            "Unsupported call: TUMBLE_START",
        ),
        (
            HOURLY.replace("COUNT(*)", "MAX(TUMBLE_END(ts, INTERVAL '1' HOUR))"),
            "Unsupported call: TUMBLE_END",
        ),
        (
            "SELECT page, COUNT(*) FROM clicks GROUP BY ROLLUP (page, TUMBLE(ts, INTERVAL '1' HOUR))",
            "Unsupported call: $TUMBLE in GROUPING SETS, CUBE or ROLLUP",
        ),
        (
            "SELECT COUNT(*) FILTER (WHERE TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) IS NULL) FROM clicks",
            "Unsupported call: TUMBLE_ROWTIME",
        ),
        (
            "SELECT TUMBLE_ROWTIME(pt, INTERVAL '1' HOUR) FROM taps GROUP BY TUMBLE(pt, INTERVAL '1' HOUR)",
            "A proctime window cannot provide a rowtime attribute.",
        ),
        (
            "SELECT FIRST_VALUE(cost) FROM clicks GROUP BY SESSION(ts, INTERVAL '1' HOUR)",
            "Could not find an implementation method 'merge'",
        ),
        (
            "SELECT LAST_VALUE(cost) FROM clicks GROUP BY HOP(ts, INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
            "Could not find an implementation method 'merge'",
        ),
    ],
)
def test_a_group_window_is_refused_in_flinks_words(catalog, sql: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog)
    assert message in refused.value.message
    assert refused.value.range is not None


ALL = ("uid", "page", "region", "cost", "price", "ok", "d", "ts", "window_start", "window_end", "window_time")
LATE = {"table.exec.emit.late-fire.enabled": "true", "table.exec.emit.late-fire.delay": "5 s"}


@pytest.mark.parametrize(
    ("settings", "sql", "message"),
    [
        (LATE, HOURLY, "The 'AFTER WATERMARK' emit strategy requires set 'allow-lateness'"),
        (
            {**LATE, "table.exec.emit.allow-lateness": "2 s"},
            HOURLY,
            "Allow-lateness [2000ms] should not be smaller than Late-fire delay [5000ms]",
        ),
        (
            {**LATE, "table.exec.state.ttl": "1 s"},
            HOURLY,
            "Allow-lateness [1000ms] should not be smaller than Late-fire delay [5000ms]",
        ),
        (
            {"table.exec.emit.early-fire.enabled": "true"},
            HOURLY,
            "Early-fire delay should not be null or negative value",
        ),
        (
            EARLY,
            "SELECT COUNT(*) FROM clicks GROUP BY SESSION(ts, INTERVAL '1' HOUR)",
            "Session window doesn't support EMIT strategy currently.",
        ),
        (
            EARLY,
            f"SELECT * FROM TABLE(TUMBLE({CLICKS}, INTERVAL '1' HOUR)) GROUP BY {', '.join(ALL)}",
            "window table function based aggregate doesn't support early-fire and late-fire configuration",
        ),
    ],
)
def test_results_out_of_time_have_their_rules(catalog, settings, sql: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog, settings)
    assert message in refused.value.message


def test_unread_calls_keep_a_window_function_over_processing_time_below_which_is_refused(catalog) -> None:
    """The projection that computed the unread call is gone, and Flink merges only below a projection."""
    windows = "TABLE(TUMBLE(TABLE taps, DESCRIPTOR(pt), INTERVAL '5' SECOND))"
    keys = "page, window_start, window_end"
    grouped = f"SELECT {keys}, MAX(uid + 1) AS m FROM {windows} GROUP BY {keys}"
    with pytest.raises(ValidationError, match="Non-mergeable processing time window tvf aggregation"):
        plan(f"SELECT page, window_start FROM ({grouped})", catalog)
