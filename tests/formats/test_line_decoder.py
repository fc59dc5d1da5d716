"""How blocks of lines are decoded, whatever the format."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.formats import line_decoder
from firesteel.formats.line_decoder import split_lines
from firesteel.types.sql import INT, STRING

from .decoding import decode, decoder_of, rows

SCHEMA = {"a": INT, "b": STRING}


@pytest.mark.parametrize("data", [b"", b"x", b"x\n", b"x\ny", b"\n\n", b"\xff\n\x00"])
def test_lines_are_cut_at_their_ends(data: bytes) -> None:
    lines = split_lines(data)
    assert [bytes(lines[i].as_buffer()) for i in range(len(lines))] == data.splitlines(keepends=True)


def test_several_shapes_are_learned_and_the_order_stays() -> None:
    kinds = ['{{"a":{n},"b":"x"}}', '{{"b":"y","a":{n}}}', '{{"a":"{n}","b":"z"}}']
    lines = [kinds[n % 3].format(n=n) for n in range(600)]
    decoder = decoder_of("json", SCHEMA)
    found = rows(decoder.decode("\n".join(lines).encode()))
    assert [row[1] for row in found] == list(range(600))
    assert "".join(str(row[2]) for row in found[:6]) == "xyzxyz"
    assert len(decoder._shapes) >= 2


def test_a_pattern_that_is_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    real = line_decoder.pc.match_substring_regex

    def refuse(lines: Any, pattern: str) -> Any:
        return real(lines, "(")

    monkeypatch.setattr(line_decoder.pc, "match_substring_regex", refuse)
    decoder = decoder_of("json", SCHEMA)
    assert rows(decoder.decode(b'{"a":1}\n' * 100)) == [("+I", 1, None)] * 100
    assert decoder._shapes == []


def test_no_block_is_too_small() -> None:
    assert rows(decode("json", SCHEMA, "")) == []
    assert rows(decode("json", SCHEMA, "\n")) == []


def test_lines_that_look_right_and_are_no_json_are_found() -> None:
    good = '{"a":1,"b":"x"}\n{"b":"x"}\n{"a":1}\n' * 40
    text = good + '{"a":1"b":"x"}\n'
    decoder = decoder_of("json", SCHEMA, ignore_parse_errors="true")
    assert len(rows(decoder.decode((text + good).encode()))) == 240
    assert decoder.skipped == 1
