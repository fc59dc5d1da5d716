"""What a soak finds in its samples, on samples that are made up."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.recovery.restarts import KINDS
from tests.soak.churn import RESCALE, UPGRADE, plan
from tests.soak.picture import picture
from tests.soak.samples import SAMPLES, Event, Recorder, Sample, read
from tests.soak.summary import Summary

_STEP, _SECONDS, _TTL = 10, 4_000.0, 300.0
_RATE = 100


def _samples(change: Callable[[Sample], Sample] = lambda sample: sample) -> list[Sample]:
    """Return the samples of two jobs that stay as they are, each changed."""
    return [
        change(Sample(float(second), job, 70.0, 400.0, 200.0, 50, 1_000.0, second, _RATE * second))
        for second in range(0, int(_SECONDS), _STEP)
        for job in ("totals", "recent")
    ]


def _summary(change: Callable[[Sample], Sample] = lambda sample: sample, *events: Event) -> Summary:
    return Summary(_samples(change), events, _SECONDS, _TTL)


def _grown(column: str) -> Callable[[Sample], Sample]:
    """Return what makes a column of `recent` greater by half over the time."""

    def change(sample: Sample) -> Sample:
        factor = 1 + sample.seconds / _SECONDS / 2 if sample.job == "recent" else 1
        return replace(sample, **{column: getattr(sample, column) * factor})

    return change


def test_what_stays_is_flat() -> None:
    assert _summary().wrong() == []


@pytest.mark.parametrize("column", ["driver", "jvm", "workers"])
def test_memory_that_grows_is_found(column: str) -> None:
    (found,) = _summary(_grown(column)).wrong()
    assert found.startswith(f"recent: {column} grew from ")


def test_state_that_grows_is_found() -> None:
    change = _grown("entries")
    assert _summary(change).wrong() == []  # up to a quarter more is a swing
    (found,) = _summary(lambda sample: change(change(sample))).wrong()
    assert found.startswith("recent: entries grew from ")


def test_short_soaks_are_not_judged() -> None:
    summary = _summary(_grown("jvm"))
    assert replace(summary, seconds=240.0).wrong() == []


def test_fresh_processes_do_not_count() -> None:
    """The JVM is killed again and again in the second quarter, and small for a while."""
    kills = [Event(float(at), at + 5.0, "jvm", "recent") for at in range(1_000, 2_000, 120)]

    def change(sample: Sample) -> Sample:
        is_fresh = any(kill.seconds <= sample.seconds < kill.until + 60 for kill in kills)
        return replace(sample, jvm=200.0) if is_fresh and sample.job == "recent" else sample

    assert _summary(change, *kills).wrong() == []
    (found,) = _summary(change).wrong()
    assert found.startswith("recent: jvm grew from 200")


def test_a_stopped_job_has_no_memory() -> None:
    summary = _summary(lambda each: replace(each, driver=0.0, jvm=0.0) if each.seconds < 990 else each)
    assert summary.values("totals", "jvm", 0) == [400.0]
    assert len(summary.values("totals", "lag", 0)) == 100


def test_a_job_that_stands_still_for_its_time_to_live_is_found() -> None:
    def change(sample: Sample) -> Sample:
        return replace(sample, batches=500) if 500 <= sample.seconds <= 850 else sample

    summary = _summary(change)
    assert summary.pause("recent") == 360
    (found,) = summary.wrong()
    assert "stood still for 360 s" in found


def test_the_lag_after_a_kill() -> None:
    kill = Event(1_000.0, 1_020.0, "broker", "")

    def change(sample: Sample) -> Sample:
        return replace(sample, lag=5_000) if 1_000 < sample.seconds < 1_200 else sample

    summary = _summary(change, kill)
    assert summary.lag_after(kill, "totals") == pytest.approx((50.0, 200.0), rel=0.01)
    assert "totals 50 s behind, caught up after 200 s" in summary.text()
    next_one = Event(1_100.0, 1_110.0, "worker", "totals")
    assert "totals 50 s behind, not before the next event" in _summary(change, kill, next_one).text()


def test_the_plan() -> None:
    steps = plan(6_600.0, 150.0, 1, 90.0, 2)
    kinds = [step.kind for step in steps]
    assert kinds.count(UPGRADE) == kinds.count(RESCALE) == 1
    assert {*kinds} == {*KINDS, UPGRADE, RESCALE}
    assert len(kinds) == 2 + round(0.85 * 6_600 / 150)
    assert [step.at for step in steps] == sorted(step.at for step in steps)
    assert max(step.at for step in steps) <= 0.9 * 6_600
    assert {step.job for step in steps if step.kind in ("worker", "jvm")} == {0, 1}
    assert sum(step.away == 90 for step in steps) == 7
    assert steps == plan(6_600.0, 150.0, 1, 90.0, 2) != plan(6_600.0, 150.0, 2, 90.0, 2)


def test_a_short_plan_has_each_kind_once() -> None:
    kinds = [step.kind for step in plan(120.0, 150.0, 1, 0.0, 2)]
    assert sorted(kinds) == sorted((*KINDS, UPGRADE, RESCALE))


def test_samples_and_events_are_read_as_they_were_written(tmp_path: Path) -> None:
    with Recorder(tmp_path, [], 60.0) as recorder:
        recorder.note(Event(1.5, 2.5, "worker", "totals"))
    assert read(tmp_path, "events.csv", Event) == [Event(1.5, 2.5, "worker", "totals")]
    with (tmp_path / SAMPLES).open("a") as file:
        file.write("1.5,recent,70.5,400.0,0.0,12,nan,3,99\n")
    (sample,) = read(tmp_path, SAMPLES, Sample)
    assert math.isnan(sample.entries)
    assert replace(sample, entries=0.0) == Sample(1.5, "recent", 70.5, 400.0, 0.0, 12, 0.0, 3, 99)


def test_the_picture() -> None:
    samples = _samples(lambda each: replace(each, jvm=0.0) if 2_000 <= each.seconds < 2_100 else each)
    text = picture(samples, [Event(1_000.0, 1_005.0, "jvm", "recent")])
    root = ET.fromstring(text)
    paths = [each.get("d", "") for each in root.iter("{http://www.w3.org/2000/svg}path")]
    lines = [path for path in paths if path.count("L") > 100]
    assert len(lines) == 3 + 3 + 2 + 1
    assert sum(path.count("M") == 2 for path in lines) == 2  # both JVMs are away for a while
    assert "memory of totals, MiB" in text
