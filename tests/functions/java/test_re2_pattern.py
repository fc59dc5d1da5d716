"""Regular expressions in columns find what they find row by row, and those that may differ are not taken."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from firesteel.functions.duckdb.library import text_columns
from firesteel.functions.duckdb.library.patterns import regexp, regexp_extract
from firesteel.functions.java.re2_pattern import re2_pattern

LETTERS = "ab&=/ é😀\n\r\v\u2028\x85"
PIECES = (
    *("a", "b", "&", "=", "é", "😀", ".", "^", r"\d", r"\W", r"\.", "[ab]", "[^a]", r"[a-c\d&]", "[^&]*"),
    *("(", ")", "(", ")", "(?:", "|", "*", "+", "?", "{2}", "{1,2}", "+?", "*?", "$", r"\s", "*+", "[", "}"),
)


def test_random_patterns_find_the_same() -> None:
    draw = random.Random(11)
    taken = found = 0
    for _ in range(20_000):
        pattern = "".join(draw.choices(PIECES, k=draw.randint(1, 6)))
        texts = ["".join(draw.choices(LETTERS, k=draw.randint(0, 8))) for _ in range(12)]
        group = draw.randint(0, 2)
        column = text_columns.regexp_extract(pa.array(texts), pattern, group)
        if column is None:
            continue
        expected = [regexp_extract(text, pattern, group) for text in texts]
        assert column.to_pylist() == expected, (pattern, group, texts)
        taken += 1
        found += sum(one is not None for one in expected)
        matches = text_columns.regexp(pa.array(texts), pattern)
        assert matches is None or matches.to_pylist() == [regexp(text, pattern) for text in texts]
    assert taken > 1000
    assert found > 3000


@pytest.mark.parametrize(
    ("pattern", "group"),
    [
        ("", 0),
        ("a$", 0),
        (r"\s", 0),
        ("(a)*", 0),
        ("(a)|b", 1),
        ("((a)|b)", 2),
        ("a", 1),
        ("a*+", 0),
        ("(?i)a", 0),
        ("(?<k>a)", 1),
        ("a(?=b)", 0),
        (r"(a)\1", 0),
        ("[a&&b]", 0),
        ("[[a]]", 0),
        ("a)", 0),
        ("(a", 0),
    ],
)
def test_what_may_differ_is_not_taken(pattern: str, group: int) -> None:
    assert re2_pattern(pattern, group) is None


def test_the_wanted_group_is_named() -> None:
    assert re2_pattern("(&|^)id=([^&]*)", 2) == "(?:&|^)id=(?P<found>[^&]*)"
    assert re2_pattern("a|b", 0) == "(?P<found>a|b)"
