"""Java's date patterns: DateTimeFormatter and SimpleDateFormat, in and out, as Java 17 answers."""

from __future__ import annotations

from datetime import datetime

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.functions.java.date_patterns import checked, formatted
from firesteel.functions.java.date_time_formatter import parsed
from firesteel.functions.java.simple_date_format import simple_format, simple_parse
from firesteel.types.sql import BIGINT, DOUBLE, STRING, timestamp
from tests.functions.evaluate import bind, evaluate, one

DAY = 86_400


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("yyyy-MM-dd[ HH:mm[:ss]]", "2024-02-29 12:34:56"),
        ("[yyyy X]MM", "02"),
        ("QQQQ w W e F D", "1st quarter 9 5 5 1 60"),
        ("B", "in the afternoon"),
        ("EEEE, d MMMM G", "Thursday, 29 February AD"),
        ("n N A", "789000000 45296789000000 45296789"),
        ("''yy'x'", "'24x"),
    ],
)
def test_formatter(pattern: str, expected: str) -> None:
    assert formatted(pattern, 19_782, 45_296_789_000_000) == expected


@pytest.mark.parametrize("pattern", ["yyyy]", "aa", "HHH", "yyyyT", "{", "'x", "SSSSSSSSSS"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(JobError):
        checked(pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "seconds"),
    [
        ("yyyyMMddHHmmss", "20240229123456", 1_709_210_096),
        ("yyyy-MM-dd[ HH:mm]", "2024-02-29", 1_709_164_800),
        ("yyyy-MM-dd", "2024-02-31", 1_709_164_800),
        ("yyyy-DDD", "2024-060", 1_709_164_800),
        ("YYYY-ww-e", "2024-09-5", 1_709_164_800),
        ("EEE, d MMM yyyy", "Fri, 29 Feb 2024", None),
        ("yyyy yy", "1924 24", None),
        ("yyyy-MM-dd HH", "2024-02-28 24", 1_709_164_800),
        ("hh:mm", "05:30", 30 * 60),
        ("h a", "5 PM", 17 * 3600),
        ("a", "PM", 18 * 3600),
        ("yyyy-MM-dd'T'HH:mmX", "2024-02-29T00:00Z", 1_709_164_800),
        ("ssS", "561", 56),
        ("dd/MM/yyyy", "1/02/2024", None),
        ("dd", "31 ", None),
    ],
)
def test_parser(pattern: str, text: str, seconds: int | None) -> None:
    found = parsed(pattern, text)
    assert (found if found is None else found // 10**9) == seconds


@pytest.mark.parametrize(
    ("pattern", "zone", "expected"),
    [
        ("yyyy-MM-dd HH:mm:ss.SSS Z", "Asia/Shanghai", "2024-02-29 20:34:56.789 +0800"),
        ("XXX z", "GMT+05:30", "+05:30 GMT+05:30"),
        ("z", "America/New_York", "EST"),
        ("YYYY w u F D k K a", "UTC", "2024 9 4 5 60 12 0 PM"),
        ("'''' yyyyyy", "UTC", "'' 002024"),
    ],
)
def test_simple_format(pattern: str, zone: str, expected: str) -> None:
    assert simple_format(pattern, 1_709_210_096_789, zone) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "days"),
    [
        ("yyyy-MM-dd", "2023-02-29 and more", 19_417),
        ("yyyy-DDD", "2024-060", 19_782),
        ("YYYY-ww-u", "2024-09-4", 19_782),
        ("MMM d, yyyy", "february 29, 2024", 19_782),
        ("yyyyMMdd", "20240229", 19_782),
        ("yyyy-MM-dd", "1582-10-10", -141_422),
        ("yyyy-MM-dd", " 2024-02-29", 19_782),
        ("MMM d", " Feb 1", None),
        ("yyyy-MM-dd Z", "2024-02-29 +0060", None),
        ("yyyy/MM", "2024-02", None),
    ],
)
def test_simple_parse(pattern: str, text: str, days: int | None) -> None:
    found = simple_parse(pattern, text, "UTC")
    assert found == (None if days is None else days * DAY * 1000)


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("TO_DATE(s, 'yyyy-MM-dd')", "no date", "5471-09-27"),
        (
            "TO_TIMESTAMP_LTZ(s, 'yyyy-MM-dd HH:mm:ss.SSSSSS')",
            "2024-01-01 00:00:00.123456",
            "2024-01-01 00:00:00.123456",
        ),
        ("TO_TIMESTAMP_LTZ(s, 'yyyy-MM-dd', '+08:00')", "2024-01-02", "2024-01-01 16:00:00.000"),
        ("TO_TIMESTAMP_LTZ(s, 'yyyy-MM-dd', CONCAT('No', 'where'))", "2024-01-02", "<NULL>"),
        ("UNIX_TIMESTAMP(s, 'yyyy-MM-dd HH:mm:ss.SSS')", "1969-12-31 23:59:58.500", "-1"),
    ],
)
def test_functions(expression: str, text: str, expected: str) -> None:
    assert one(expression, s=(STRING, text)) == expected


@pytest.mark.parametrize("precision", range(7))
def test_instants_of_integers_are_those_of_the_function(precision: int) -> None:
    """In SQL, as they are the usual way to a row time."""
    units = 10**precision
    first, last = -62_167_219_200 * units, 253_402_300_800 * units - 1
    numbers = [0, -1, 1, 1_700_000_000_123, first - 1, first, last, last + 1, (1 << 63) - 1, -(1 << 63), None]
    number = f"TO_TIMESTAMP_LTZ(n, {precision})"
    by_function = f"TO_TIMESTAMP_LTZ(CAST(n AS DECIMAL(19, 0)), {precision})"
    columns = {"n": (BIGINT, numbers)}
    assert evaluate(number, columns, "Asia/Shanghai") == evaluate(by_function, columns, "Asia/Shanghai")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("TO_TIMESTAMP_LTZ(n, 9)", "2009-02-13 23:31:30.123456789"),
        ("TO_TIMESTAMP_LTZ(n, 0)", "<NULL>"),
        ("TO_TIMESTAMP_LTZ(d, 0)", "1970-01-01 00:02:03.456"),
        ("TO_TIMESTAMP_LTZ(12.99, 3)", "1970-01-01 00:00:00.012"),
    ],
)
def test_instants_of_numbers(expression: str, expected: str) -> None:
    columns = {"n": (BIGINT, [1_234_567_890_123_456_789]), "d": (DOUBLE, [123.456])}
    assert evaluate(expression, columns) == [expected]


@pytest.mark.parametrize("pattern", ["bad", "{", "yyyy-MM-dd ]", "yyyy-QQQQQQQQ", "dddd"])
def test_an_invalid_pattern_in_the_text_is_refused_by_the_function_of_instants(pattern: str) -> None:
    with pytest.raises(ValidationError, match="Invalid pattern for parsing TIMESTAMP_LTZ"):
        bind(f"TO_TIMESTAMP_LTZ('2024-01-01', '{pattern}')")
    assert evaluate(f"TO_TIMESTAMP('2024-01-01', '{pattern}')") == ["<NULL>"]


@pytest.mark.parametrize(
    ("text", "pattern", "error"),
    [
        ("1939-66", "yyyy-MM", "MonthOfYear"),
        ("1939-66 10", "yyyy-MM HH", "MonthOfYear"),
        ("66 1 1", "MM W e", "MonthOfYear"),
        ("1939-45", "yyyy-dd", "DayOfMonth"),
        ("02-30", "MM-dd", "FEBRUARY 30"),
    ],
)
def test_fields_that_make_no_day_fail_for_instants(text: str, pattern: str, error: str) -> None:
    with pytest.raises(JobError, match=error):
        evaluate(f"TO_TIMESTAMP_LTZ('{text}', '{pattern}')")
    assert evaluate(f"TO_TIMESTAMP('{text}', '{pattern}')") == ["<NULL>"]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("1939-06-66", "yyyy-MM-dd"), ("1939-66 25", "yyyy-MM HH"), ("25", "HH"), ("0000-01", "yyyy-MM")],
)
def test_fields_that_java_refuses_while_it_reads_are_null(text: str, pattern: str) -> None:
    assert evaluate(f"TO_TIMESTAMP_LTZ('{text}', '{pattern}')") == ["<NULL>"]


@pytest.mark.parametrize("argument", ["PROCTIME()", "TIMESTAMPADD(DAY, 1, DATE '2020-01-01')"])
def test_the_type_of_what_generated_code_takes_for_null_is_refused(argument: str) -> None:
    with pytest.raises(ValidationError, match="Mismatch of function's argument data type"):
        bind(f"TYPEOF({argument})")


def test_an_unknown_zone_in_the_text_is_refused() -> None:
    with pytest.raises(ValidationError, match="Invalid timezone for parsing TIMESTAMP_LTZ"):
        bind("TO_TIMESTAMP_LTZ('2024-01-01', 'yyyy-MM-dd', 'Nowhere')")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("DATE_FORMAT(ts + INTERVAL '1' DAY, 'yyyy-MM-dd')", "+10000-01-01"),
        ("DATE_FORMAT(ts + INTERVAL '1' DAY, 'yyyy w EEE')", "+10000 1 Sat"),
        ("TO_TIMESTAMP(CAST(ts AS STRING), 'ddd')", "<NULL>"),
    ],
)
def test_years_beyond_9999_and_what_is_no_pattern(expression: str, expected: str) -> None:
    assert evaluate(expression, {"ts": (timestamp(3), [datetime(9999, 12, 31)])}) == [expected]
