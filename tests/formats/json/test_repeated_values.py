"""Values that nobody wants are not looked at again where the last message had the same; others are."""

from __future__ import annotations

import pytest

from firesteel.formats.base import MessageError
from firesteel.types.sql import INT
from tests.formats.decoding import decoder_of

SAME = '{"a":{"type":"int","of":[1,2,"x"]},"id":%d}'
COUNT = 5000


def ids(*others: str, **options: str) -> list[object]:
    lines = [SAME % number for number in range(COUNT)]
    data = "\n".join((*lines, *others, SAME % COUNT)) + "\n"
    found: list[object] = decoder_of("json", {"id": INT}, **options).decode(data.encode())["f0"].to_pylist()
    return found


@pytest.mark.parametrize(
    "other",
    [
        '{"a":{"type":"int","of":[1,2,"y"]},"id":-1}',
        '{"a":{"type":"int","of":[1,2,"x"],"more":{}},"id":-1}',
        '{"a":{"type":"int"},"id":-1}',
        '{"id":-1,"a":{"type":"int","of":[1,2,"x"]}}',
        '{"b":{"a":{"type":"int","of":[1,2,"x"]}},"id":-1}',
        '{"a":{"type":"int","of":[1,2,"x"]}, "id":-1}',
    ],
)
def test_others_are_read(other: str) -> None:
    assert ids(other) == [*range(COUNT), -1, COUNT]


@pytest.mark.parametrize(
    "bad",
    [
        '{"a":{"type":"int","of":[1,2,"x"]',
        '{"a":{"type":"int","of":[1,2,"x"},"id":-1}',
        '{"a":{"type":"int","of":[1,2,"x]]},"id":-1}',
        '{"a":{"type":"int","of":[1,2,"x"]}"id":-1}',
    ],
)
def test_bad_ones_are_refused(bad: str) -> None:
    with pytest.raises(MessageError) as caught:
        ids(bad)
    assert caught.value.index == COUNT
    assert ids(bad, ignore_parse_errors="true") == list(range(COUNT + 1))
