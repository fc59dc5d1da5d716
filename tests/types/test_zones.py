"""Which time zones Flink takes, the machine's own, and their offsets."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from firesteel.errors import ValidationError
from firesteel.types.zones import machine_zone, offset_at, offset_of_local, session_zone


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        ("UTC", "UTC"),
        ("Asia/Shanghai", "Asia/Shanghai"),
        ("Etc/GMT+5", "Etc/GMT+5"),
        ("GMT+05:30", "GMT+05:30"),
        ("GMT-01:20", "GMT-01:20"),
        ("GMT+5", "GMT+05:00"),
        ("GMT+0530", "GMT+05:30"),
        ("GMT+18:00", "GMT+18:00"),
        ("GMT+00:00", "GMT"),
        ("EST5EDT", "EST5EDT"),
    ],
)
def test_zones_that_flink_takes(written: str, zone: str) -> None:
    assert session_zone(written) == zone


@pytest.mark.parametrize(
    "written",
    [
        *("UTC-08:00", "+08:00", "Z", "PST", "EST", "GMT+5:30", "GMT+19:00", "GMT+12:60", "gmt+05:30"),
        *("america/new_york", "Nowhere/None", "", "posix/UTC", "../UTC"),
    ],
)
def test_zones_that_flink_refuses(written: str) -> None:
    with pytest.raises(
        ValidationError, match=r"Invalid time zone\. The value should be a Time Zone Database"
    ):
        session_zone(written)


@pytest.fixture
def zone_restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone_restored")
@pytest.mark.parametrize(
    ("variable", "zone"),
    [
        ("Asia/Kolkata", "Asia/Kolkata"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("XYZ-3", "GMT+03:00"),
        ("XYZ2:30", "GMT-02:30"),
    ],
)
def test_the_machine_s_zone_by_variable(variable: str, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", variable)
    time.tzset()
    assert session_zone("default") == zone


def test_the_machine_s_zone_is_one_that_flink_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    assert session_zone(machine_zone()) == machine_zone()


@pytest.mark.parametrize(
    ("seconds", "zone", "hours"),
    [
        (1_720_000_000, "America/New_York", -4),
        (-30_610_224_000, "Asia/Shanghai", (8 * 3600 + 343) / 3600),
        (253_402_300_799, "Asia/Shanghai", 8),  # the last second of 9999
        (-62_167_219_200, "UTC", 0),
        (253_419_580_800, "America/New_York", -4),  # July of the year 10000
        (0, "GMT-01:20", -4 / 3),
    ],
)
def test_offsets_of_instants(seconds: int, zone: str, hours: float) -> None:
    assert offset_at(seconds, zone) == hours * 3600


def test_offsets_of_wall_clocks() -> None:
    spring, autumn = 1_710_037_800, 1_730_597_400  # 02:30 on March 10, 01:30 on November 3, 2024
    assert offset_of_local(spring, "America/New_York") == -5 * 3600
    assert offset_of_local(autumn, "America/New_York") == -4 * 3600
