"""Rules of java.util.TimeZone, which EXTRACT, FLOOR and SimpleDateFormat use.

Before 1900, a zone has the offset of its present standard time. An unknown name stands for GMT.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from firesteel.types.zones import is_region, offset_at, offset_of_local, zone_of

_CUSTOM = re.compile(r"GMT([+-])(\d{1,2})(?::?(\d{2}))?")
_YEAR_1900 = -2_208_988_800
_NAMES = """
ACT Australia/Darwin AET Australia/Sydney AGT America/Argentina/Buenos_Aires ART Africa/Cairo
AST America/Anchorage BET America/Sao_Paulo BST Asia/Dhaka CAT Africa/Harare CNT America/St_Johns
CST America/Chicago CTT Asia/Shanghai EAT Africa/Addis_Ababa ECT Europe/Paris
IET America/Indiana/Indianapolis IST Asia/Kolkata JST Asia/Tokyo MIT Pacific/Apia NET Asia/Yerevan
NST Pacific/Auckland PLT Asia/Karachi PNT America/Phoenix PRT America/Puerto_Rico
PST America/Los_Angeles SST Pacific/Guadalcanal VST Asia/Ho_Chi_Minh
EST GMT-05:00 MST GMT-07:00 HST GMT-10:00
"""
_SHORT = dict(zip(_NAMES.split()[::2], _NAMES.split()[1::2], strict=True))


def java_zone(name: str) -> str:
    """Return the zone that TimeZone.getTimeZone returns for a name, GMT for an unknown name."""
    name = _SHORT.get(name, name)
    custom = _CUSTOM.fullmatch(name)
    if custom and int(custom[2]) < 24 and int(custom[3] or 0) < 60:
        return f"GMT{custom[1]}{int(custom[2]):02d}:{custom[3] or '00'}"
    return name if is_region(name) else "GMT"


def legacy_offset(seconds: int, zone: str) -> int:
    """Return a zone's offset from UTC at an instant, both in seconds. Before 1900, use `standard_offset`."""
    if seconds >= _YEAR_1900 or zone == "UTC":
        return offset_at(seconds, zone)
    return standard_offset(zone_of(zone))


def standard_offset(zone: tzinfo) -> int:
    """Return a zone's present offset from UTC without daylight saving time, in seconds."""
    found = [datetime(2024, month, 1, tzinfo=zone).utcoffset() or timedelta() for month in (1, 7)]
    return round(min(found).total_seconds())


def instant_of(nanos: int, zone: str) -> int:
    """Return the instant at which a zone shows a wall clock, both in nanoseconds since the epoch.

    If the zone shows the clock twice, the result is the earlier instant. A clock in a gap moves forward by
    the gap.
    """
    return nanos - offset_of_local(nanos // 10**9, zone) * 10**9
