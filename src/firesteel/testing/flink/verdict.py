"""Verdicts on the statements of a script, from the answers of both engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from firesteel.testing.flink.changes import Comparison, compare_changes, text_shape
from firesteel.testing.flink.requests import Answer, Asked

MOST = 10
"""Maximum number of keys that a report shows."""
_LONGEST = 300
"""Maximum number of characters of an error message in a report."""
_LACKS = "Could not find any factory for identifier"


class Outcome(Enum):
    """Result of comparing the two engines' answers to a statement. The values are the words of a report."""

    SAME = "same"
    PLANS = "plan differs"
    CHANGES = "changes differ"
    ROWS = "rows differ"
    FLINK_REFUSES = "only Flink refuses"
    FIRESTEEL_REFUSES = "only Firesteel refuses"
    BOTH_REFUSE = "both refuse"
    LEFT_OUT = "not compared"

    @property
    def agrees(self) -> bool:
        """Whether both engines gave the same answer, or both an error. False if they were not compared."""
        return self in (Outcome.SAME, Outcome.BOTH_REFUSE)


@dataclass(frozen=True)
class Verdict:
    """The verdict on one statement.

    Attributes:
        line: Line of the script.
        text: The statement in one line.
        outcome: The outcome.
        detail: Lines that show the difference, the errors or remarks.
        counts: What was compared, such as `3 rows, 8 changes`.
    """

    line: int
    text: str
    outcome: Outcome
    detail: tuple[str, ...] = ()
    counts: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        counts = f" ({self.counts})" if self.counts else ""
        yield f"{self.outcome.value}: line {self.line}, {self.text}{counts}"
        yield from (f"  {line}" for line in self.detail)


def verdict_of(asked: Asked, flink: Answer, *, with_plans: bool) -> Verdict:
    """Return the verdict on a statement.

    Args:
        asked: The statement, with Firesteel's answer.
        flink: Flink's answer.
        with_plans: Whether plans are compared.
    """
    outcome, detail, counts = _outcome(asked, flink, with_plans=with_plans)
    return Verdict(asked.line, asked.text, outcome, (*detail, *asked.notes), counts)


def _outcome(asked: Asked, flink: Answer, *, with_plans: bool) -> tuple[Outcome, list[str], str]:
    own = asked.own
    if asked.left_out is not None:
        return Outcome.LEFT_OUT, [asked.left_out], ""
    if flink.error is not None and flink.error.startswith(_LACKS) and own.error is None:
        return (
            Outcome.LEFT_OUT,
            [_first(flink.error), "name the jar of the connector or format: --jar FILE"],
            "",
        )
    said = [
        f"{name:<9}  {_first(each.error)}"
        for name, each in (("Flink", flink), ("Firesteel", own))
        if each.error
    ]
    if flink.error is not None and own.error is not None:
        return Outcome.BOTH_REFUSE, said, ""
    if flink.error is not None:
        return Outcome.FLINK_REFUSES, said, ""
    if own.error is not None:
        return Outcome.FIRESTEEL_REFUSES, said, ""
    counts = ""
    if own.rows is not None and flink.rows is not None:
        shape = text_shape(asked.names, asked.key)
        compares = asked.compares_changes
        found = compare_changes(flink.rows, own.rows, shape, asked.approximate, MOST, each_change=compares)
        counts = _counts(found, with_changes=compares)
        if found.count:
            outcome = Outcome.CHANGES if found.of_changes else Outcome.ROWS
            return outcome, list(_keys(found)), counts
    plans = plan_difference(flink.plan or "", own.plan or "") if with_plans else []
    return (Outcome.PLANS if plans else Outcome.SAME), plans, counts


def plan_difference(flink: str, own: str) -> list[str]:
    """Return lines that show the first difference of two plans; [] for none. Blank lines do not count."""
    one, other = _plan_lines(flink), _plan_lines(own)
    if one == other:
        return []
    pairs = zip([*one, ""], [*other, ""], strict=False)
    at = next(number for number, (a, b) in enumerate(pairs) if a != b)
    section = next((line for line in reversed(one[: at + 1]) if line.startswith("== ")), "")
    sides = (each[at] if at < len(each) else "no line" for each in (one, other))
    texts = [f"  {name:<9}  {line.strip()}" for name, line in zip(("Flink", "Firesteel"), sides, strict=True)]
    return [section.strip("= "), *texts]


def _plan_lines(plan: str) -> list[str]:
    return [line.rstrip() for line in plan.splitlines() if line.strip()]


def _first(text: str | None) -> str:
    """Return the first line of a message, cut if it is long."""
    line = (text or "").strip().partition("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}..."


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _counts(found: Comparison, *, with_changes: bool) -> str:
    rows = _number(found.rows, "row")
    return f"{rows}, {_number(found.changes, 'change')}" if with_changes else rows


def _keys(found: Comparison) -> Iterator[str]:
    for each in found.first:
        yield ", ".join(f"{name} = {value}" for name, value in zip(found.names, each.key, strict=True))
        yield f"  Flink      {', '.join(each.expected) or 'nothing'}"
        yield f"  Firesteel  {', '.join(each.found) or 'nothing'}"
    if found.count > len(found.first):
        yield f"... {found.count - len(found.first):,} more"
