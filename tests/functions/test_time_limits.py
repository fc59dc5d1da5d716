"""Times and intervals at the limits of what holds them: Flink's answer where it is a time that Firesteel
holds, an error that names the operation otherwise. Flink's own text of such a time is none (`)+()-08-19`)."""

from __future__ import annotations

import datetime as dt
import random
import re

import pytest

from firesteel.errors import FiresteelError, JobError, ValidationError
from firesteel.types import sql
from tests.functions.evaluate import evaluate, one
from tests.scale import part
from tests.types.columns import Columns

MOMENT = dt.datetime(2024, 2, 29, 12, 34, 56, 789000)
ROW: Columns = {
    "i": (sql.INT, [2147483647]),
    "j": (sql.INT, [-2147483648]),
    "l": (sql.BIGINT, [9223372036854775807]),
    "ts": (sql.timestamp(3), [MOMENT]),
    "t9": (sql.timestamp(9), [MOMENT]),
    "lz": (sql.timestamp_ltz(6), [MOMENT.replace(tzinfo=dt.timezone.utc)]),
    "dt": (sql.DATE, [dt.date(2024, 2, 29)]),
    "tm": (sql.time(0), [dt.time(12, 34, 56)]),
}


def answer(expression: str) -> str:
    used = {name: column for name, column in ROW.items() if re.search(rf"\b{name}\b", expression)}
    return evaluate(expression, used or {"i": ROW["i"]})[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("TIMESTAMPADD(YEAR, i, ts)", "2023-02-28 12:34:56.789"),
        ("TIMESTAMPADD(MONTH, l, ts)", "2024-01-29 12:34:56.789"),
        ("TIMESTAMPADD(SECOND, l, ts)", "2024-02-29 12:34:55.789"),
        ("ts + l * INTERVAL '1' SECOND", "2024-02-29 12:34:55.789"),
        ("ts + CAST(l AS INTERVAL MONTH)", "2024-01-29 12:34:56.789"),
        ("tm + l * INTERVAL '1' SECOND", "12:34:55"),
        ("tm + CAST(l AS INTERVAL SECOND(3))", "19:47:51"),
        ("dt + l * INTERVAL '1' SECOND", "2024-02-29"),
        ("dt + INTERVAL '357913941' YEAR(9)", "2023-10-29"),
        ("SPLIT_INDEX('a,b', 65580, 0)", "<NULL>"),
        ("SPLIT_INDEX('a,b', 44, 1)", "b"),
    ],
)
def test_as_flink(expression: str, expected: str) -> None:
    assert answer(expression) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("TIMESTAMPADD(DAY, i, ts)", "2024-02-29 12:34:56.789 + 185542587100800000 ms is outside the years"),
        ("TIMESTAMPADD(MONTH, i, ts)", "2024-02-29 12:34:56.789 + 2147483647 months is outside the years"),
        ("TIMESTAMPADD(MONTH, i, t9)", "2024-02-29 12:34:56.789 + 2147483647 months is outside the years"),
        ("TIMESTAMPADD(DAY, i, dt)", "2024-02-29 + 2147483647 days is outside the years"),
        ("TIMESTAMPADD(DAY, j, lz)", "2024-02-29 12:34:56.789 + -185542587187200000 ms is outside the years"),
        ("dt + INTERVAL '178956970' YEAR(9)", "2024-02-29 + 2147483640 months is outside the years"),
        ("dt + CAST(l AS INTERVAL SECOND(3))", "integer overflow"),
        ("RAND_INTEGER(j)", "bound must be positive"),
    ],
)
def test_errors_name_operation_and_value(expression: str, message: str) -> None:
    with pytest.raises(JobError, match=re.escape(message)):
        answer(expression)


def test_an_interval_has_its_digits() -> None:
    with pytest.raises(ValidationError, match=r"value -9,999,999,999 exceeds precision of YEAR\(10\)"):
        one("ts + INTERVAL '-9999999999' YEAR(10)", ts=(sql.timestamp(3), MOMENT))


COUNTS = ["i", "j", "l", "-l", "0", "2147483647", "-2147483648", "9223372036854775807", "CAST(l AS INT)"]
TIMES = ["ts", "t9", "lz", "dt", "tm", "DATE '9999-12-31'", "TIMESTAMP '0001-01-01 00:00:00'"]
UNITS = ["SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "QUARTER", "YEAR"]
WIDE = ["INTERVAL '999999999' YEAR(9)", "INTERVAL '999999' DAY(6)", "INTERVAL '-2147483647' MONTH(10)"]
FOREIGN = re.compile(
    r"An expression failed|A function cannot|Error:|INT32|INT64 with|out of range", re.IGNORECASE
)


def span(rng: random.Random) -> str:
    count, unit = rng.choice(COUNTS), rng.choice(UNITS)
    return rng.choice(
        [
            f"({count} * INTERVAL '1' {unit})",
            f"CAST({count} AS INTERVAL {rng.choice(['SECOND(3)', 'MONTH'])})",
            f"INTERVAL '{rng.choice([1, 99, -1])}' {unit}",
            rng.choice(WIDE),
        ]
    )


def drawn(rng: random.Random) -> str:
    time, moved = rng.choice(TIMES), f"{rng.choice(TIMES)} {rng.choice('+-')} {span(rng)}"
    return rng.choice(
        [
            f"TIMESTAMPADD({rng.choice(UNITS)}, {rng.choice(COUNTS)}, {time})",
            moved,
            f"{span(rng)} {rng.choice('+-')} {span(rng)}",
            f"-{span(rng)}",
            f"TIMESTAMPDIFF({rng.choice(UNITS)}, {time}, {moved})",
            f"CAST({moved} AS {rng.choice(['DATE', 'TIMESTAMP(9)', 'STRING'])})",
        ]
    )


@pytest.mark.parametrize("seed", part(range(400), 60))
def test_no_error_in_others_words(seed: int) -> None:
    expression = drawn(random.Random(seed))
    told = ""
    try:
        answer(expression)
    except FiresteelError as error:
        told = str(error)
    assert not FOREIGN.search(told), f"{expression}: {told}"
