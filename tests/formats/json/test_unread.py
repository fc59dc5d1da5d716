"""Texts and numbers that no query looks at are not made; what could be wrong about them is still found."""

from __future__ import annotations

from itertools import product

import pytest

from firesteel.errors import JobError
from firesteel.formats.base import MessageError
from firesteel.formats.messages.message_decoder import WORTH_COLUMNS
from firesteel.types.sql import BIGINT, DOUBLE, FLOAT, INT, STRING, TINYINT, SqlType, decimal
from firesteel.types.value_parts import Parts
from tests.formats.decoding import decoder_of, rows
from tests.scale import part

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
COUNT = 4 * WORTH_COLUMNS
"""Read in columns: the kernels are loaded (conftest.py)."""


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
    assert rows(found)[-1][2] == f"a{COUNT - 1}"


def test_a_missing_member_is_found() -> None:
    decoder = decoder_of("json", SCHEMA, parts=PARTS, fail_on_missing_field="true")
    with pytest.raises(MessageError, match="missing"):
        decoder.decode(block("json", '{"id":1,"name":"x"}').encode())


KINDS = (DOUBLE, FLOAT, decimal(10, 2), TINYINT, INT, BIGINT)
NUMBERS = (
    *(
        "1",
        "-1.5",
        "-0",
        "1e3",
        "1.0E2",
        "1e400",
        "true",
        "null",
        "{}",
        "[1]",
        "-0.0",
        "0.1234567890123456789",
    ),
    *(
        f'"{text}"'
        for text in ("2.50", "1.", ".5", " 1", "NaN", "1e3", "", "-", "1.2.3", "--1", "1-", "0x1p3")
    ),
    *(f'"{text}"' for text in ("007", "+1", "127", "-128", "128", "9" * 10, "9" * 19, "9" * 40, "1" * 400)),
    *("99", "2147483648", "9" * 19, "9" * 40, "9" * 1100),
)


@pytest.mark.parametrize(
    ("number", "name", "kind"), part(list(product(NUMBERS, ["json", "canal-json"], KINDS)), 150), ids=str
)
def test_an_unread_number_is_refused_as_a_read_one_is(name: str, number: str, kind: SqlType) -> None:
    schema, row = {"id": INT, "price": kind}, f'{{"id":7,"price":{number}}}'
    data = (MESSAGES[name].format(row=row).replace('"old":[{"name":"b"}]', '"old":[{"id":6}]') + "\n") * COUNT

    def ids(parts: tuple[Parts, ...]) -> list[object] | str:
        try:
            return list(decoder_of(name, schema, parts=parts).decode(data.encode())["f0"].to_pylist())
        except (MessageError, JobError) as error:
            return str(error)

    assert ids((((),), ())) == ids(())
