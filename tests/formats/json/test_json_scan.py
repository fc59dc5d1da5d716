"""What a scan of JSON messages finds, and which messages it leaves to the exact reader: those that Jackson
refuses, and what only it can judge."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from firesteel.formats.json.batch_values import Reading
from firesteel.formats.json.decode_schema import TEXT, list_of, map_of, object_of
from firesteel.formats.json.json_scan import Found, JsonScan, Scan, owners
from firesteel.formats.messages.json_limits import MAX_NUMBER_LENGTH

PLAIN = b'{"id":1,"name":"nan","note":"a, b]","info":[1,2],"config":"nfi"}'


def flagged(*messages: bytes) -> list[bool]:
    scan = JsonScan({"id": TEXT, "t": list_of(TEXT)}).read(pa.array(messages, pa.binary()))
    assert sorted([*scan.numbers, *scan.odd]) == [i for i, one in enumerate(messages) if one]
    return [index in scan.odd for index in range(len(messages))]


@pytest.mark.parametrize(
    "message",
    [
        b'{"a":1,}', b'{"a":[1, ]}', b'{"a":[1,\n\t]}', b'{"a":nan}', b'{"a":NaN }', b'{"a":-Infinity,"b":1}',
        b'{"a":inf}', b"[1]", b" 1", b'{"a":' + b"[" * 1001 + b"]" * 1001 + b"}",
        b"{", b"", b'{"a"}', b'{"a" 1}',
        b'{"a":1 "b":2}', b'{,"a":1}', b'{"a":1,,"b":2}', b'{"a":01}', b'{"a":1.}', b'{"a":.5}', b'{"a":-}',
        b'{"a":1e}', b'{"a":+1}', b'{"a":tru}',
        b'{"a":nulll}', b'{"a":"\\x"}', b'{"a":"\\u12g4"}', b'{"a":"x}',
        b'{"a":"\xff"}', b'{"a":"\xc0\xaf"}',
        b'{"a":"\xed\xa0\x80"}', b'{"a":"\xf4\x90\x80\x80"}', b'{"a":\xc3\xa9}',
        b'{"a":"\xe2\x82"}', b"{'a':1}", b'{"a":1}}', b'{"a":1}x',
        b'{"a":1} {}', b"  ", b'{"a":[1}', b'{"a":{]}',
        b'{"id":1,"id":2}', b'{"id":1,"i\\u0064":2}', b'{"t":5}', b'{"t":{}}', b'{"t":[1,]}', b'{"t":[1 2]}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_flagged(message: bytes, end: bytes) -> None:
    odd = bool(message + end)
    assert flagged(PLAIN + end, message + end, PLAIN + end) == [False, odd, False]
    assert flagged(message + end) == [odd]
    assert flagged(PLAIN + end, message + end) == [False, odd]


@pytest.mark.parametrize(
    "message",
    [
        b'{}', b' {"a" : [ ] , "b":{ } }\r\n', b'{"a":-0.0e+5}',
        b'{"a":"\x01"}', b'{"a":"\\ud800"}', b'{"t":null}',
        b'{"a":"\xf0\x9f\x98\x80\xed\x9f\xbf"}', b'{"a":1,"a":2}', b'{"t":[null,"",[],{"id":1}]}',
        b'{"a":' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"\\ud83d\\ude00":1}', b'{"a":"12345678\\"90123456\xc3\xa9"}',
    ],
)  # fmt: skip
def test_not_flagged(message: bytes) -> None:
    assert flagged(PLAIN, message, PLAIN) == [False] * 3
    assert flagged(message) == [False]


_KEYS = [
    "a",
    'a":1,"b',
    "back\\slash",
    "seven_7",
    "eight__8",
    "five5",
    "six__6",
    "Αθήνα-上海",
    "",
    "longer than two words",
]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", " : "), ("\n,", ":\t")])
def test_keys_of_all_lengths_are_found_however_they_are_written(separators: tuple[str, str]) -> None:
    orders = [_KEYS, _KEYS[::-1], _KEYS[::2], [key + "x" for key in _KEYS], ["b", *_KEYS[3:], "a"]]
    texts = [
        json.dumps({key: f"{key}{n}" for key in keys}, separators=separators, ensure_ascii=escaped)
        for n, keys in enumerate(orders)
        for escaped in (True, False)
    ]
    scan = JsonScan(dict.fromkeys(_KEYS, TEXT)).read(pa.array([text.encode() for text in texts], pa.binary()))
    assert not len(scan.odd)
    reading = Reading(scan, iso=False)
    at = np.arange(len(texts))
    for key in _KEYS:
        found = reading.texts(scan.root.members[key].cells, at).to_pylist()
        assert found == [json.loads(text).get(key) for text in texts]


@pytest.mark.parametrize("before", [0, 1, 7, 63, 124, 125, 126, 5000])
def test_a_number_that_is_too_long_is_flagged_wherever_it_stands(before: int) -> None:
    filled = b'{"t":"' + b"x" * before + b'","n":'
    assert flagged(PLAIN, filled + b"1" * (MAX_NUMBER_LENGTH + 1) + b"}", PLAIN) == [False, True, False]


def test_messages_full_of_short_numbers_are_not() -> None:
    message = json.dumps({f"n{i}": 1760000000039000000 + i for i in range(60)}).encode()
    assert not any(flagged(*[message + b" " * i for i in range(400)]))


def test_a_long_message_among_short_ones_is_judged_by_itself() -> None:
    deep = b'{"a":' + b"[" * 900 + b"]" * 900 + b"}"
    assert flagged(PLAIN, deep, PLAIN) == [False, True, False]
    number = b'{"a":' + b"1" * (MAX_NUMBER_LENGTH + 1) + b"}"
    assert flagged(PLAIN, number, number, PLAIN) == [False, True, True, False]


def test_odd_messages_leave_no_rows() -> None:
    messages = [b'{"t":[1,2]}', b'{"t":[3,4,x]}', b"", b'{"t":[]}', b'{"t":null}', b'{"t":[5]}']
    scan = JsonScan({"t": list_of(TEXT)}).read(pa.array(messages, pa.binary()))
    lists = scan.root.members["t"]
    assert scan.numbers.tolist() == [0, 3, 4, 5]
    assert owners(lists.cells)[0].tolist() == [0, 2, 2, 2, 3]
    assert texts(scan, lists.inner) == ["1", "2", "5"]


def test_blocks_of_any_number_of_elements_find_room() -> None:
    messages = [b'{"t":[' + b",".join([b"1"] * count) + b"]}" for count in (0, 1, 5000, 3)] * 3
    scan = JsonScan({"t": list_of(TEXT)})
    for _ in range(2):
        found = scan.read(pa.array(messages, pa.binary())).root.members["t"]
        assert found.inner is not None
        assert len(found.inner.cells) == 3 * 5004


def test_keys_are_found_by_what_they_say() -> None:
    members = {"é": TEXT, 'a"b': TEXT, "": TEXT, "x": object_of({"y": TEXT})}
    message = json.dumps({"x": {"y": "1", "z": 0}, "e": 5, 'a"b': "2", "é": "3", "": "4"}).encode()
    scan = JsonScan(members).read(pa.array([message] * 3, pa.binary()))
    root = scan.root.members
    found = [texts(scan, root[name]) for name in ("é", 'a"b', "")] + [texts(scan, root["x"].members["y"])]
    assert found == [["3"] * 3, ["2"] * 3, ["4"] * 3, ["1"] * 3]


def test_maps_keep_their_entries_and_refuse_a_key_twice() -> None:
    messages = [b'{"m":{"a":"1","b":"\\n"}}', b'{"m":{"a":1,"b":2,"a":3}}', b'{"m":{}}', b'{"m":{"b":"2"}}']
    scan = JsonScan({"m": map_of(TEXT)}).read(pa.array(messages, pa.binary()))
    found = scan.root.members["m"]
    assert scan.odd.tolist() == [1]
    assert texts(scan, found.inner) == ["1", "\n", "2"]
    assert texts(scan, Found(found.keys, {})) == ["a", "b", "b"]


def texts(scan: Scan, found: Found | None) -> list[str]:
    assert found is not None
    at = np.zeros(len(found.cells), np.int64)
    made: list[str] = Reading(scan, iso=False).texts(found.cells, at).to_pylist()
    return made
