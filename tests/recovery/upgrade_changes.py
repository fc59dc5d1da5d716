"""All changes of upgrade_cases.py, one after another in one Spark session.

The old version of each change runs once, over so many rows. Each change begins from what it has left.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import FiresteelError
from tests.recovery.upgrade_cases import CASES, Case
from tests.recovery.upgrade_rows import Shape
from tests.recovery.upgrade_run import Job, changes_between, in_columns
from tests.recovery.upgrade_sinks import Rows

if TYPE_CHECKING:
    from tools.kafka_broker import Broker

    from firesteel.spark.launch.launch import Spark

_MORE = 12
"""Rows that come after an upgrade."""


@dataclass(frozen=True)
class Outcome:
    """One change that has been checked.

    Attributes:
        case: The change.
        rows: Rows of the table before and after it.
        sent: Changes of each kind that both sinks have got.
        seconds: Time of the upgrade.
        error: What is wrong; "" if nothing is.
    """

    case: Case
    rows: tuple[int, int] = (0, 0)
    sent: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    error: str = ""

    def __str__(self) -> str:
        if self.error:
            return f"{self.case.name}: {self.error}"
        sent = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.sent.items())) or "no change"
        return f"{self.case.name}: {self.rows[0]:,} rows, now {self.rows[1]:,}; {sent}; {self.seconds:.1f} s"


def changes(
    spark: Spark,
    base: Path,
    rows: int,
    seed: int,
    cases: Sequence[Case] = CASES,
    broker: Broker | None = None,
) -> Iterator[Outcome]:
    """Yield the outcome of each change. `rows` is divisible by 3.

    A topic cannot be brought back to what it was, so with a broker each change has a job of its own.
    """
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(repr(case.before) if broker is None else case.name, []).append(case)
    shape = Shape.of(rows, seed)
    for number, group in enumerate(groups.values()):
        folder = base / str(number)
        versions = [*(case.after for case in group), group[0].before]
        job = Job(spark, folder, *versions, shape=shape, broker=broker)
        yield from _checked(job, group, rows)
        shutil.rmtree(folder)


def _checked(job: Job, group: Sequence[Case], rows: int) -> Iterator[Outcome]:
    before = group[0].before
    job.feed(0, rows)
    job.run(before)
    told = job.answer(before)
    assert job.table(before) == job.log(before) == told, f"{before}: the job is wrong before its upgrade"
    if len(group) > 1:
        job.keep()
    for number, case in enumerate(group):
        if number:
            job.restore()
        try:
            yield check(job, case, told)
        except (AssertionError, FiresteelError) as error:
            yield Outcome(case, error=f"{error}"[:2000])


def check(job: Job, case: Case, told: Rows) -> Outcome:
    """Upgrade a stopped job, and check its sinks before and after it goes on.

    Args:
        job: The job.
        case: The change.
        told: The answer of the old query.

    Raises:
        AssertionError: A sink does not have the answer of the new query, or got more changes than it needs.
    """
    after = case.after
    wanted, messages, begun = job.answer(after), job.messages(), time.monotonic()
    job.totals.forget()
    _, kinds = job.upgrade(after)
    seconds = time.monotonic() - begun
    assert job.table(after) == job.log(after) == wanted, f"{case.name}: another answer"
    had = in_columns(told, case.before.names, after.names)
    key = [after.names.index(after.key)]
    expected = {
        "totals": changes_between(had, wanted, key),
        "log": changes_between(had, wanted, ()),
    }
    assert kinds == expected, f"{case.name}: {kinds}, expected {expected}"
    assert job.messages() - messages == expected["log"].total(), f"{case.name}: the log has got others"
    job.totals.check_last(kinds["totals"])
    if not after.is_bounded:
        job.feed(1, _MORE)
    job.run(after)
    assert job.table(after) == job.log(after) == job.answer(after), f"{case.name}: another answer later"
    return Outcome(case, (told.total(), wanted.total()), kinds["totals"] + kinds["log"], seconds)
