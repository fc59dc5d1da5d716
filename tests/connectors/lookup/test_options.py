"""Options of lookups, in Flink's words."""

from __future__ import annotations

from datetime import time, timedelta, timezone

import pytest

from firesteel.connectors.jdbc.options import jdbc_options
from firesteel.connectors.lookup.options import FullCache, PartialCache, cache_of
from firesteel.errors import ValidationError

PARTIAL, FULL = {"lookup.cache": "PARTIAL"}, {"lookup.cache": "FULL"}
TIMED = {**FULL, "lookup.full-cache.reload-strategy": "TIMED"}
JDBC = {"connector": "jdbc", "url": "jdbc:sqlite:/f", "table-name": "t"}


def test_no_cache_is_the_default() -> None:
    assert cache_of({}) is None
    assert cache_of({"lookup.partial-cache.max-rows": "5"}) is None


def test_partial_caches() -> None:
    rows = {**PARTIAL, "lookup.partial-cache.max-rows": "5"}
    assert cache_of(rows) == PartialCache(None, None, 5)
    more = {
        "lookup.partial-cache.expire-after-access": "1 min",
        "lookup.partial-cache.expire-after-write": "2 s",
        "lookup.partial-cache.cache-missing-key": "false",
    }
    assert cache_of({**PARTIAL, **more}) == PartialCache(60_000, 2_000, None, False)
    assert cache_of({**rows, "lookup.cache": "partial"}) == PartialCache(None, None, 5)


def test_full_caches() -> None:
    periodic = {**FULL, "lookup.full-cache.periodic-reload.interval": "10 min"}
    assert cache_of(periodic) == FullCache(600_000)
    rate = {**periodic, "lookup.full-cache.periodic-reload.schedule-mode": "FIXED_RATE"}
    assert cache_of(rate) == FullCache(600_000, from_start=True)
    at = {**TIMED, "lookup.full-cache.timed-reload.iso-time": "10:15"}
    assert cache_of(at) == FullCache(at=time(10, 15))
    zoned = {**at, "lookup.full-cache.timed-reload.iso-time": "10:15+07:00"}
    days = {"lookup.full-cache.timed-reload.interval-in-days": "3"}
    assert cache_of({**zoned, **days}) == FullCache(
        at=time(10, 15, tzinfo=timezone(timedelta(hours=7))), days=3
    )
    utc = {**at, "lookup.full-cache.timed-reload.iso-time": "10:15Z"}
    assert cache_of(utc) == FullCache(at=time(10, 15, tzinfo=timezone.utc))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (PARTIAL, r"Missing 'lookup\.partial-cache\.expire-after-access', .* grow indefinitely\."),
        (FULL, r"Missing 'lookup\.full-cache\.periodic-reload\.interval' .* build Periodic cache reload"),
        (TIMED, r"Missing 'lookup\.full-cache\.timed-reload\.iso-time' .* build a Timed cache reload"),
        ({"lookup.cache": "SOME"}, r"Invalid value for option 'lookup\.cache'"),
        ({**PARTIAL, "lookup.partial-cache.max-rows": "-1"}, "must not be negative"),
        ({**TIMED, "lookup.full-cache.timed-reload.iso-time": "noon"}, "'noon' is no time of day"),
        (
            {
                **TIMED,
                "lookup.full-cache.timed-reload.iso-time": "10:15",
                "lookup.full-cache.timed-reload.interval-in-days": "0",
            },
            "Reload interval for Timed cache reload trigger must be at least 1 day",
        ),
    ],
)
def test_what_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        cache_of(options)


def test_deprecated_options_of_jdbc_turn_the_cache_on() -> None:
    old = {**JDBC, "lookup.cache.max-rows": "5", "lookup.cache.ttl": "2 s"}
    assert jdbc_options(old).cache == PartialCache(None, 2_000, 5)
    missing = {**old, "lookup.cache.caching-missing-key": "false"}
    assert jdbc_options(missing).cache == PartialCache(None, 2_000, 5, False)
    new = {**old, **PARTIAL, "lookup.partial-cache.max-rows": "9"}
    assert jdbc_options(new).cache == PartialCache(None, None, 9)
    assert jdbc_options({**old, "lookup.cache.ttl": "0 s"}).cache is None
    assert jdbc_options({**JDBC, **FULL}).cache is None
    interval = {"lookup.full-cache.periodic-reload.interval": "1 s"}
    assert jdbc_options({**JDBC, **FULL, **interval}).cache == FullCache(1_000)
    assert jdbc_options({**JDBC, "lookup.max-retries": "7"}).lookup_retries == 7
    with pytest.raises(
        ValidationError, match=r"'lookup\.max-retries' option shouldn't be negative, but is -1"
    ):
        jdbc_options({**JDBC, "lookup.max-retries": "-1"})
