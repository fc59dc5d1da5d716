"""How columns of messages are decoded, whatever the format."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from firesteel.formats.json.decode_schema import TEXT
from firesteel.formats.json.json_scan import JsonScan
from firesteel.formats.messages.lines import Lines, joined
from firesteel.types.sql import INT, STRING
from tests.formats.decoding import decode, decoder_of, rows

SCHEMA = {"a": INT, "b": STRING}


@pytest.mark.parametrize("data", [b"", b"x", b"x\n", b"x\ny", b"\n\n", b"\xff\n\x00"])
def test_lines_are_cut_at_their_ends(data: bytes) -> None:
    lines, rest = Lines().split(data)
    assert lines.to_pylist() == data.splitlines(keepends=True)
    assert rest == b""


def test_messages_are_joined_to_lines_and_tombstones_are_none() -> None:
    assert joined(pa.array([b"a", None, b"b"], pa.binary())) == b"a\nb\n"
    assert joined(pa.array([None], pa.binary())) == b""


def test_messages_of_many_forms_keep_their_order() -> None:
    kinds = ['{{"a":{n},"b":"x"}}', '{{ "b" : "y","a":{n}.5}}', '{{"a":"{n}","c":[{{}}],"b":"z"}}']
    lines = [kinds[n % 3].format(n=n) for n in range(600)]
    found = rows(decode("json", SCHEMA, "\n".join(lines)))
    assert [row[1] for row in found] == list(range(600))
    assert "".join(str(row[2]) for row in found[:6]) == "xyzxyz"


@pytest.mark.parametrize("copies", [1, 100])
def test_messages_need_no_line_end_and_may_hold_some(copies: int) -> None:
    kinds: list[Any] = [b'{"a":1,\n"b":"x"}', None, b'{\n"a":2}\n', b"", b'{"a":3,"b":"\ny"}']
    table, indices = decoder_of("json", SCHEMA).decoder.decode(pa.array(kinds * copies, pa.binary()))
    assert rows(table) == [("+I", 1, "x"), ("+I", 2, None), ("+I", 3, "\ny")] * copies
    assert indices.tolist() == [5 * n + at for n in range(copies) for at in (0, 2, 4)]


def test_no_block_is_too_small() -> None:
    assert rows(decode("json", SCHEMA, "")) == []
    assert rows(decode("json", SCHEMA, "\n")) == []


def test_lines_that_look_right_and_are_no_json_are_found() -> None:
    good = '{"a":1,"b":"x"}\n{"b":"x"}\n{"a":1}\n' * 40
    text = good + '{"a":1"b":"x"}\n'
    decoder = decoder_of("json", SCHEMA, ignore_parse_errors="true")
    assert len(rows(decoder.decode((text + good).encode()))) == 240
    assert decoder.skipped == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"x":[1,]}', '{"x":1, \t}', '{"x":NaN}', '{"x":-inf}', '{"x":[Infinity]}', '{"x":nan }', "[{}]", "5",
        '{"x":' + "1" * 1001 + "}", '{"x":' + "[" * 1001 + "]" * 1001 + "}",
    ],
)  # fmt: skip
def test_what_jackson_refuses_is_found(text: str) -> None:
    good = ['{"x":[1, 2] }', '{"x":"nanny, information"}', '{"x":{}}'] * 30
    messages = pa.array([*good, text, *good], pa.string()).cast(pa.binary())
    assert JsonScan({"a": TEXT}).read(messages).odd.tolist() == [90]


def test_values_keep_the_digits_that_a_double_has_not() -> None:
    schema = {"b": STRING}
    texts = [
        "1.50",
        '"1.50"',
        "-0",
        "0",
        '"0"',
        "12345678901234567890123",
        "1e2",
        "[1.50]",
        '{"x": 1.0}',
        '"[1,  2]"',
    ]
    lines = "".join(f'{{"b":{text}}}\n' for text in texts)
    once = rows(decode("json", schema, lines))
    assert rows(decode("json", schema, lines * 100)) == once * 100
    assert [row[1] for row in once[:4]] == ["1.50", "1.50", "-0", "0"]
