"""Options of the JSON formats, with the checks of Flink's JsonFormatOptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.errors import ValidationError

TIMESTAMP_FORMATS = ("SQL", "ISO-8601")
_IGNORE = "Leave out what cannot be read: a field is NULL, a message is skipped."
CDC_OPTIONS = (
    Option("ignore-parse-errors", Kind.BOOLEAN, "false", _IGNORE),
    Option("timestamp-format.standard", Kind.STRING, "SQL", "How timestamps are written: SQL or ISO-8601."),
    Option(
        "map-null-key.mode", Kind.STRING, "FAIL", "What becomes of NULL keys written: FAIL, DROP or LITERAL."
    ),
    Option("map-null-key.literal", Kind.STRING, "null", "What is written for a NULL key with LITERAL."),
    Option("encode.decimal-as-plain-number", Kind.BOOLEAN, "false", "Write decimals without an exponent."),
    Option("encode.ignore-null-fields", Kind.BOOLEAN, "false", "Leave out fields that are NULL."),
)
JSON_OPTIONS = (
    *CDC_OPTIONS,
    Option(
        "fail-on-missing-field", Kind.BOOLEAN, "false", "A message without one of the fields is an error."
    ),
    Option(
        "decode.json-parser.enabled", Kind.BOOLEAN, "true", "Accepted for Flink's scripts; has no effect."
    ),
)
CANAL_OPTIONS = (
    *CDC_OPTIONS,
    Option(
        "database.include",
        Kind.STRING,
        None,
        "Read only changes of databases that match the expression.",
        decides_offsets=True,
    ),
    Option(
        "table.include",
        Kind.STRING,
        None,
        "Read only changes of tables that match the expression.",
        decides_offsets=True,
    ),
)
DEBEZIUM_OPTIONS = (
    *CDC_OPTIONS,
    Option(
        "schema-include",
        Kind.BOOLEAN,
        "false",
        "Messages hold a schema and, in `payload`, the change.",
        decides_offsets=True,
    ),
)
_ALL = dict.fromkeys((*JSON_OPTIONS, *CANAL_OPTIONS, *DEBEZIUM_OPTIONS))
_MAP_NULL_KEY_MODES = ("DROP", "LITERAL", "FAIL")


@dataclass(frozen=True)
class JsonOptions:
    """Parsed options of one table's JSON format."""

    ignore_parse_errors: bool = False
    fail_on_missing_field: bool = False
    iso_timestamps: bool = False
    map_null_key_mode: str = "FAIL"
    map_null_key_literal: str = "null"
    decimal_as_plain_number: bool = False
    ignore_null_fields: bool = False
    database: str | None = None
    table: str | None = None
    schema_include: bool = False


def json_options(name: str, options: Mapping[str, str]) -> JsonOptions:
    """Parse the options of the format `name`.

    Raises:
        ValidationError: A value is wrong.
    """
    values = TypedOptions(_ALL, options, f"{name}.")
    _ = values["decode.json-parser.enabled"]
    standard = values["timestamp-format.standard"]
    if standard not in TIMESTAMP_FORMATS:
        raise ValidationError(
            f"Unsupported value '{standard}' for timestamp-format.standard. "
            f"Supported values are [SQL, ISO-8601]."
        )
    mode = values["map-null-key.mode"]
    if mode.upper() not in _MAP_NULL_KEY_MODES:
        raise ValidationError(
            f"Unsupported value '{mode}' for option map-null-key.mode. "
            "Supported values are [LITERAL, FAIL, DROP]."
        )
    parsed = JsonOptions(
        ignore_parse_errors=values["ignore-parse-errors"],
        fail_on_missing_field=values["fail-on-missing-field"],
        iso_timestamps=standard == "ISO-8601",
        map_null_key_mode=mode.upper(),
        map_null_key_literal=values["map-null-key.literal"],
        decimal_as_plain_number=values["encode.decimal-as-plain-number"],
        ignore_null_fields=values["encode.ignore-null-fields"],
        database=values["database.include"],
        table=values["table.include"],
        schema_include=values["schema-include"],
    )
    if parsed.fail_on_missing_field and parsed.ignore_parse_errors:
        raise ValidationError("fail-on-missing-field and ignore-parse-errors shouldn't both be true.")
    return parsed


def check_options(name: str, table: tuple[Option, ...], options: Mapping[str, str]) -> None:
    """Check the values of the options that are in `table`. Ignore all others. Raises ValidationError."""
    known = {option.key for option in table}
    json_options(name, {key: value for key, value in options.items() if key in known})
