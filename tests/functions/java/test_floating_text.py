"""Texts to DOUBLE and FLOAT. Expected: what Flink 2.3 answers for TRY_CAST of them."""

from __future__ import annotations

from math import inf, isnan

import pytest

from firesteel.functions.java.floating_text import parse_double, parse_float

MIDDLE = (
    "7.006492321624085354618647916449580656401309709382"
    "57885878534141944895541342930300743319094181060791015625"
)
"""Half of the least FLOAT, times 1e46."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5f", 1.5),
        (" 2 ", 2.0),
        ("1d ", 1.0),
        ("5.", 5.0),
        (".5", 0.5),
        ("+1.5D", 1.5),
        ("1e+5", 1e5),
        ("1e400", inf),
        ("-1e400", -inf),
        ("-Infinity", -inf),
        ("0x10p0", 16.0),
        ("0X1.8P1", 3.0),
        ("-0x.8p-1d", -0.25),
        ("0x1.p1", 2.0),
        ("0x1p-1074", 5e-324),
        ("0x1.fffffffffffff8p1023", inf),
        ("0x1.fffffffffffff7p1023", 1.7976931348623157e308),
        ("0x1p99999999999999999999", inf),
        ("0x0p99999999999999999999", 0.0),
        ("0x1p-99999999999999999999", 0.0),
        ("1e-99999999", 0.0),
    ],
)
def test_double(text: str, expected: float) -> None:
    assert parse_double(text) == expected


@pytest.mark.parametrize("text", ["NaN", "-NaN", "+NaN"])
def test_nan(text: str) -> None:
    assert isnan(parse_double(text))
    assert isnan(parse_float(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nan",
        "inf",
        "1e",
        "1_0",
        "x",
        "NaNf",
        "0x10",
        "0x1.8p",
        "0xp1",
        "0x.p1",
        "0x1..2p1",
        "\u0661",
    ],
)
def test_refused(text: str) -> None:
    for parse in (parse_double, parse_float):
        with pytest.raises(ValueError, match=r"For input string|empty String"):
            parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.000000059604644775390625", 1.0),
        ("1.0000000596046447753906250000001", 1.0000001192092896),
        ("-1.0000000596046447753906250000001f", -1.0000001192092896),
        ("1.0000000596046447", 1.0),
        ("3.4028235677973366e38", 3.4028234663852886e38),
        ("3.40282356779733661637539395458142568447e38", 3.4028234663852886e38),
        ("3.40282356779733661637539395458142568448e38", inf),
        ("-3.40282356779733661637539395458142568448e38", -inf),
        (f"{MIDDLE}e-46", 0.0),
        (f"{MIDDLE}1e-46", 1.401298464324817e-45),
        ("0x1.000001p0", 1.0),
        ("0x1.0000010000000000000001p0", 1.0000001192092896),
        ("0x1.fffffeffffffffp127", 3.4028234663852886e38),
        ("0x1p-150", 0.0),
        ("0x1.0000000000000001p-150", 1.401298464324817e-45),
        ("1e400", inf),
        ("1e-99999999", 0.0),
    ],
)
def test_float_is_rounded_once(text: str, expected: float) -> None:
    assert parse_float(text) == expected
