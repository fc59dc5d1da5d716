"""Regular expressions (RE2) for JSON values that the columnar path may take, by SQL type.

A value that matches is converted by DuckDB exactly as Flink would convert it; what does not match goes
the exact way, message by message. `style` is how a producer writes a column: in quotes or bare.

The patterns of wanted columns are narrower than JSON (no leading zeros, numbers that surely fit), those of
the rest wider (any escape, any run of digits): DuckDB's parser refuses what is no JSON. Together they admit
neither what that parser takes and Jackson does not (NaN, a comma at the end) nor a repeated key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from firesteel.formats.json_parser import FloatText, IntText, Members
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot

STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
COMMA = ", ?"
_NUMBER = "-?[0-9][-+.0-9eE]*"
_SCALAR = f"(?:{STRING}|{_NUMBER}|null|true|false)"
_KINDS = {
    "string": STRING,
    "number": _NUMBER,
    "boolean": "true|false",
    "array": rf"\[(?:{_SCALAR}(?:{COMMA}{_SCALAR})*)?\]",
    "object": rf"\{{(?:{STRING}: ?{_SCALAR}(?:{COMMA}{STRING}: ?{_SCALAR})*)?\}}",
}
_DATE = r"[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_MAGNITUDE = {
    TypeRoot.TINYINT: r"{digit}{{0,1}}|1[01][0-9]|12[0-7]",
    TypeRoot.SMALLINT: r"{digit}{{0,3}}|[12][0-9]{{4}}|3[01][0-9]{{3}}|32[0-6][0-9]{{2}}",
    TypeRoot.INTEGER: r"{digit}{{0,8}}|1[0-9]{{9}}|20[0-9]{{8}}|21[0-3][0-9]{{7}}",
    TypeRoot.BIGINT: r"{digit}{{0,17}}",
}
_EXACT_DIGITS = 15
"""A decimal number of so many digits survives the trip through a DOUBLE."""


class Style(Enum):
    """How a column's values stand in the messages."""

    QUOTED = "quoted"
    BARE = "bare"


def _integer(kind: SqlType) -> str:
    return f"-?(?:0|{_MAGNITUDE[kind.root].format(digit='[1-9][0-9]')})"


def _decimal(kind: SqlType, style: Style) -> str | None:
    precision, scale = kind.precision or 0, kind.scale or 0
    whole = precision - scale
    if style is Style.BARE:
        scale = min(scale, _EXACT_DIGITS - 1)
        whole = min(whole, _EXACT_DIGITS - scale)
    integral = rf"(?:0|[1-9][0-9]{{0,{whole - 1}}})" if whole > 0 else "0"
    return f"-?{integral}" + (rf"(?:\.[0-9]{{1,{scale}}})?" if scale else "")


def _double(kind: SqlType, style: Style) -> str | None:
    return r"-?(?:0|[1-9][0-9]{0,16})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?"


def _float(kind: SqlType, style: Style) -> str | None:
    """Bare numbers of at most 15 digits: DuckDB hands them over as the shortest text of a DOUBLE."""
    if style is Style.QUOTED:
        return _double(kind, style)
    return r"-?(?:0|[1-9][0-9]{0,6})(?:\.[0-9]{1,8})?(?:[eE][-+]?[0-9]{1,2})?"


def _timestamp(kind: SqlType, iso: bool) -> str:
    digits = 9 if (kind.precision or 0) > 6 else 6
    zone = "Z" if kind.root is TypeRoot.TIMESTAMP_LTZ else ""
    return rf"{_DATE}{'T' if iso else ' '}{_CLOCK}(?:\.[0-9]{{1,{digits}}})?{zone}"


def _quoted_text(kind: SqlType, iso: bool) -> str | None:
    root = kind.root
    if root in _MAGNITUDE:
        return _integer(kind)
    simple = {
        TypeRoot.BOOLEAN: "[A-Za-z0-9]*",
        TypeRoot.DATE: _DATE,
        TypeRoot.TIME: rf"{_CLOCK}(?:\.[0-9]{{1,3}})?",
    }
    if root in simple:
        return simple[root]
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return _timestamp(kind, iso)
    return _number_text(kind, Style.QUOTED)


def _number_text(kind: SqlType, style: Style) -> str | None:
    makers: dict[TypeRoot, Callable[[SqlType, Style], str | None]] = {
        TypeRoot.DECIMAL: _decimal,
        TypeRoot.DOUBLE: _double,
        TypeRoot.FLOAT: _float,
    }
    maker = makers.get(kind.root)
    return maker(kind, style) if maker else None


def value_pattern(kind: SqlType, style: Style, *, iso: bool) -> str | None:
    """The pattern of a column's values, null included; None where the columnar path has none."""
    if style is Style.QUOTED:
        if kind.root in CHARACTER:
            return f"(?:{STRING}|null)"
        text = _quoted_text(kind, iso)
        return None if text is None else f'(?:"{text}"|null)'
    if kind.root is TypeRoot.BOOLEAN:
        return "(?:true|false|null)"
    if kind.root in CHARACTER:
        return "(?:0|-?[1-9][0-9]{0,17}|true|false|null)"
    text = _integer(kind) if kind.root in _MAGNITUDE else _number_text(kind, Style.BARE)
    return None if text is None else f"(?:{text}|null)"


def plain_pattern(kind: SqlType) -> str | None:
    """The pattern of a value that stands alone, not empty, as in csv; None where there is none."""
    return _quoted_text(kind, iso=False)


def any_pattern(values: Iterable[Any]) -> str:
    """Values of the kinds that these samples have, and null."""
    kinds = sorted({_kind(value) for value in values if value is not None})
    return f"(?:{'|'.join(_KINDS[kind] for kind in kinds)}{'|' if kinds else ''}null)"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (IntText, FloatText)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Members) else "array"


def member(key: str, value: str) -> str:
    """`"key": value` with or without the blank."""
    return f"{re.escape(json.dumps(key, ensure_ascii=False))}: ?{value}"


def object_pattern(members: list[tuple[str, str, bool]]) -> str:
    """An object with these (key, value pattern, may be missing), in this order.

    Where members may be missing, so may commas in the pattern (not in the JSON: DuckDB's parser sees to
    that).
    """
    parts: list[str] = []
    for key, value, optional in members:
        one = member(key, value)
        if not parts:
            parts.append(f"(?:{one})?" if optional else one)
            loose = optional
        else:
            comma = f"(?:{COMMA})?" if loose else COMMA
            parts.append(f"(?:{comma}{one})?" if optional else comma + one)
            loose = loose and optional
    return rf"\{{{''.join(parts)}\}}"


def pointer(*steps: str) -> str:
    """A JSON pointer, as a DuckDB string literal."""
    path = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return "'" + path.replace("'", "''") + "'"
