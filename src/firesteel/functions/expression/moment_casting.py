"""Folding of CASTs of TIMESTAMP literals, which works on their digits.

Calcite: RexBuilder.makeCast, TimestampString.round. Digits beyond the type's precision are cut, also before
1970.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Value
from firesteel.types.sql import SqlType, TypeRoot

_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400_000
_WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.(\d{1,9}))?", re.ASCII)


def moment_of_text(text: str, target: SqlType) -> date | str | None:
    """Return the value of a text that is written like a literal of type `target`, DATE or TIMESTAMP.

    The result is a date; for a TIMESTAMP a datetime, or a text if it has more than 6 fractional digits. It is
    None if the text is not written like such a literal.
    """
    try:
        if target.root is TypeRoot.DATE:
            return date.fromisoformat(text) if len(text) == 10 else None
        return _of_digits(text, target) if _WRITTEN.fullmatch(text) else None
    except ValueError:
        return None


def recast_moment(value: Value, source: SqlType, target: SqlType) -> datetime | str | None:
    """Return a TIMESTAMP literal's value for another TIMESTAMP type, or None if the CAST must stay.

    The value is a datetime, or a text if it has more than 6 fractional digits.

    Raises:
        NotSupportedError: The cast is to TIME, of a moment before 1970. Flink fails for it.
    """
    if source.root is not TypeRoot.TIMESTAMP or not isinstance(value, (datetime, str)):
        return None
    if target.root is TypeRoot.TIME:
        _check_clock(value, target)
        return None
    if target.root is not TypeRoot.TIMESTAMP or ((target.precision or 0) > 6 and not isinstance(value, str)):
        return None
    return _of_digits(str(value), target)


def _of_digits(text: str, target: SqlType) -> datetime | str:
    """Return a moment cut to the type's precision: a datetime, or a text for more than 6 fractional digits.

    Raises:
        ValueError: There is no such day.
    """
    fraction = text[20:][: target.precision or 0]
    if len(fraction) <= 6:
        return datetime.fromisoformat(f"{text[:19]}.{fraction:0<6}")
    datetime.fromisoformat(text[:19])
    return f"{text[:19]}.{fraction}"


def _check_clock(value: datetime | str, target: SqlType) -> None:
    moment = datetime.fromisoformat(str(value)[:26].ljust(19)) if isinstance(value, str) else value
    millis = (moment - _EPOCH) // timedelta(milliseconds=1)
    unit = 10 ** (3 - min(target.precision or 0, 3))
    if millis < 0 and -(-millis % _DAY) <= -unit:
        raise NotSupportedError(
            f"CAST of the literal TIMESTAMP '{value}' to {target.with_nullable(True)}: "
            "of a moment before 1970 Flink fails to make a TIME"
        )
