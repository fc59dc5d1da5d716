"""Messages that DuckDB's parser takes and Jackson refuses are flagged; what only looks like them is not."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from firesteel.formats.json_parser import MAX_NUMBER_LENGTH
from firesteel.formats.json_strict import suspicious

PLAIN = b'{"id":1,"name":"nan","note":"a, b]","info":[1,2],"config":"nfi"}'


def flagged(*messages: bytes) -> list[bool]:
    return list(suspicious(pa.array(messages, pa.binary())))


@pytest.mark.parametrize(
    "message",
    [
        b'{"a":1,}', b'{"a":[1, ]}', b'{"a":[1,\n\t]}', b'{"a":nan}', b'{"a":NaN }', b'{"a":-Infinity,"b":1}',
        b'{"a":inf}', b"[1]", b" 1", b'{"a":' + b"[" * 1001 + b"]" * 1001 + b"}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_flagged(message: bytes, end: bytes) -> None:
    assert flagged(PLAIN + end, message + end, PLAIN + end) == [False, True, False]
    assert flagged(message + end) == [True]
    assert flagged(PLAIN + end, message + end) == [False, True]


@pytest.mark.parametrize("before", [0, 1, 7, 63, 124, 125, 126, 5000])
def test_a_number_that_is_too_long_is_flagged_wherever_it_stands(before: int) -> None:
    filled = b'{"t":"' + b"x" * before + b'","n":'
    assert flagged(PLAIN, filled + b"1" * (MAX_NUMBER_LENGTH + 1) + b"}", PLAIN) == [False, True, False]


def test_messages_full_of_short_numbers_are_not() -> None:
    message = json.dumps({f"n{i}": 1760000000039000000 + i for i in range(60)}).encode()
    assert not any(flagged(*[message + b" " * i for i in range(400)]))


def test_many_brackets_in_many_messages_are_not_deep() -> None:
    message = b'{"a":' + b"[" * 90 + b"]" * 90 + b',"t":"' + b"x" * 300 + b'"}'
    assert not any(flagged(*[message] * 50))


def test_a_long_message_among_short_ones_is_judged_by_itself() -> None:
    deep = b'{"a":' + b"[" * 900 + b"]" * 900 + b"}"
    assert flagged(PLAIN, deep, PLAIN) == [False, False, False]
    number = b'{"a":' + b"1" * (MAX_NUMBER_LENGTH + 1) + b"}"
    assert flagged(PLAIN, deep, PLAIN, number, number, PLAIN) == [False, False, False, True, True, False]
