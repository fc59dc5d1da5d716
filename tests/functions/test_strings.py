"""String functions and patterns."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError, NotSupportedError, ValidationError
from firesteel.functions.duckdb.registry import _guarded, take_error
from firesteel.functions.expression.nodes import Literal
from firesteel.rules.normalize.fold_constants import fold_constants
from firesteel.types.sql import BYTES, INT, STRING, char, varchar
from tests.functions.evaluate import bind, evaluate, one, type_of

SMILE = "\U0001f600"


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("UPPER(s)", "straße", "STRASSE"),
        ("LOWER(s)", "ABC", "abc"),
        ("INITCAP(s)", "o'neil éclair x1Y", "O'Neil éClair X1y"),
        ("SUBSTRING(s, 2, 3)", "hello", "ell"),
        ("SUBSTRING(s FROM -2)", "hello", "lo"),
        ("SUBSTRING(s, 0, 2)", "hello", "he"),
        ("SUBSTRING(s, -9, 2)", "hello", ""),
        ("SUBSTRING(s, 1, -1)", "hello", "<NULL>"),
        ("LEFT(s, 2) || RIGHT(s, 2)", "hello", "helo"),
        ("LPAD(s, 3, 'ab')", SMILE, "a" + SMILE),
        ("RPAD(s, 5, '')", "x", "<NULL>"),
        ("TRIM(s)", "  x ", "x"),
        ("TRIM(LEADING 'x' FROM s)", "xxyx", "yx"),
        ("BTRIM(s, 'ab')", "abcba", "c"),
        ("REPLACE(s, 'a', 'bb')", "aXa", "bbXbb"),
        ("TRANSLATE(s, 'abc', 'x')", "aabbcd", "xxd"),
        ("POSITION('l' IN s)", "hello", "3"),
        ("LOCATE('', s, 3)", "hello", "1"),
        ("INSTR(s, 'l', -1)", "hello", "4"),
        ("OVERLAY(s PLACING 'XX' FROM 2 FOR 1)", "abc", "aXXc"),
        ("REVERSE(s)", f"a{SMILE}b", f"b{SMILE}a"),
        ("REPEAT(s, 2)", "ab", "abab"),
        ("CHAR_LENGTH(s)", SMILE, "1"),
        ("ASCII(s)", "é", "-61"),
        ("CONCAT(s, CAST(NULL AS STRING))", "a", "<NULL>"),
        ("CONCAT_WS('-', s, CAST(NULL AS STRING), 'c')", "a", "a-c"),
        ("SPLIT_INDEX(s, ',', 1)", "a,b", "b"),
        ("SPLIT(s, ',')", "a,,b", "[a, , b]"),
        ("CARDINALITY(SPLIT(s, ','))", "", "0"),
        ("STR_TO_MAP(s)['b']", "a=1,b=2", "2"),
        ("STR_TO_MAP(s)", "z=1,a=2,kiwi=4", "{a=2, z=1, kiwi=4}"),
        ("STR_TO_MAP(s)", "a,b,,c😀 😀a,b,,c", "{=NULL, a=NULL, b=NULL, c=NULL, c😀 😀a=NULL}"),
        ("MD5(s)", "a", "0cc175b9c0f1b6a831c399e269772661"),
        ("SHA2(s, 224)", "a", "abd37534c7d9a2efb9465de931cd7055ffdb8879563ae98078d6d6d5"),
        ("FROM_BASE64(TO_BASE64(s))", "日本", "日本"),
        ("URL_DECODE(s)", "%E6%97%A5+x", "日 x"),
        ("URL_DECODE(s)", "%zz", "<NULL>"),
        ("PARSE_URL(s, 'QUERY', 'k')", "http://h/p?j=1&k=2", "2"),
        ("PRINTF('%05d|%,d|%s', CHAR_LENGTH(s), 1234567, s)", "ab", "00002|1,234,567|ab"),
        ("PRINTF('%d', s)", "x", "<NULL>"),
        ("PRINTF('%e|%.0e|%.1e', 53528.625e0, 2.5e0, 9.95e0)", "x", "5.352863e+04|3e+00|1.0e+01"),
        (
            "PRINTF('%g|%.3g|%G|%g', 0.0001234565e0, 2.345e0, 1e-10, 0e0)",
            "x",
            "0.000123457|2.35|1.00000E-10|0.00000",
        ),
        ("IS_DECIMAL(s)", "1e3", "TRUE"),
        ("INET_NTOA(INET_ATON(s))", "1.2.3.4", "1.2.3.4"),
    ],
)
def test_functions(expression: str, text: str, expected: str) -> None:
    assert one(expression, s=(STRING, text)) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("LIKE 'a%'", "abc", "TRUE"),
        ("LIKE '_b_'", "abc", "TRUE"),
        ("LIKE 'a\\%'", "a%", "FALSE"),
        ("LIKE 'a!%' ESCAPE '!'", "a%", "TRUE"),
        ("NOT LIKE '%'", "", "FALSE"),
        ("LIKE '_'", SMILE, "TRUE"),
        ("LIKE 'a_c%'", "a.c(", "TRUE"),
        ("LIKE 'a_c'", "a\nc", "FALSE"),
        ("LIKE 'a%c_'", "a\nc\\", "TRUE"),
        ("LIKE s", "a\nc", "TRUE"),
        ("LIKE REPLACE(s, 'b', '_')", "abc", "TRUE"),
        ("SIMILAR TO 'a_*'", "a\u2028", "FALSE"),
        ("SIMILAR TO 'a%'", "a\n", "TRUE"),
        ("SIMILAR TO '[a-c]+'", "abc", "TRUE"),
        ("SIMILAR TO '(ab|cd)%'", "cdx", "TRUE"),
        ("SIMILAR TO '[[:DIGIT:]]{2}'", "12", "TRUE"),
    ],
)
def test_patterns(pattern: str, text: str, expected: str) -> None:
    assert one(f"s {pattern}", s=(STRING, text)) == expected


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("REGEXP(s, '^a.c$')", "abc", "TRUE"),
        ("REGEXP(s, '')", "abc", "FALSE"),
        ("REGEXP(s, '[')", "abc", "FALSE"),
        ("REGEXP(s, '\\p{Lu}')", "É", "TRUE"),
        ("REGEXP_REPLACE(s, '(\\d+)', '$1')", "a12", "a$1"),
        ("REGEXP_EXTRACT(s, '(\\d+)-(\\d+)', 2)", "10-20", "20"),
        ("REGEXP_EXTRACT(s, '(a)', 3)", "a", "<NULL>"),
        ("REGEXP_COUNT(s, 'aa')", "aaaa", "2"),
        ("REGEXP_INSTR(s, 'b')", f"a{SMILE}b", "4"),
        ("REGEXP_SUBSTR(s, '[0-9]+')", "x12y", "12"),
        ("REGEXP_EXTRACT_ALL(s, '([a-z])(\\d)', 2)", "a1b2", "[1, 2]"),
    ],
)
def test_regular_expressions(expression: str, text: str, expected: str) -> None:
    assert one(expression, s=(STRING, text)) == expected


def test_null_in_null_out() -> None:
    assert evaluate("UPPER(s) || 'x'", {"s": (STRING, ["a", None])}) == ["Ax", "<NULL>"]


def test_types() -> None:
    columns = {"c": (char(3), []), "vc": (varchar(5), [])}
    assert type_of("c || c", columns) == "CHAR(6)"
    assert type_of("c || vc", columns) == "VARCHAR(8)"
    assert type_of("UPPER(c)", columns) == "CHAR(3)"
    assert type_of("SUBSTRING(c, 1)", columns) == "VARCHAR(3)"
    assert type_of("REPLACE(c, 'a', 'b')", columns) == "STRING"
    assert type_of("MD5(vc)", columns) == "CHAR(32)"


def test_a_wrong_escape_fails_the_job() -> None:
    with pytest.raises(JobError, match="Invalid escape sequence 'a!b', 1"):
        one("s LIKE 'a!b' ESCAPE '!'", s=(STRING, "x"))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("'a' || 1", "Cannot apply '\\|\\|' to arguments of type '<CHAR\\(1\\)> \\|\\| <INTEGER>'"),
        ("SUBSTRING(y, 2)", "Supported form\\(s\\): 'SUBSTRING\\(<CHARACTER>, <INTEGER>\\)'"),
        ("NOPE(1)", "No match found for function signature NOPE\\(<NUMERIC>\\)"),
        ("UPPER()", "Invalid number of arguments to function 'UPPER'"),
    ],
)
def test_refused(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression, {"y": (BYTES, []), "i": (INT, [])})


def test_an_unknown_function_is_distinguished_from_a_missing_one() -> None:
    with pytest.raises(ValidationError) as unknown:
        bind("UPER('x')")
    assert unknown.value.hint == "did you mean UPPER?"
    with pytest.raises(NotSupportedError, match="PRINT is not supported yet"):
        bind("PRINT(i)", {"i": (INT, [])})


def test_elt_takes_null_among_its_parts() -> None:
    assert one("ELT(2, NULL, s)", s=(STRING, "x")) == "x"


def test_groups_of_a_pattern_may_have_names() -> None:
    assert one("REGEXP_EXTRACT(s, '(?<k>a.)', 1)", s=(STRING, "xab")) == "ab"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (r"\d&&[^2]", "x2ax-é"),
        (r"^\d&&[2]", "x2xxxx"),
        ("a-c&&b-z&&[^b]", "12a3-é"),
        ("[a-b][3]", "12xx-é"),
        (r"^\W", "xxxx-é"),
        ("]a-", "12x3xé"),
    ],
)
def test_classes_of_characters_within_classes(inside: str, expected: str) -> None:
    assert one(f"REGEXP_REPLACE(s, '[{inside}]', 'x')", s=(STRING, "12a3-é")) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("UPPER('straße')", "STRASS"), ("LOWER('İ')", "i"), ("UPPER('a' || 'ß')", "AS"), ("UPPER(s)", "SS")],
)
def test_the_case_of_a_literal_keeps_its_length(expression: str, expected: str) -> None:
    columns = {"s": (STRING, ["ß"])}
    folded = fold_constants(bind(expression, columns))
    assert (folded.value if isinstance(folded, Literal) else evaluate(expression, columns)[0]) == expected


@pytest.mark.parametrize(
    "call", ["REPEAT(s, 2147483647)", "LPAD(s, 2147483647, 'b')", "RPAD(s, 2147483647, 'bc')"]
)
def test_a_text_that_no_memory_holds_is_refused_by_its_length(call: str) -> None:
    with pytest.raises(JobError, match="too long: REPEAT, LPAD and RPAD make at most 268435456"):
        one(call, s=(STRING, "ab"))
    assert one(call, s=(STRING, None)) == "<NULL>"
    assert one(call.replace("2147483647", "-2147483648"), s=(STRING, "ab")) in ("", "<NULL>")


def test_a_function_that_runs_out_of_memory_says_so() -> None:
    def exhausted(text: str) -> str:
        raise MemoryError

    call = _guarded(exhausted)
    with pytest.raises(MemoryError):
        call("a")
    assert "larger than the memory" in str(take_error())
