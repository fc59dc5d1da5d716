"""json, by the answers that Flink 2.3 gives."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from firesteel.formats.base import MessageError
from firesteel.formats.registry import find_format
from firesteel.types.sql import BYTES, DOUBLE, INT, STRING, array, map_of, row, timestamp
from tests.formats.decoding import decode, rows

CANAL = '{"type":"INSERT","data":['

SCHEMA = {"a": INT, "b": STRING}


def test_objects_arrays_of_objects_and_empty_lines() -> None:
    text = '{"a":1,"b":"x"}\n\n[{"a":2},{"b":"y","a":null}]\n{"b":1.50,"c":{"a":9}} rest is not read\n'
    assert rows(decode("json", SCHEMA, text)) == [
        ("+I", 1, "x"),
        ("+I", 2, None),
        ("+I", None, "y"),
        ("+I", None, "1.50"),
    ]


def test_a_row_stops_looking_when_it_has_found_as_many_members_as_fields() -> None:
    assert rows(decode("json", {"a": INT}, '{"a":1,"a":2}\n')) == [("+I", 1)]
    assert rows(decode("json", SCHEMA, '{"a":1,"a":2,"b":"x"}\n')) == [("+I", 2, None)]


@pytest.mark.parametrize("text", ['{"a":"x"}', '{"a":1,}', "5", '{"a":2147483648}', '{"a":1', '{"a":01}'])
def test_messages_that_flink_refuses(text: str) -> None:
    good = '{"a":1,"b":"x"}\n'
    with pytest.raises(MessageError) as caught:
        decode("json", SCHEMA, good * 70 + text + "\n" + good)
    assert caught.value.index == 70
    assert caught.value.text.startswith(f"Failed to deserialize JSON '{text}'.")


def test_the_error_of_a_large_message_shows_its_beginning() -> None:
    text = '{"a":1,"b":"' + "y" * 1_000_000 + '",}'
    with pytest.raises(MessageError) as caught:
        decode("json", SCHEMA, f'{{"a":1}}\n{text}\n')
    assert caught.value.text.startswith('Failed to deserialize JSON \'{"a":1,"b":"yyyy')
    assert f"... ({len(text)} bytes)'." in caught.value.text
    assert len(caught.value.text) < 2500


def test_fail_on_missing_field() -> None:
    assert rows(decode("json", SCHEMA, '{"a":1,"b":null}\n', fail_on_missing_field="true")) == [
        ("+I", 1, None)
    ]
    for copies in (1, 100):
        with pytest.raises(MessageError, match="missing"):
            decode("json", SCHEMA, '{"a":1}\n' * copies, fail_on_missing_field="true")


def test_ignored_bad_value_of_a_nested_kind_stops_the_row_as_in_flink() -> None:
    text = '{"a":{"x":1},"b":"lost"}\n{"a":"x","b":"kept"}\n'
    assert rows(decode("json", SCHEMA, text, ignore_parse_errors="true")) == [
        ("+I", None, None),
        ("+I", None, "kept"),
    ]


def test_nested_types() -> None:
    schema = {"r": row(("x", "y"), (INT, STRING)), "m": map_of(STRING, INT), "l": array(DOUBLE), "b": BYTES}
    text = '{"r":{"y":[1, 2],"x":"7"},"m":{"k":"1","k":2},"l":[1,"2.5",null],"b":"QUI="}\n'
    assert rows(decode("json", schema, text)) == [
        ("+I", {"x": 7, "y": "[1,2]"}, [("k", 2)], [1.0, 2.5, None], b"AB")
    ]


def test_iso_timestamps() -> None:
    text = '{"t":"2020-01-02T03:04:05.123"}\n{"t":"2020-01-02T03:04"}\n'
    found = rows(decode("json", {"t": timestamp(3)}, text, **{"timestamp-format.standard": "ISO-8601"}))
    assert [str(row[1]) for row in found] == ["2020-01-02 03:04:05.123000", "2020-01-02 03:04:00"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timestamp-format.standard": "sql"}, "Unsupported value 'sql' for timestamp-format.standard"),
        ({"ignore-parse-errors": "yes"}, "Invalid value for option 'json.ignore-parse-errors'"),
        ({"ignore-parse-errors": "true", "fail-on-missing-field": "true"}, "shouldn't both be true"),
        ({"map-null-key.mode": "X"}, "Unsupported value 'X' for option map-null-key.mode"),
    ],
)
def test_option_values_are_checked(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        find_format("json").validate(options, ("a",), (INT,))


@pytest.mark.parametrize(("name", "before", "after"), [("json", "", ""), ("canal-json", CANAL, "]}")])
def test_maps_stand_as_in_a_java_map(name: str, before: str, after: str) -> None:
    names = [
        "xi",
        "gamma",
        "kappa",
        "mu",
        "iota",
        "zeta",
        "alpha",
        "eta",
        "nu",
        "delta",
        "theta",
        "beta",
        "epsilon",
    ]
    members = ",".join(f'"{each}":1' for each in sorted(names))
    message = f'{before}{{"m":{{{members}}}}}{after}\n'
    (found,) = rows(decode(name, {"m": map_of(STRING, INT)}, message))
    assert [key for key, _ in found[-1]] == names
