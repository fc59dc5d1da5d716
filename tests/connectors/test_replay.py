"""Messages that were dead letters are decoded again, without being read from their file or topic."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.changelog import KIND
from firesteel.connectors.kafka.offsets import channel
from firesteel.connectors.registry import open_source
from firesteel.connectors.replay import DecodedMessages, RawMessage, ReplayableSource
from firesteel.errors import NotSupportedError, UsageError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import BIGINT, BYTES, INT, STRING, SqlType, map_of, timestamp_ltz

FILES = {"connector": "filesystem", "path": "/d", "format": "json"}
TOPIC = {
    "connector": "kafka",
    "topic": "t",
    "format": "json",
    "properties.bootstrap.servers": "nowhere:9092",
    "scan.startup.mode": "earliest-offset",
}


def scan(
    options: dict[str, str],
    names: tuple[str, ...] = ("id", "n"),
    types: tuple[SqlType, ...] = (INT, INT),
    **others: Any,
) -> ScanSpec:
    return ScanSpec(
        options["connector"],
        tuple(options.items()),
        names,
        types,
        tuple(range(len(names))),
        table="t",
        **others,
    )


def decoded(of: ScanSpec, *messages: RawMessage) -> DecodedMessages:
    source = open_source(of)
    assert isinstance(source, ReplayableSource)
    return source.decode(messages)


def rows(found: DecodedMessages) -> dict[int, list[list[Any]]]:
    return {
        where: [list(row.values())[1:] for row in table.to_pylist()] for where, table in found.rows.items()
    }


def line(number: int, value: bytes | None, path: str = "/d/a.json") -> RawMessage:
    return RawMessage(f"{path}, line {number}", value)


def at(offset: int, value: bytes | None, partition: int = 0, **others: Any) -> RawMessage:
    return RawMessage(f"topic t, partition {partition}, offset {offset}", value, **others)


def test_lines_of_files_come_in_their_order_and_bad_ones_stay() -> None:
    found = decoded(
        scan(FILES),
        line(7, b'{"id": 2, "n": 7}', "/d/b, line 1.json"),
        line(10, b'{"id": 1, "n": 10}'),
        line(9, b"{"),
        line(2, b'{"id": 0, "n": 2}'),
    )
    assert rows(found) == {0: [[0, 2], [1, 10], [2, 7]]}
    assert found.rows[0].column_names == [KIND, "f0", "f1"]
    assert list(found.errors) == ["/d/a.json, line 9"]
    assert "Failed to deserialize JSON '{'" in found.errors["/d/a.json, line 9"]


def test_without_a_good_message_there_are_no_rows() -> None:
    assert decoded(scan(FILES), line(1, b"{")).rows == {}


def test_path_and_partition_of_a_file_are_known_from_the_place() -> None:
    of = scan(
        {**FILES, "format": "csv"},
        ("id", "day", "file"),
        (INT, STRING, STRING),
        partition_keys=("day",),
        metadata=(None, None, "file.path"),
    )
    found = decoded(of, line(1, b"5", "/d/day=mon/a.csv"))
    assert rows(found) == {0: [[5, "mon", "/d/day=mon/a.csv"]]}


def test_messages_of_topics_keep_their_partition_and_order() -> None:
    found = decoded(
        scan(TOPIC),
        at(12, b'{"id": 1, "n": 12}', 3),
        at(9, b'{"id": 1, "n": 9}', 3),
        at(4, b'{"id": 2, "n": 4}'),
        at(5, b"nonsense"),
    )
    assert rows(found) == {channel("t", 3): [[1, 9], [1, 12]], channel("t", 0): [[2, 4]]}
    assert list(found.errors) == ["topic t, partition 0, offset 5"]


def test_columns_of_key_and_metadata_come_from_the_letter() -> None:
    keyed = {"key.format": "raw", "key.fields": "k", "value.format": "json"}
    shared = {key: value for key, value in TOPIC.items() if key != "format"}
    of = scan(
        {**shared, **keyed, "value.fields-include": "EXCEPT_KEY"},
        ("k", "n", "p", "o", "time"),
        (STRING, INT, INT, BIGINT, timestamp_ltz(3)),
        metadata=(None, None, "partition", "offset", "timestamp"),
    )
    found = decoded(of, at(8, b'{"n": 1}', 2, key=b"key", time=1500))
    (row,) = found.rows[channel("t", 2)].to_pylist()
    assert [row["f0"], row["f1"], row["f2"], row["f3"]] == ["key", 1, 2, 8]
    assert row["f4"].timestamp() == 1.5


@pytest.mark.parametrize(
    ("kind", "key", "words"),
    [
        (timestamp_ltz(3), "timestamp", "reads their times, and the dead-letter table has none of them"),
        (map_of(STRING, BYTES), "headers", "does not keep their metadata 'headers', which the query reads"),
    ],
)
def test_metadata_that_the_letter_lacks_is_an_error(kind: SqlType, key: str, words: str) -> None:
    of = scan(TOPIC, ("id", "m"), (INT, kind), metadata=(None, key))
    with pytest.raises((NotSupportedError, UsageError)) as told:
        decoded(of, at(1, b'{"id": 1}'))
    assert words in str(told.value)


def test_sizes_of_files_are_not_known() -> None:
    of = scan(FILES, ("id", "size"), (INT, BIGINT), metadata=(None, "file.size"))
    with pytest.raises(NotSupportedError, match=r"metadata 'file\.size' of their files"):
        decoded(of, line(1, b'{"id": 1}'))


@pytest.mark.parametrize("options", [FILES, TOPIC])
def test_changes_of_rows_are_not_replayed(options: dict[str, str]) -> None:
    with pytest.raises(NotSupportedError, match="would undo them"):
        decoded(scan({**options, "format": "debezium-json"}), line(1, b"{}"))


def test_upserts_are_not_replayed() -> None:
    upserts = {key: value for key, value in TOPIC.items() if key not in ("format", "scan.startup.mode")}
    upserts |= {"connector": "upsert-kafka", "key.format": "json", "value.format": "json"}
    with pytest.raises(NotSupportedError, match="would undo them"):
        decoded(scan(upserts, upsert_key=("id",)), at(1, b'{"id": 1, "n": 2}', key=b'{"id": 1}'))


@pytest.mark.parametrize(
    ("options", "place"), [(FILES, "topic t"), (TOPIC, "/d/a.json, line 1"), (FILES, "")]
)
def test_a_position_of_another_source_is_an_error(options: dict[str, str], place: str) -> None:
    with pytest.raises(UsageError, match=f"'{place}' is no"):
        decoded(scan(options), RawMessage(place, b"{}"))
