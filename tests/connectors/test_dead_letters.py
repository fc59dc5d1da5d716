"""Messages that cannot be read are set aside, and all others are read as if they were not there."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from firesteel.connectors.dead_letters import decode_around
from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.types.sql import INT, STRING

FIELDS = Fields(("id", "name"), (INT, STRING), ("id", "name"), (INT, STRING))
GOOD = {
    "json": '{{"id": {0}, "name": "n{0}"}}',
    "csv": "{0},n{0}",
    "canal-json": '{{"data": [{{"id": "{0}", "name": "n{0}"}}], "type": "INSERT", "isDdl": false}}',
    "debezium-json": '{{"before": null, "after": {{"id": {0}, "name": "n{0}"}}, "op": "c"}}',
    "maxwell-json": '{{"data": {{"id": {0}, "name": "n{0}"}}, "type": "insert"}}',
}
BAD = {
    "csv": [b"x,n", b"1,a,b", b"99999999999,n"],
}
BAD_JSON = [b"{", b"[1, 2]", b'{"id": "x"', b"\xff\xfe", b"nonsense"]


def decoder(name: str) -> Any:
    return find_format(name).decoder(FIELDS, {})


@pytest.mark.parametrize("count", [10, 3000])
@pytest.mark.parametrize("name", sorted(GOOD))
def test_what_is_good_is_read(name: str, count: int) -> None:
    chance = random.Random(5)
    messages: list[bytes | None] = [GOOD[name].format(n).encode() for n in range(count)]
    places = sorted(chance.sample(range(count), max(2, count // 100)))
    for place in places:
        messages[place] = chance.choice(BAD.get(name, BAD_JSON))
    changes, at, errors = decode_around(decoder(name), pa.array(messages, pa.binary()))
    assert [error.index for error in errors] == places
    assert all(error.text for error in errors)
    good = [n for n in range(count) if n not in places]
    assert at.tolist() == good
    assert changes["f0"].to_pylist() == good
    assert changes["f1"].to_pylist() == [f"n{n}" for n in good]


def test_without_bad_messages_nothing_is_read_twice() -> None:
    made = decoder("json")
    calls: list[int] = []
    decode = made.decode

    def counted(messages: pa.BinaryArray) -> Any:
        calls.append(len(messages))
        return decode(messages)

    made.decode = counted
    messages = pa.array([GOOD["json"].format(n).encode() for n in range(5000)], pa.binary())
    changes, _, errors = decode_around(made, messages)
    assert (changes.num_rows, errors, calls) == (5000, [], [5000])


def test_all_messages_may_be_bad() -> None:
    changes, at, errors = decode_around(decoder("json"), pa.array([b"{"] * 2100, pa.binary()))
    assert (changes.num_rows, len(at)) == (0, 0)
    assert [error.index for error in errors] == list(range(2100))
