"""JSON texts as Flink's JSON functions write them (SqlJsonUtils, and Jackson below it)."""

from __future__ import annotations

from decimal import Decimal

from firesteel.types.primitive_text import double_text, timestamp_text

ESCAPES = {code: f"\\u{code:04X}" for code in range(32)} | {
    ord("\b"): "\\b",
    ord("\t"): "\\t",
    ord("\n"): "\\n",
    ord("\f"): "\\f",
    ord("\r"): "\\r",
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}


def quoted(text: str) -> str:
    """Return a JSON string that escapes only what JSON requires."""
    return f'"{text.translate(ESCAPES)}"'


def number(value: float) -> str:
    """Return a FLOAT or DOUBLE as JSON, as Java writes `new BigDecimal(Double.toString(value))`.

    Examples are 1.0E+10, 0.000010 and 2147483648. Both zeros become 0.0. NaN and the infinities become JSON
    strings.
    """
    text = double_text(value)
    if text[-1] in "Ny":
        return f'"{text}"'
    return str(Decimal(text)) if value else "0.0"


def timestamp(nanos: int, zoned: bool) -> str:
    """Return a TIMESTAMP as a JSON string without trailing zeros.

    Args:
        nanos: Nanoseconds since the epoch.
        zoned: Append "Z", for an instant.
    """
    text = timestamp_text(nanos, 9).replace(" ", "T").rstrip("0").rstrip(".")
    return f'"{text}{"Z" if zoned else ""}"'
