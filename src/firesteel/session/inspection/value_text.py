"""Texts of values of states and rows, as `firesteel state` and `firesteel why` show them."""

from __future__ import annotations

import re
from datetime import datetime, time
from typing import Any

_NULL = "NULL"
_SHOWN_BYTES = 24
"""Maximum number of bytes of a binary value in its text. "..." and the full length stand for the rest."""
_MICROSECONDS = re.compile(r"(\.\d{3})000(?!\d)")
"""Fraction of a time in whole milliseconds, as Python prints it: six digits, of which three are 0."""


def value_text(value: Any, null: str = _NULL) -> str:
    """Return a value, as `to_pylist` returns it, as text.

    Args:
        value: The value.
        null: Text for NULL. A NULL within a struct or a list is always `NULL`.
    """
    if value is None:
        return null
    if isinstance(value, bytes):
        rest = f"... ({len(value)} bytes)" if len(value) > _SHOWN_BYTES else ""
        return f"x'{value[:_SHOWN_BYTES].hex()}'{rest}"
    if isinstance(value, dict):
        return f"({', '.join(map(value_text, value.values()))})"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, datetime | time):
        return _MICROSECONDS.sub(r"\1", str(value))
    return str(value)
