"""Messages of formats that are lines in files: what a message's own line ends do to it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import firesteel.kernels.json.scan  # noqa: F401  # so that messages are read in columns
from firesteel.connectors.kafka.messages import MESSAGE, OFFSET, Messages
from firesteel.connectors.kafka.rows import Rows
from firesteel.errors import DataError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import INT, STRING, map_of


def rows(name: str, *messages: bytes | None) -> list[tuple[object, ...]]:
    options = {"topic": "t", "format": name, "properties.bootstrap.servers": "none:1"}
    scan = ScanSpec("kafka", tuple(options.items()), ("a", "s"), (INT, STRING), (0, 1), (None, None))
    columns = {MESSAGE: pa.array(messages, pa.binary()), OFFSET: pa.array(range(5, 5 + len(messages)))}
    table = Rows(scan, options).table(Messages("t", 0, columns), 0, 0)
    return [tuple(row.values())[2:] for row in table.to_pylist()]


def test_line_ends_within_and_behind_a_message() -> None:
    plain, pretty, ended = b'{"a":1,"s":"x"}', b'{"a":2,\n "s":"y"}\n', b'{"a":3}\r\n'
    assert rows("json", plain, b"", pretty, None, ended) == [(1, "x"), (2, "y"), (3, None)]


def test_csv_has_its_own_lines() -> None:
    assert rows("csv", b'1,"x\ny"', b"2,z") == [(1, "x\ny"), (2, "z")]


def test_parts_that_nobody_looks_at_are_not_made() -> None:
    options = {"topic": "t", "format": "json", "properties.bootstrap.servers": "none:1"}
    types, parts = (INT, map_of(STRING, STRING)), ((), (("k",),))
    scan = ScanSpec("kafka", tuple(options.items()), ("a", "m"), types, (0, 1), (None, None), parts=parts)
    columns = {MESSAGE: pa.array([b'{"a":1,"m":{"j":"x","k":"y"}}'] * 99), OFFSET: pa.array(range(99))}
    table = Rows(scan, options).table(Messages("t", 0, columns), 0, 0)
    assert [list(entry.values()) for entry in table["f1"][98].as_py()] == [["k", "y"]]


@pytest.mark.parametrize("blank", [b"\n", b" "], ids=["line end", "blank"])
def test_a_blank_message_is_an_error(blank: bytes) -> None:
    """Flink: `No content to map due to end-of-input`; one without any bytes gives nothing."""
    for name in ("json", "canal-json"):
        with pytest.raises(DataError, match="No content to map due to end-of-input"):
            rows(name, b"", blank)


def test_an_error_quotes_the_message_as_it_is() -> None:
    for message in ("nope", "nope\n"):
        with pytest.raises(DataError) as caught:
            rows("json", b'{"a":1}', message.encode())
        said = f"Failed to deserialize JSON '{message}'. Expecting value at character 1"
        assert caught.value.message == f"topic t, partition 0, offset 6: {said}"
