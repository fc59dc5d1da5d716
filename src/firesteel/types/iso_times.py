"""Reading of ISO 8601 times and timestamps, with the same result in all versions of Python.

Python 3.10 reads fractions of a second of three or six digits only.
"""

from __future__ import annotations

import re
from datetime import datetime, time

_FRACTION = re.compile(r"(?<=:\d\d)\.(\d+)")


def time_of_iso(text: str) -> time:
    """Return the time of a text such as `10:11:12.5`. Digits after the sixth are dropped.

    Raises:
        ValueError: The text is not an ISO 8601 time.
    """
    return time.fromisoformat(_with_six_digits(text))


def moment_of_iso(text: str) -> datetime:
    """Return the timestamp of a text such as `2026-01-31 10:11:12.5`. Digits after the sixth are dropped.

    The datetime has a time zone only if the text ends with an offset such as `+01:00`.

    Raises:
        ValueError: The text is not an ISO 8601 timestamp.
    """
    return datetime.fromisoformat(_with_six_digits(text))


def _with_six_digits(text: str) -> str:
    return _FRACTION.sub(lambda fraction: f".{fraction[1][:6]:0<6}", text)
