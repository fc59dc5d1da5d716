"""Functions of points in time and their texts. Flink: BuiltInFunctionDefinitions, DateTimeUtils."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import JobError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.functions.signatures.function import Function
from firesteel.types.sql import BIGINT, DATE, STRING, SqlType, time, timestamp, timestamp_ltz
from firesteel.types.zones import zone_id

_STAMP, _LTZ = timestamp(3), timestamp_ltz(3)


def _precise(args: Sequence[Expr]) -> SqlType:
    """Return the type of TO_TIMESTAMP_LTZ(number, precision).

    The type is TIMESTAMP_LTZ(p). If the second argument is a literal, p is its value, but at least 3. If the
    second argument is missing or another expression, p is 3.

    Raises:
        ValidationError: The precision is a literal outside 0 to 9.
    """
    given = args[1] if len(args) > 1 else None
    precision = given.value if isinstance(given, Literal) and isinstance(given.value, int) else 3
    if not 0 <= precision <= 9:
        raise ValidationError(
            f"Precision for TO_TIMESTAMP_LTZ must be between 0 and 9 but was {precision}.",
            range=given.range if given else None,
        )
    return timestamp_ltz(max(3, precision))


def _by_pattern(args: Sequence[Expr]) -> SqlType:
    """Return the type of TO_TIMESTAMP_LTZ(text, pattern).

    The precision is the number of letters S at the end of a literal pattern, but at least 3 and at most 9. It
    is 3 if the pattern is missing or no literal.

    Raises:
        ValidationError: The pattern or the time zone is wrong.
    """
    pattern = args[1] if len(args) > 1 else None
    zone = args[2] if len(args) > 2 else None
    if isinstance(zone, Literal) and isinstance(zone.value, str) and zone_id(zone.value) is None:
        raise ValidationError(
            f"Invalid timezone for parsing TIMESTAMP_LTZ: Unknown time-zone ID: {zone.value}",
            range=zone.range,
        )
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return _LTZ
    _check_pattern(pattern.value, pattern.range)
    digits = len(pattern.value) - len(pattern.value.rstrip("S"))
    return timestamp_ltz(min(9, max(3, digits)))


def _check_pattern(pattern: str, place: SourceRange | None) -> None:
    # The import is here because few statements have a pattern.
    from firesteel.functions.java.date_patterns import checked

    try:
        checked(pattern)
    except JobError as error:
        raise ValidationError(
            f"Invalid pattern for parsing TIMESTAMP_LTZ: {error.message}", range=place
        ) from None


TIME_FUNCTIONS: tuple[Function, ...] = (
    *(
        Function(name, "", _LTZ, "@clock")
        for name in ("CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP", "PROCTIME")
    ),
    Function("LOCALTIMESTAMP", "", _STAMP, "@clock"),
    Function("CURRENT_DATE", "", DATE, "@clock"),
    Function("CURRENT_TIME", "", time(0), "@clock"),
    Function("LOCALTIME", "", time(0), "@clock"),
    Function("UNIX_TIMESTAMP", "", BIGINT, "(epoch_ms(now()) // 1000)"),
    Function("UNIX_TIMESTAMP", "s", BIGINT, "@dates.unix_timestamp {zone}"),
    Function("UNIX_TIMESTAMP", "s s", BIGINT, "@dates.unix_timestamp {zone}"),
    Function("FROM_UNIXTIME", "i", STRING, "@dates.from_unixtime {zone}", nullable=True),
    Function("FROM_UNIXTIME", "i s", STRING, "@dates.from_unixtime {zone}", nullable=True),
    Function("DATE_FORMAT", "t s", STRING, "@clock", nullable=True),
    Function("DATE_FORMAT", "s s", STRING, "@dates.format_string", nullable=True),
    Function("TO_DATE", "s", DATE, "@dates.to_date", nullable=True),
    Function("TO_DATE", "s s", DATE, "@dates.to_date_by", nullable=True),
    Function("TO_TIMESTAMP", "s", _STAMP, "@dates.to_timestamp", nullable=True),
    Function("TO_TIMESTAMP", "s s", _STAMP, "@dates.to_timestamp_by", nullable=True),
    Function("TO_TIMESTAMP_LTZ", "n i?", _precise, "@dates.instant_of_number", nullable=True),
    Function("TO_TIMESTAMP_LTZ", "s s? s?", _by_pattern, "@dates.to_instant_of", nullable=True),
    Function("CONVERT_TZ", "s s s", STRING, "@dates.convert_tz", nullable=True),
)
