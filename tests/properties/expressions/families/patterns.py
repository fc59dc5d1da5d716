"""LIKE, SIMILAR TO, the REGEXP functions, and what splits or reads texts by a pattern."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Family, call, one_of, quoted

COLUMNS = {
    "s": "STRING",
    "u": "STRING",
    "x": "STRING",
    "vc": "VARCHAR(5)",
    "g": "INT",
    "y": "BYTES",
    "n": "STRING",
}
_VALUES = {
    "s": [
        *(
            "foo.bar*baz",
            "a1b22c333",
            "aaaa",
            "",
            "100% of_it",
            "a\\b[c]",
            "日本語テキスト",
            "a😀b😀",
            "x,y;z,,w",
        ),
        *("2024-02-29", "KEY=v1&key=v2", "line\nbreak", "(a|b)", "İstanbul ıI", "a'b\"c"),
    ],
    "u": [
        *(
            "http://user:pw@example.com:8080/p/a.php?k1=v1&k2=v2&k1=v3#Ref1",
            "https://flink.apache.org",
            "not a url",
        ),
        *(
            "http://h/p?x=%E6%97%A5&y=a+b&z=",
            "file:///tmp/x",
            "mailto:a@b.c",
            "http://[::1]:80/",
            "a b&c=%zz",
            None,
        ),
    ],
    "x": ["a+", "[0-9]+", "(a)(b)?", ".", "", "%", "_", "(", None, "\\d", "a|b", "^.", ","],
    "vc": ["a%", "_b", "aaaa", None, "100%", "x"],
    "g": [0, 1, 2, -1, None, 3],
    "y": ["aGVsbG8=", "", None, "AAF/gP8="],
    "n": ["1.2.3.4", "256.1.1.1", "0.0.0.0", "1.2.3", None, "255.255.255.255", " 1.2.3.4", "1..2.3"],
}
ROWS = [{name: values[i % len(values)] for name, values in _VALUES.items()} for i in range(15)] + [{}]

_LIKES = [
    "%",
    "_",
    "a%",
    "%b%",
    "_a_",
    "",
    "a\\%b",
    "100!%%",
    "%!_%",
    "%é%",
    "foo.bar%",
    "(%",
    "a_",
    "%\\",
    "[a]%",
    "%日%",
    "!",
]
_SIMILAR = [
    "%",
    "a%",
    "(a|b)%",
    "[a-c]+%",
    "a{2,4}",
    "_*",
    "[^0-9]%",
    "%(22|33)%",
    "a?%",
    "[[:DIGIT:]]+%",
    "foo.bar%",
]
_REGEX = [
    *(
        "a+",
        "[0-9]+",
        "(a)(b)?",
        ".",
        "",
        "(\\d+)(.)?",
        "\\w+",
        "^.",
        ".$",
        "a|b",
        "(?i)KEY=(\\w+)",
        "[^a-z]",
        "\\s",
        "日",
    ),
    *(
        "(",
        "[",
        "*",
        "\\p{L}+",
        "(?<k>a.)",
        "a{2}",
        "(a*)*",
        "\\.",
        "b$",
        "(x)|(y)",
        "\\bfoo\\b",
        "😀",
        "[\\d&&[^2]]",
        "\\Qa1\\E",
    ),
]
_REPLACEMENTS = ["", "X", "$1", "[$0]", "\\$", "a$", "$2-$1", "\\", "日"]
_text = one_of("s", "s", "s", "vc", "u", "UPPER(s)", "'aXbXc'", "''", "'a1b22'")
_regex = one_of("x", *(quoted(text) for text in _REGEX))
_index = one_of("g", "0", "1", "2", "-1", "3")


def _like(rng: random.Random) -> str:
    negated = rng.choice(["", "NOT "])
    pattern = rng.choice([*map(quoted, _LIKES), "x", "vc"])
    escape = rng.choice(["", "", "", " ESCAPE '!'", " ESCAPE '\\'"])
    return f"{_text(rng)} {negated}LIKE {pattern}{escape}"


def _similar(rng: random.Random) -> str:
    return f"{_text(rng)} {rng.choice(['', 'NOT '])}SIMILAR TO {quoted(rng.choice(_SIMILAR))}"


def draw(rng: random.Random) -> str:
    """A match, or what a match finds."""
    part = one_of(
        *(
            quoted(p)
            for p in ("HOST", "PATH", "QUERY", "REF", "PROTOCOL", "FILE", "AUTHORITY", "USERINFO", "host")
        )
    )
    replacement = one_of(*map(quoted, _REPLACEMENTS))
    charset = one_of(*map(quoted, ("UTF-8", "UTF-16", "US-ASCII", "ISO-8859-1", "UTF-16LE", "GBK", "none")))
    return one_of(
        *[_like] * 5,
        *[_similar] * 2,
        *(
            call(n, _text, _regex)
            for n in ("REGEXP", "REGEXP_COUNT", "REGEXP_INSTR", "REGEXP_SUBSTR", "REGEXP_EXTRACT")
        ),
        call("REGEXP_EXTRACT", _text, _regex, _index),
        call("REGEXP_EXTRACT_ALL", _text, _regex),
        call("REGEXP_EXTRACT_ALL", _text, _regex, _index),
        *[call("REGEXP_REPLACE", _text, _regex, replacement)] * 2,
        call("SPLIT", _text, one_of("','", "''", "x", "'a'", "'😀'")),
        call("SPLIT_INDEX", _text, one_of("','", "''", "x", "'a'", "44", "97"), _index),
        call("STR_TO_MAP", _text),
        call("STR_TO_MAP", _text, one_of("'&'", "','", "'a'", "x"), one_of("'='", "'1'", "''", "x")),
        call("PARSE_URL", one_of("u", "s"), part),
        call("PARSE_URL", one_of("u", "u", "s"), part, one_of("'k1'", "'x'", "s", "'z'")),
        call("URL_ENCODE", _text),
        call("URL_DECODE", _text),
        call("URL_DECODE", call("URL_ENCODE", _text)),
        call("INET_ATON", one_of("n", "s")),
        call("INET_NTOA", one_of("g", "INET_ATON(n)", "4294967295", "-1", "4294967296")),
        call("TO_BASE64", one_of(_text, "y")),
        call("FROM_BASE64", one_of(_text, "'aGVsbG8='", "TO_BASE64(s)")),
        call("ENCODE", _text, charset),
        call("DECODE", one_of("y", "ENCODE(s, 'UTF-8')"), charset),
        *(call(n, _text) for n in ("MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "HEX", "UNHEX")),
        call("SHA2", _text, one_of("224", "256", "0", "512", "1", "g")),
        call("TYPEOF", one_of(_like, call("REGEXP_EXTRACT_ALL", _text, _regex), call("STR_TO_MAP", _text))),
    )(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
