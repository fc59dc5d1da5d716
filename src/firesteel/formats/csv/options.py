"""Options of the format csv, with the checks of Flink's CsvCommons."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.csv.csv_parser import CsvDialect

_TRUE, _FALSE = (
    "Flink's; supported with the value true only.",
    "Flink's; supported with the value false only.",
)
OPTIONS = (
    Option("field-delimiter", Kind.STRING, ",", "Between fields: one character.", cuts_files=True),
    Option("quote-character", Kind.STRING, '"', "Around fields: one character.", cuts_files=True),
    Option("disable-quote-character", Kind.BOOLEAN, "false", "No field is quoted.", cuts_files=True),
    Option(
        "escape-character",
        Kind.STRING,
        None,
        "Before characters that stand for themselves.",
        cuts_files=True,
    ),
    Option("allow-comments", Kind.BOOLEAN, "false", "Leave out lines that begin with #.", cuts_files=True),
    Option("ignore-parse-errors", Kind.BOOLEAN, "false", "Skip what cannot be read."),
    Option("array-element-delimiter", Kind.STRING, ";", "Between elements of an ARRAY or fields of a ROW."),
    Option("null-literal", Kind.STRING, None, "What stands for NULL."),
    Option(
        "write-bigdecimal-in-scientific-notation", Kind.BOOLEAN, "true", "Large decimals have an exponent."
    ),
    Option("allow-trailing-comma", Kind.BOOLEAN, "true", _TRUE),
    Option("empty-string-as-null", Kind.BOOLEAN, "false", _FALSE),
    Option("fail-on-missing-columns", Kind.BOOLEAN, "false", _FALSE),
    Option("ignore-trailing-unmappable", Kind.BOOLEAN, "false", _FALSE),
    Option("trim-spaces", Kind.BOOLEAN, "false", _FALSE),
)
_LAST_UNIT = "\uffff"
"""Last character that is one UTF-16 unit (Java: char). An option such as the delimiter must be one unit."""
_DEFAULT_ALONE = tuple(option for option in OPTIONS if option.doc in (_TRUE, _FALSE))
_ESCAPE = re.compile(
    r"\\(?:u+\+?(?P<unit>[0-9a-fA-F]{4})|(?P<octal>[0-3][0-7]{0,2}|[4-7][0-7]?)|(?P<named>[bntfr\\'\"])|(?!u))"
)
_NAMED = dict(zip("bntfr\\'\"", "\b\n\t\f\r\\'\"", strict=True))


@dataclass(frozen=True)
class CsvOptions:
    """Parsed csv options of one table."""

    dialect: CsvDialect
    ignore_parse_errors: bool = False
    array_delimiter: str = ";"
    null_literal: str | None = None
    scientific_decimals: bool = True


def csv_options(options: Mapping[str, str]) -> CsvOptions:
    """Parse the csv options of a table.

    Raises:
        ValidationError: An option is wrong.
        NotSupportedError: An option is not supported.
    """
    for option in _DEFAULT_ALONE:
        if options.get(option.key, str(option.default)).lower() != option.default:
            raise NotSupportedError(
                f"The option 'csv.{option.key}' is supported with the value {option.default} only."
            )
    values = TypedOptions(OPTIONS, options, "csv.")
    disabled = values["disable-quote-character"]
    if disabled and "quote-character" in options:
        raise ValidationError(
            "Format cannot define a quote character and disabled quote character at the same time.",
            option="csv.disable-quote-character",
        )
    dialect = CsvDialect(
        delimiter=_character("field-delimiter", _unescaped(values["field-delimiter"])),
        quote=None if disabled else _character("quote-character", values["quote-character"]),
        escape=_character("escape-character", options["escape-character"])
        if "escape-character" in options
        else None,
        comments=values["allow-comments"],
    )
    return CsvOptions(
        dialect,
        ignore_parse_errors=values["ignore-parse-errors"],
        array_delimiter=_character("array-element-delimiter", values["array-element-delimiter"]),
        null_literal=values["null-literal"],
        scientific_decimals=values["write-bigdecimal-in-scientific-notation"],
    )


def _unescaped(text: str) -> str:
    r"""Return a text with its Java escapes replaced by characters, such as `\t` by a tab.

    A backslash that begins no escape is dropped: `\|` becomes `|`. A `\u` without four hexadecimal digits
    stays as it is. Apache Commons: StringEscapeUtils.unescapeJava.
    """

    def meant(found: re.Match[str]) -> str:
        if found["unit"]:
            return chr(int(found["unit"], 16))
        return chr(int(found["octal"], 8)) if found["octal"] else _NAMED.get(found["named"], "")

    return _ESCAPE.sub(meant, text)


def _character(key: str, text: str) -> str:
    if len(text) != 1 or text > _LAST_UNIT:
        raise ValidationError(f"Option 'csv.{key}' must be a string with single character, but was: {text}")
    return text
