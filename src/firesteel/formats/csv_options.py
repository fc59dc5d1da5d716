"""The options of the format csv, as Flink's CsvCommons checks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.csv_parser import CsvDialect
from firesteel.formats.json_options import flag

OPTIONS = (
    "allow-comments",
    "allow-trailing-comma",
    "array-element-delimiter",
    "disable-quote-character",
    "empty-string-as-null",
    "escape-character",
    "fail-on-missing-columns",
    "field-delimiter",
    "ignore-parse-errors",
    "ignore-trailing-unmappable",
    "null-literal",
    "quote-character",
    "trim-spaces",
    "write-bigdecimal-in-scientific-notation",
)
_LATER = {
    "allow-trailing-comma": "true",
    "empty-string-as-null": "false",
    "fail-on-missing-columns": "false",
    "ignore-trailing-unmappable": "false",
    "trim-spaces": "false",
}
"""Options that are taken with their default alone."""
_JAVA_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\", "\\'": "'", '\\"': '"', "\\f": "\f"}


@dataclass(frozen=True)
class CsvOptions:
    """The options of one table, parsed."""

    dialect: CsvDialect
    ignore_parse_errors: bool = False
    array_delimiter: str = ";"
    null_literal: str | None = None
    scientific_decimals: bool = True


def csv_options(options: Mapping[str, str]) -> CsvOptions:
    """Parse the options. Raises ValidationError, and NotSupportedError for those of _LATER."""
    for key, default in _LATER.items():
        if options.get(key, default).strip().lower() != default:
            raise NotSupportedError(f"The option 'csv.{key}' is supported with the value {default} only.")
    disabled = flag("csv", "disable-quote-character", options)
    if disabled and "quote-character" in options:
        raise ValidationError(
            "Format cannot define a quote character and disabled quote character at the same time."
        )
    dialect = CsvDialect(
        delimiter=_character("field-delimiter", _unescaped(options.get("field-delimiter", ","))),
        quote=None if disabled else _character("quote-character", options.get("quote-character", '"')),
        escape=_character("escape-character", options["escape-character"])
        if "escape-character" in options
        else None,
        comments=flag("csv", "allow-comments", options),
    )
    scientific = options.get("write-bigdecimal-in-scientific-notation", "true")
    return CsvOptions(
        dialect,
        ignore_parse_errors=flag("csv", "ignore-parse-errors", options),
        array_delimiter=options.get("array-element-delimiter", ";"),
        null_literal=options.get("null-literal"),
        scientific_decimals=scientific.strip().lower() == "true",
    )


def _unescaped(text: str) -> str:
    if text.startswith("\\u") and len(text) == 6:
        return chr(int(text[2:], 16))
    return _JAVA_ESCAPES.get(text, text)


def _character(key: str, text: str) -> str:
    if len(text) != 1:
        raise ValidationError(f"Option 'csv.{key}' must be a string with single character, but was: {text}")
    return text
