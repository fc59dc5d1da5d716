"""Explanation of a row as plain values: source rows, steps of operators, and changes of the sink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SourceRow:
    """A source row that the explained rows come from.

    Attributes:
        batch: Number of the micro-batch, or a range of numbers.
        table: Name of the table.
        place: Where its message is in the source, such as `file` and `line`; {} if that is unknown.
        row: The row with its kind, such as `+I[Tom, 12]`.
    """

    batch: str
    table: str
    place: Mapping[str, object]
    row: str


@dataclass(frozen=True)
class StepReport:
    """One step of an operator as texts: the rows that the operator got and sent, and its state.

    Attributes:
        batch: Number of the micro-batch, or a range of numbers.
        causes: Places (see SourceRow) of the source rows that caused the input rows.
        received: The input rows with their kinds.
        before: Entries of the operator's state before.
        after: Entries of the operator's state after.
        sent: The output rows with their kinds.
        note: Why there is no output, or that rows were late; "" for no note.
        watermark: Time in UTC of the watermark that caused the step. "" if the step has input rows, or if the
            end of the micro-batch caused it.
    """

    batch: str
    causes: Sequence[Mapping[str, object]]
    received: Sequence[str]
    before: Sequence[str]
    after: Sequence[str]
    sent: Sequence[str]
    note: str = ""
    watermark: str = ""


@dataclass(frozen=True)
class OperatorReport:
    """The steps of an operator for one key.

    Attributes:
        operator: Line of the operator in the physical plan.
        key: Values of the key as texts; None for an operator without keys.
        steps: The steps, newest last.
        left_out: Number of earlier steps that are not listed.
        other_keys: Number of further keys of the operator that are not reported. Only the operator's last
            report has this number. In its other reports, the number is 0.
    """

    operator: str
    key: Sequence[str] | None
    steps: Sequence[StepReport]
    left_out: int = 0
    other_keys: int = 0


@dataclass(frozen=True)
class SinkChange:
    """A change that the sink got.

    Attributes:
        batch: Number of the micro-batch, or a range of numbers.
        cause: Place (see SourceRow) of the source row that caused it; {} if that is unknown.
        row: The row with its kind.
    """

    batch: str
    cause: Mapping[str, object]
    row: str


@dataclass(frozen=True)
class Explanation:
    """How the rows of a key came to be. Lists are in the order of the changes.

    Attributes:
        table: Name of the sink's table, or `query`.
        columns: Names of its columns.
        key: The key that was asked for, by column; None for NULL.
        batch: Number of the micro-batch after which the rows are explained.
        rows: The rows that remain after all changes, as texts.
        changes: The last changes that the sink got.
        sources: The last source rows.
        operators: The operators, sources first.
        all_changes: Number of all changes of these rows at the sink, of which `changes` has the last ones.
        all_sources: Number of all source rows, of which `sources` has the last ones.
    """

    table: str
    columns: Sequence[str]
    key: Mapping[str, str | None]
    batch: int
    rows: Sequence[str]
    changes: Sequence[SinkChange]
    sources: Sequence[SourceRow]
    operators: Sequence[OperatorReport]
    all_changes: int
    all_sources: int


def place_text(place: Mapping[str, object]) -> str:
    """Return a place on one line, such as `sales/1.json, line 3`."""
    if "file" in place:
        rest = (f"{name} {value}" for name, value in place.items() if name != "file")
        return ", ".join((str(place["file"]), *rest))
    return ", ".join(f"{name} {value}" for name, value in place.items())
