"""Texts that no query looks at are not made; what could be wrong about other values is still found."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError
from firesteel.formats.base import MessageError
from firesteel.types.sql import INT, STRING
from tests.formats.decoding import decoder_of, rows

SCHEMA = {"id": INT, "name": STRING, "note": STRING}
PARTS = (((),), ((),), ())
"""Nobody looks at the last one."""
ONE = '{{"id":{id},"name":"a{id}","note":"\\u00e9"}}'
MESSAGES = {
    "json": "{row}",
    "canal-json": '{{"data":[{row}],"old":[{{"name":"b"}}],"type":"UPDATE"}}',
    "debezium-json": '{{"before":{row},"after":{row},"op":"u"}}',
    "maxwell-json": '{{"data":{row},"old":{{"name":"b"}},"type":"update"}}',
    "ogg-json": '{{"before":{row},"after":{row},"op_type":"U"}}',
}
COUNT = 5000


def block(name: str, *odd: str) -> str:
    made = [ONE.format(id=i) for i in range(COUNT)] + list(odd)
    return "".join(MESSAGES[name].format(row=row) + "\n" for row in made)


@pytest.mark.parametrize("name", MESSAGES)
def test_other_columns_are_the_same(name: str) -> None:
    whole = decoder_of(name, SCHEMA).decode(block(name).encode())
    found = decoder_of(name, SCHEMA, parts=PARTS).decode(block(name).encode())
    assert found.drop_columns(["f2"]) == whole.drop_columns(["f2"])
    assert (whole["f2"].null_count, found["f2"].null_count) == (0, found.num_rows)
    assert found.schema == whole.schema


@pytest.mark.parametrize("name", MESSAGES)
def test_an_unread_number_may_be_wrong(name: str) -> None:
    unread = ((), ((),), ())
    decoder = decoder_of(name, SCHEMA, parts=unread)
    with pytest.raises((MessageError, JobError), match="abc"):
        decoder.decode(block(name, '{"id":"abc","name":"x","note":null}').encode())
    found = decoder_of(name, SCHEMA, parts=unread, ignore_parse_errors="true").decode(block(name).encode())
    assert rows(found)[-1][1] == COUNT - 1


def test_a_missing_member_is_found() -> None:
    decoder = decoder_of("json", SCHEMA, parts=PARTS, fail_on_missing_field="true")
    with pytest.raises(MessageError, match="missing"):
        decoder.decode(block("json", '{"id":1,"name":"x"}').encode())
