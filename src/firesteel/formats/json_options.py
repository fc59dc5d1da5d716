"""The options of the JSON formats, as Flink's JsonFormatOptions checks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.errors import ValidationError

TIMESTAMP_FORMATS = ("SQL", "ISO-8601")
CDC_OPTIONS = (
    "encode.decimal-as-plain-number",
    "encode.ignore-null-fields",
    "ignore-parse-errors",
    "map-null-key.literal",
    "map-null-key.mode",
    "timestamp-format.standard",
)
JSON_OPTIONS = (*CDC_OPTIONS, "decode.json-parser.enabled", "fail-on-missing-field")
_MAP_NULL_KEY_MODES = ("DROP", "LITERAL", "FAIL")


@dataclass(frozen=True)
class JsonOptions:
    """The options of one table's JSON format, parsed."""

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


def flag(name: str, key: str, options: Mapping[str, str]) -> bool:
    """A boolean option. Raises ValidationError."""
    text = options.get(key, "false").strip().lower()
    if text not in ("true", "false"):
        raise ValidationError(
            f"Invalid value for option '{name}.{key}'.",
            hint=f"Unrecognized option for boolean: {options[key]}. Expected either true or false"
            "(case insensitive)",
        )
    return text == "true"


def json_options(name: str, options: Mapping[str, str]) -> JsonOptions:
    """Parse the options of format `name`. Raises ValidationError."""
    standard = options.get("timestamp-format.standard", "SQL")
    if standard not in TIMESTAMP_FORMATS:
        raise ValidationError(
            f"Unsupported value '{standard}' for timestamp-format.standard. "
            f"Supported values are [SQL, ISO-8601]."
        )
    mode = options.get("map-null-key.mode", "FAIL")
    if mode.upper() not in _MAP_NULL_KEY_MODES:
        raise ValidationError(
            f"Unsupported value '{mode}' for option map-null-key.mode. "
            "Supported values are [LITERAL, FAIL, DROP]."
        )
    parsed = JsonOptions(
        ignore_parse_errors=flag(name, "ignore-parse-errors", options),
        fail_on_missing_field=flag(name, "fail-on-missing-field", options),
        iso_timestamps=standard == "ISO-8601",
        map_null_key_mode=mode.upper(),
        map_null_key_literal=options.get("map-null-key.literal", "null"),
        decimal_as_plain_number=flag(name, "encode.decimal-as-plain-number", options),
        ignore_null_fields=flag(name, "encode.ignore-null-fields", options),
        database=options.get("database.include"),
        table=options.get("table.include"),
        schema_include=flag(name, "schema-include", options),
    )
    if parsed.fail_on_missing_field and parsed.ignore_parse_errors:
        raise ValidationError("fail-on-missing-field and ignore-parse-errors shouldn't both be true.")
    return parsed


def check_options(name: str, known: tuple[str, ...], options: Mapping[str, str]) -> None:
    """Check the values of a JSON format's options (unknown names are the connector's to report)."""
    json_options(name, {key: value for key, value in options.items() if key in known})
