"""Regular expressions (RE2) by SQL type, for texts that columns convert exactly as Flink does.

Arrow converts texts that match. The exact reader converts the others.
"""

from __future__ import annotations

from firesteel.types.sql import SqlType, TypeRoot

_DOUBLE = r"-?(?:0|[1-9][0-9]{0,16})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?"
_MAGNITUDE = {
    TypeRoot.TINYINT: "[0-9]{1,2}|1[01][0-9]|12[0-7]",
    TypeRoot.SMALLINT: "[0-9]{1,4}|[12][0-9]{4}|3[01][0-9]{3}|32[0-6][0-9]{2}",
    TypeRoot.INTEGER: "[0-9]{1,9}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}",
    TypeRoot.BIGINT: "[0-9]{1,18}",
}


def text_pattern(kind: SqlType) -> str | None:
    """Return the pattern of the texts that columns convert to a type, None if the type has no pattern."""
    if kind.root in _MAGNITUDE:
        return f"-?(?:{_MAGNITUDE[kind.root]})"
    return {TypeRoot.BOOLEAN: "[A-Za-z0-9]*", TypeRoot.DOUBLE: _DOUBLE, TypeRoot.FLOAT: _DOUBLE}.get(
        kind.root
    )
