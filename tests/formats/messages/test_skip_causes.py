"""Skipped messages are counted by cause, in columns and one by one."""

from __future__ import annotations

import pyarrow as pa
import pytest

from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.types.sql import INT, STRING

FIELDS = Fields(("id", "name"), (INT, STRING), ("id", "name"), (INT, STRING))
GOOD = {
    "json": b'{"id": 1, "name": "n"}',
    "csv": b"1,n",
    "canal-json": b'{"data": [{"id": "1", "name": "n"}], "type": "INSERT", "isDdl": false}',
    "debezium-json": b'{"before": null, "after": {"id": 1, "name": "n"}, "op": "c"}',
}
CASES = [
    ("json", b'{"id": 1', "damaged_message"),
    ("json", b"[]", "no_row"),
    ("csv", b"1,n,more,values", "invalid_value"),
    ("canal-json", b"nonsense", "damaged_message"),
    ("canal-json", b'{"data": null, "type": "QUERY", "sql": "COMMIT"}', "control_message"),
    ("debezium-json", b'{"before": null, "after": {"id": 1}}', "damaged_message"),
    ("debezium-json", b'{"status": "BEGIN", "id": "5"}', "control_message"),
]


@pytest.mark.parametrize("size", [1, 500])
@pytest.mark.parametrize(("name", "bad", "cause"), CASES)
def test_each_skipped_message_has_its_cause(name: str, bad: bytes, cause: str, size: int) -> None:
    decoder = find_format(name).decoder(FIELDS, {"ignore-parse-errors": "true"})
    messages = pa.array([GOOD[name]] * size + [bad] + [GOOD[name]] * size + [bad], pa.binary())
    changes, _ = decoder.decode(messages)
    assert changes.num_rows == 2 * size
    assert decoder.causes == {cause: 2}


def test_a_cause_is_that_of_its_own_message() -> None:
    decoder = find_format("canal-json").decoder(FIELDS, {"ignore-parse-errors": "true"})
    bad = [b"{", b'{"data": null, "type": "QUERY"}', b'{"data": [{"id": "1"}], "type": "MERGE"}']
    decoder.decode(pa.array(bad, pa.binary()))
    assert decoder.causes == {"damaged_message": 2, "control_message": 1}
