"""Regular expressions (RE2) by SQL type, for texts that columns convert exactly as Flink does.

Arrow or DuckDB converts texts that match. The exact reader converts the others.
"""

from __future__ import annotations

from firesteel.types.sql import SqlType, TypeRoot

_DATE = r"[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_DOUBLE = r"-?(?:0|[1-9][0-9]{0,16})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?"
_MAGNITUDE = {
    TypeRoot.TINYINT: "[0-9]{1,2}|1[01][0-9]|12[0-7]",
    TypeRoot.SMALLINT: "[0-9]{1,4}|[12][0-9]{4}|3[01][0-9]{3}|32[0-6][0-9]{2}",
    TypeRoot.INTEGER: "[0-9]{1,9}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}",
    TypeRoot.BIGINT: "[0-9]{1,18}",
}


def text_pattern(kind: SqlType, *, iso: bool) -> str | None:
    """Return the pattern of a type's values, which are not empty. None if there is none."""
    root = kind.root
    if root in _MAGNITUDE:
        return f"-?(?:{_MAGNITUDE[root]})"
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return _timestamp(kind, iso)
    return {
        TypeRoot.BOOLEAN: "[A-Za-z0-9]*",
        TypeRoot.DATE: _DATE,
        TypeRoot.TIME: rf"{_CLOCK}(?:\.[0-9]{{1,3}})?",
        TypeRoot.DOUBLE: _DOUBLE,
        TypeRoot.FLOAT: _DOUBLE,
    }.get(root)


def _timestamp(kind: SqlType, iso: bool) -> str:
    digits = 9 if (kind.precision or 0) > 6 else 6
    zone = "Z" if kind.root is TypeRoot.TIMESTAMP_LTZ else ""
    return rf"{_DATE}{'T' if iso else ' '}{_CLOCK}(?:\.[0-9]{{1,{digits}}})?{zone}"
