"""The DEFAULT of JSON_VALUE: Flink's internal value of the literal, returned without conversion.

For RETURNING STRING, Flink returns the text of the Java object: the days of a DATE, `2020-01-01T00:00` for a
TIMESTAMP. For RETURNING BOOLEAN, INTEGER or DOUBLE, Flink casts the object to Boolean, Integer or BigDecimal.
If the object is of another Java class, the cast fails (JsonValueCallGen).
"""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Literal
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot

_CLASSES = {
    TypeRoot.BOOLEAN: "java.lang.Boolean",
    TypeRoot.TINYINT: "java.lang.Byte",
    TypeRoot.SMALLINT: "java.lang.Short",
    TypeRoot.INTEGER: "java.lang.Integer",
    TypeRoot.DATE: "java.lang.Integer",
    TypeRoot.TIME: "java.lang.Integer",
    TypeRoot.INTERVAL_YEAR_MONTH: "java.lang.Integer",
    TypeRoot.BIGINT: "java.lang.Long",
    TypeRoot.INTERVAL_DAY_TIME: "java.lang.Long",
    TypeRoot.FLOAT: "java.lang.Float",
    TypeRoot.DOUBLE: "java.lang.Double",
    TypeRoot.DECIMAL: "org.apache.flink.table.data.DecimalData",
    TypeRoot.TIMESTAMP: "org.apache.flink.table.data.TimestampData",
    TypeRoot.TIMESTAMP_LTZ: "org.apache.flink.table.data.TimestampData",
    **dict.fromkeys(CHARACTER, "org.apache.flink.table.data.binary.BinaryStringData"),
}
_WANTED = {
    TypeRoot.BOOLEAN: "java.lang.Boolean",
    TypeRoot.INTEGER: "java.lang.Integer",
    TypeRoot.DOUBLE: "java.math.BigDecimal",  # No literal has a value of this class.
}


def java_default(literal: Literal, returning: SqlType) -> dict[str, Any]:
    """Return {"default": value}, or {"failure": message} if Flink fails when it uses the default.

    Args:
        literal: The DEFAULT.
        returning: Type of RETURNING.

    Raises:
        NotSupportedError: The literal's Java text would be a memory address.
    """
    given = _CLASSES.get(literal.type.root)
    if given is None:
        raise NotSupportedError(f"A DEFAULT of type {literal.type} in JSON_VALUE", range=literal.range)
    wanted = _WANTED.get(returning.root)
    if wanted is None:
        return {"default": _java_text(literal)}
    if wanted != given:
        return {"failure": f"class {given} cannot be cast to class {wanted}: the DEFAULT of JSON_VALUE"}
    return {"default": _internal(literal.value)}


def _internal(value: Any) -> Any:
    """Return Flink's internal value: a DATE in days, a TIME in milliseconds, and other values unchanged."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return (value - date(1970, 1, 1)).days
    if isinstance(value, time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 1000 + value.microsecond // 1000
    return value


def _java_text(literal: Literal) -> str:
    from firesteel.types.primitive_text import (
        double_text,  # Few queries need these imports.
        float_text,
    )

    value = _internal(literal.value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            value = value.astimezone(timezone.utc).replace(tzinfo=None)
        return _local_date_time(value)
    if literal.type.root is TypeRoot.FLOAT:
        return float_text(float(value))
    if literal.type.root is TypeRoot.DOUBLE:
        return double_text(float(value))
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _local_date_time(value: datetime) -> str:
    """Return the text of Java's LocalDateTime.toString: seconds only if not 0, fractions of 3 or 6 digits."""
    if not value.second and not value.microsecond:
        return value.strftime("%Y-%m-%dT%H:%M")
    text = value.strftime("%Y-%m-%dT%H:%M:%S")
    if not value.microsecond:
        return text
    fraction = f"{value.microsecond:06d}"
    return f"{text}.{fraction[:3] if fraction.endswith('000') else fraction}"
