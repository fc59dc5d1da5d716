"""Java's patterns: what java.util.regex of Java 17 finds, by hand and at random."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.library.patterns import regexp_extract_all, regexp_replace, str_to_map
from firesteel.functions.java.regular_expressions import compiled, find_all

RECORDED = json.loads((Path(__file__).parent / "regular_expressions.json").read_text(encoding="utf-8"))


def found(pattern: str, text: str) -> str | None:
    """Each match's span and its groups', in UTF-16 units."""
    taken = compiled(pattern)
    if taken is None:
        return None
    return "".join(",".join(f"{a}-{b}" for a, b in spans) + ";" for spans in find_all(taken, text))


@pytest.mark.parametrize("case", RECORDED["java"], ids=lambda case: case["pattern"])
def test_a_random_pattern_finds_what_java_finds(case: dict[str, Any]) -> None:
    if case["found"] is None:
        assert compiled(case["pattern"]) is None
    else:
        for text, spans in case["found"].items():
            assert found(case["pattern"], RECORDED["texts"][int(text)]) == spans


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        (".", "\r\x85\u2028a", "3-4;"),
        ("a$", "a\r\n", "0-1;"),
        ("a$", "a\n\n", ""),
        ("(?m)^.", "a\r\nb\n", "0-1;3-4;"),
        ("a|", "ba", "0-0;1-2;2-2;"),
        ("|a", "a", "0-0;1-1;"),
        ("x?", "😀", "0-0;1-1;2-2;"),
        ("^", "😀b", "0-0;"),
        ("x*", "😀😀b", "0-0;1-1;2-2;3-3;4-4;5-5;"),
        ("$|b", "a😀b", "3-4;4-4;"),
        ("(?i)É|k", "éK", "1-2;"),
        ("(?iu)É", "é", "0-1;"),
        ("a(?i)b|c", "aB C", "0-2;3-4;"),
        ("(a(?i)b)c", "aBC aBc", "4-7,4-6;"),
        ("(?x) a b # c", "ab", "0-2;"),
        ("[a-z&&[^b]&&[^c]]", "abcd", "0-1;3-4;"),
        ("[^a[b]]", "abc", "2-3;"),
        ("a{2}{3}", "aaa", "0-2;"),
        ("(a)\\2", "aa", ""),
        ("(?<n>a)\\k<n>", "aa", "0-2,0-1;"),
        ("(?<=a|bc)d", "ad bcd", "1-2;5-6;"),
        ("(?<!a{1,2})b", "ab b", "3-4;"),
        ("\\p{IsHan}+", "a日本b", "1-3;"),
        ("\\x{1F600}|\\u0041|\\0102|\\cA", "😀AB\x01", "0-2;2-3;3-4;4-5;"),
        ("\\R", "\r\n\n", "0-2;2-3;"),
        ("\\Qa.b\\E+", "a.bb", "0-4;"),
        ("$*?b", "b", "0-1;"),
        ("\\b", "e\u0301a b", "0-0;3-3;4-4;5-5;"),
        ("\\b", "_\u0301", "0-0;1-1;"),
        ("\\b", "x\u00b2 1", "0-0;1-1;3-3;4-4;"),
        ("\\B", "e\u0301\u0308a", "1-1;2-2;3-3;"),
        ("\\b", "\U0001d400a ", "0-0;3-3;"),
        ("\\b", "\U0001d400\u0301", "0-0;2-2;"),
        ("(?:\\b){2}a", "a", "0-1;"),
    ],
)
def test_a_pattern_finds_what_java_finds(pattern: str, text: str, spans: str) -> None:
    assert found(pattern, text) == spans


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        "a**",
        "*",
        "a{",
        "a{,2}",
        "a{2,1}",
        "[z-a]",
        "[a",
        "\\y",
        "\\k<n>",
        "(?<1>a)",
        "a)",
        "\\",
        "\\p{Xx}",
    ],
)
def test_what_java_refuses_is_no_pattern(pattern: str) -> None:
    assert compiled(pattern) is None


@pytest.mark.parametrize("pattern", ["\\X", "\\Ga", "(?U)a", "(?<=a+)b", "(a\\1)", "\\p{InGreek}"])
def test_what_python_has_nothing_for_is_not_answered(pattern: str) -> None:
    with pytest.raises(NotSupportedError, match="regular expression is not supported"):
        compiled(pattern)


def test_a_match_of_nothing_may_lie_within_a_character() -> None:
    assert regexp_replace("😀", "x*", "-") == "-?-?-"
    assert regexp_extract_all("a😀", "(x)*") == [None, None, None, None]


def test_a_map_of_half_characters_has_each_of_them() -> None:
    assert sorted(str_to_map("😀", "", ",")) == [("?", None), ("?", None)]


def test_an_empty_text_is_an_empty_map_whatever_separates() -> None:
    assert str_to_map("", "(", "(") == []
