"""Mutated messages: what one holds becomes a row, is skipped, or is refused with its place.

    python -m tests.formats.mutations --messages 20000 --seed 1 [--only json]

For each format, key and metadata a topic of good and damaged messages is read in columns and message by
message, in blocks of 5,000 and of 1, ignoring errors and not. Both readers must have the same rows, the same
skipped messages, and the same error with the same place; no other exception, and nothing unforeseen.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from firesteel.connectors.kafka.messages import MESSAGE, MESSAGE_KEY, OFFSET, Messages
from firesteel.errors import FiresteelError
from tests.formats.mutation_subjects import Subject, decoders_of, subjects
from tests.formats.schema_registry import running

BLOCK = 5000
_DAMAGED = 0.3
"""Of the messages in a block whose errors are ignored."""
_FEW = 2
"""Damaged messages in a block that the first of them ends."""
_SINGLES = 10
"""Every so manieth damaged message is also read alone."""


@dataclass
class Report:
    """messages: damaged ones that were read. finds: what must not be."""

    messages: int = 0
    rows: int = 0
    skipped: int = 0
    refused: int = 0
    finds: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What a reader made of a block; error: with its place."""

    rows: str | None
    count: int
    skipped: Counter[str]
    error: str | None
    foreign: str | None
    unforeseen: int


def read(
    subject: Subject, topic: Sequence[tuple[bytes | None, bytes | None]], *, ignoring: bool, columnar: bool
) -> Outcome:
    """Read a topic of values and keys."""
    rows = subject.rows(ignoring=ignoring, columnar=columnar)
    columns = {
        MESSAGE: pa.array([value for value, _ in topic], pa.binary()),
        OFFSET: pa.array(range(len(topic)), pa.int64()),
    }
    if subject.key is not None:
        columns[MESSAGE_KEY] = pa.array([key for _, key in topic], pa.binary())
    table, error, foreign = None, None, None
    try:
        table = rows.table(Messages("t", 3, columns), 0, 0)
    except FiresteelError as found:
        error = str(found)
        if "topic t, partition 3, offset " not in error:
            foreign = f"without a place: {error[:300]}"
    except Exception as found:
        foreign = f"{type(found).__name__}: {found}"[:300]
    unforeseen = sum(decoder.unforeseen for decoder in decoders_of(rows))
    text = None if table is None else written(table)
    return Outcome(text, 0 if table is None else table.num_rows, rows.skipped, error, foreign, unforeseen)


def written(table: pa.Table) -> str:
    """All values, points in time that Python does not reach among them."""
    return "\n".join(map(_values, table.columns))


def _values(column: pa.ChunkedArray) -> str:
    return "\n".join(map(repr, column.cast(_numbered(column.type)).to_pylist()))


def _numbered(kind: pa.DataType) -> pa.DataType:
    """The type with numbers for days and points in time: Python does not reach all years."""
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return pa.int32()
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return pa.int64()
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, _numbered(each.type)) for each in kind])
    return pa.list_(_numbered(kind.value_type)) if pa.types.is_list(kind) else kind


def compare(subject: Subject, topic: Sequence[Any], ignoring: bool, report: Report) -> None:
    """Read a topic in both ways; note what must not be."""
    outcomes = [read(subject, topic, ignoring=ignoring, columnar=columnar) for columnar in (True, False)]
    columns, exact = outcomes
    for name, each in (("columns", columns), ("exact", exact)):
        if each.foreign:
            report.finds.append(
                f"{subject.name}, {name}, ignoring={ignoring}: {each.foreign}\n  {_shortest(topic)}"
            )
        if each.unforeseen:
            report.finds.append(
                f"{subject.name}, {name}, ignoring={ignoring}: unforeseen\n  {_shortest(topic)}"
            )
    for what in ("rows", "skipped", "error"):
        one, other = getattr(columns, what), getattr(exact, what)
        if one != other:
            difference = f"{what} differ: {_difference(one, other)}"
            report.finds.append(f"{subject.name}, ignoring={ignoring}: {difference}\n  {_shortest(topic)}")
            break
    report.rows += columns.count
    report.skipped += columns.skipped.total()
    report.refused += columns.error is not None


def _difference(one: Any, other: Any) -> str:
    if isinstance(one, str) and isinstance(other, str) and "\n" in one:
        for left, right in zip(one.split("\n"), other.split("\n"), strict=False):
            if left != right:
                return f"{left[:200]!r} and {right[:200]!r}"
    return f"{str(one)[:300]!r} and {str(other)[:300]!r}"


def _shortest(topic: Sequence[Any]) -> str:
    return repr(topic[0])[:1500] if len(topic) == 1 else f"{len(topic)} messages"


def run(subject: Subject, messages: int, seed: int, report: Report) -> None:
    """Read `messages` damaged messages of a table."""
    chance = random.Random(f"{seed} {subject.name}")
    left = messages
    while left > 0:
        count = min(left, int(BLOCK * _DAMAGED))
        left -= count
        report.messages += count
        bad = [_damaged(subject, chance) for _ in range(count)]
        good = [_good(subject, chance) for _ in range(min(BLOCK - count, 3 * count))]
        topic = good + bad
        chance.shuffle(topic)
        before = len(report.finds)
        compare(subject, topic, ignoring=True, report=report)
        for start in range(0, count, 300):
            few = good[:200] + bad[start : start + _FEW]
            chance.shuffle(few)
            compare(subject, few, ignoring=False, report=report)
        singles = bad if len(report.finds) > before else bad[::_SINGLES]
        del report.finds[before:]
        for one in singles:
            for ignoring in (True, False):
                compare(subject, [one], ignoring=ignoring, report=report)
        if len(report.finds) == before:
            compare(subject, topic, ignoring=True, report=report)


def _good(subject: Subject, chance: random.Random) -> tuple[bytes | None, bytes | None]:
    return subject.good(chance), None if subject.key is None else subject.key(chance)


def _damaged(subject: Subject, chance: random.Random) -> tuple[bytes | None, bytes | None]:
    value, key = _good(subject, chance)
    if key is not None:
        return value, subject.damage(chance, key) if chance.random() < 0.98 else None
    return subject.damage(chance, value or b"") if chance.random() < 0.98 else None, None


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    report = Report()
    with running() as registry:
        chosen = [each for each in subjects(registry) if each.name.startswith(arguments.only)]
        for subject in chosen:
            began, before = time.monotonic(), len(report.finds)
            run(subject, -(-arguments.messages // len(chosen)), arguments.seed, report)
            print(f"{subject.name}: {time.monotonic() - began:.0f} s", flush=True)
            for find in report.finds[before:][:6]:
                print(f"  FOUND {find}", flush=True)
    counts = f"{report.rows} rows, {report.skipped} skipped, {report.refused} refused"
    print(f"seed {arguments.seed}: {report.messages} damaged messages, {counts}, {len(report.finds)} finds")
    raise SystemExit(bool(report.finds))


if __name__ == "__main__":
    main()
