"""Every function with arguments of every type: what Flink refuses is refused here."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Family

COLUMNS = {
    "b": "BOOLEAN",
    "ti": "TINYINT",
    "si": "SMALLINT",
    "i": "INT",
    "l": "BIGINT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "m": "DECIMAL(10, 2)",
    "s": "STRING",
    "c": "CHAR(3)",
    "y": "BYTES",
    "dt": "DATE",
    "tm": "TIME(0)",
    "ts": "TIMESTAMP(3)",
    "lz": "TIMESTAMP_LTZ(3)",
    "a": "ARRAY<INT>",
    "sa": "ARRAY<STRING>",
    "mp": "MAP<STRING, INT>",
    "r": "ROW<a INT, b STRING>",
}
_ROW = {
    "b": True,
    "ti": 1,
    "si": 2,
    "i": 3,
    "l": 1,
    "f": 0.5,
    "d": 0.25,
    "m": "1.50",
    "s": "ab",
    "c": "abc",
    "y": "aGVsbG8=",
    "dt": "2024-02-29",
    "tm": "12:34:56",
    "ts": "2024-02-29 12:34:56.789",
    "lz": "2024-02-29 12:34:56.789Z",
    "a": [1, 2],
    "sa": ["x", "y"],
    "mp": {"a": 1},
    "r": {"a": 1, "b": "x"},
}
ROWS = [_ROW, {}]
_STAND_INS = {
    "s": "s",
    "i": "i",
    "n": "d",
    "b": "b",
    "y": "y",
    "a": "a",
    "z": "i",
    "m": "mp",
    "t": "sa",
    "l": "'a'",
}
_FORMS = """
UPPER s|LOWER s|INITCAP s|CHAR_LENGTH s|CHARACTER_LENGTH s|SUBSTRING si|SUBSTRING sii|SUBSTR si
SUBSTR sii|LEFT si|RIGHT si|REPLACE sss|TRANSLATE sss|CONCAT ss|CONCAT_WS sss|LOCATE ss|LOCATE ssi
INSTR ss|INSTR ssi|INSTR ssii|LPAD sis|RPAD sis|REPEAT si|REVERSE s|LTRIM s|LTRIM ss|RTRIM s|RTRIM ss
BTRIM s|BTRIM ss|ASCII s|CHR i|ELT iss|IS_ALPHA s|IS_DIGIT s|IS_DECIMAL s|PRINTF sz|STARTSWITH ss
ENDSWITH ss|REGEXP ss|REGEXP_REPLACE sss|REGEXP_EXTRACT ss|REGEXP_EXTRACT ssi|REGEXP_COUNT ss
REGEXP_INSTR ss|REGEXP_SUBSTR ss|REGEXP_EXTRACT_ALL ss|REGEXP_EXTRACT_ALL ssi|SPLIT_INDEX ssi|SPLIT ss
STR_TO_MAP s|STR_TO_MAP sss|MD5 s|SHA1 s|SHA224 s|SHA256 s|SHA384 s|SHA512 s|SHA2 si|TO_BASE64 s
FROM_BASE64 s|ENCODE sl|DECODE yl|URL_ENCODE s|URL_DECODE s|PARSE_URL ss|PARSE_URL sss|INET_ATON s
INET_NTOA i|HEX i|HEX s|UNHEX s|HASH_CODE s|PRINT sz|ABS n|SIGN n|FLOOR n|CEIL n|CEILING n|ROUND n
ROUND ni|TRUNCATE n|TRUNCATE ni|SQRT n|EXP n|LN n|LOG10 n|LOG2 n|LOG n|LOG nn|SIN n|COS n|TAN n|COT n
SINH n|COSH n|TANH n|ASIN n|ACOS n|ATAN n|ATAN2 nn|DEGREES n|RADIANS n|POWER nn|BIN i|MOD ii|PI|E
CARDINALITY a|CARDINALITY m|ELEMENT a|ARRAY_CONTAINS ai|ARRAY_POSITION ai|ARRAY_REMOVE ai|ARRAY_APPEND ai
ARRAY_PREPEND ai|ARRAY_DISTINCT a|ARRAY_REVERSE a|ARRAY_MAX a|ARRAY_MIN a|ARRAY_SORT a|ARRAY_SORT ab
ARRAY_SORT abb|ARRAY_SLICE ai|ARRAY_SLICE aii|ARRAY_UNION aa|ARRAY_EXCEPT aa|ARRAY_INTERSECT aa
ARRAY_CONCAT aa|ARRAY_JOIN ts|ARRAY_JOIN tss|MAP_KEYS m|MAP_VALUES m|MAP_ENTRIES m|MAP_FROM_ARRAYS aa
MAP_UNION mm|MAP_UNION m|COALESCE zz|IFNULL zz|NULLIF zz|GREATEST zz|LEAST zz|IF bzz|TYPEOF z
"""
FORMS = [form.split(" ") for form in _FORMS.replace("\n", "|").split("|") if form]
VALUES = [
    *COLUMNS,
    *(
        "NULL",
        "1",
        "'1'",
        "1.5",
        "2e0",
        "TRUE",
        "X'61'",
        "DATE '2024-02-29'",
        "INTERVAL '1' DAY",
        "ARRAY['a']",
    ),
    *("INTERVAL '2' MONTH", "MAP['a', 'b']", "ROW(1, 'x')", "CAST(NULL AS INT)", "CAST(NULL AS STRING)"),
]


def draw(rng: random.Random) -> str:
    """A call in which some arguments are what the function takes and some are not."""
    name, *letters = rng.choice(FORMS)
    wanted = [_STAND_INS[letter] for letter in "".join(letters)]
    changed = {rng.randrange(len(wanted))} if wanted else set()
    if name in ("COALESCE", "IFNULL", "NULLIF", "GREATEST", "LEAST", "IF") or rng.random() < 0.2:
        changed = set(range(len(wanted)))
    arguments = [rng.choice(VALUES) if i in changed else value for i, value in enumerate(wanted)]
    if rng.random() < 0.03:
        arguments = arguments[:-1] or ["1"]
    return f"{name}({', '.join(arguments)})"


FAMILY = Family(COLUMNS, ROWS, draw)
