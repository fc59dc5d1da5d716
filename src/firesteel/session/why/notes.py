"""Notes on the steps of operators: why a step sent nothing, or by how much its rows were late."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone

import pyarrow as pa

from firesteel.changelog import KIND, RowKind
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.operator import MAX_WATERMARK
from firesteel.runtime.spec.join import JoinSpec, SemiJoinSpec
from firesteel.runtime.spec.operators import (
    ChangelogNormalizeSpec,
    DropUpdateBeforeSpec,
    GroupAggregateSpec,
    OperatorSpec,
)
from firesteel.runtime.spec.rank import DeduplicateSpec, RankSpec
from firesteel.spark.why.steps import Step

_COUNTING = re.compile(r"[./](came|time|watermark)\b")
"""Matches the names of states that only count rows or keep watermarks."""
_REMOVES = (int(RowKind.UPDATE_BEFORE), int(RowKind.DELETE))


def note_of(spec: OperatorSpec, step: Step) -> str:
    """Return the note on a step of an operator, "" for none."""
    late = list(_late(step))
    if late:
        return "; ".join(late)
    if step.sent or not step.inputs:
        return ""
    if _removes(step) and not step.before and not isinstance(spec, (CalcSpec, DropUpdateBeforeSpec)):
        return "not sent: no stored row fits, so there is nothing to take back"
    if spec.reads_watermarks and _waits(step):
        return "not sent yet: it waits for a watermark"
    find = _NOTES.get(type(spec))
    return "not sent" if find is None else f"not sent: {find(spec, step)}"


def _waits(step: Step) -> bool:
    """Return whether a step has stored rows that may be sent later.

    That is the case if a state has changed, apart from states that only count rows or keep watermarks.
    """
    names = {name for name in (*step.before, *step.after) if not _COUNTING.search(name)}
    return any(step.before.get(name) != step.after.get(name) for name in names)


def _late(step: Step) -> Iterator[str]:
    for table in step.late:
        for time, watermark in zip(table.times.tolist(), table.watermarks.tolist(), strict=True):
            late = f"late by {watermark - time} ms"
            yield f"{late}: its time is {time_text(time)}, the watermark {time_text(watermark)}"


def time_text(milliseconds: int) -> str:
    """Return a time as text in UTC; "end of the input" for MAX_WATERMARK, which is sent at that point."""
    if milliseconds == MAX_WATERMARK:
        return "end of the input"
    found = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return found.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def _removes(step: Step) -> bool:
    kinds = [kind for each in step.inputs for kind in _kinds(each.rows)]
    return bool(kinds) and all(kind in _REMOVES for kind in kinds)


def _kinds(rows: pa.Table) -> list[int]:
    return list(rows.column(KIND).to_pylist())


def _of_calc(spec: CalcSpec, step: Step) -> str:
    return "the condition is not true"


def _of_result(spec: OperatorSpec, step: Step) -> str:
    return "the result is unchanged"


def _of_join(spec: OperatorSpec, step: Step) -> str:
    return "the row has no partner that changes the result"


def _of_rank(spec: RankSpec, step: Step) -> str:
    return "the rows of these ranks stay the same" if spec.end is None else f"not among the first {spec.end}"


def _of_deduplicate(spec: DeduplicateSpec, step: Step) -> str:
    return f"the {'last' if spec.keep_last else 'first'} row of the key stays the same"


_NOTES: Mapping[type, Callable[..., str]] = {
    CalcSpec: _of_calc,
    ChangelogNormalizeSpec: _of_result,
    DeduplicateSpec: _of_deduplicate,
    DropUpdateBeforeSpec: lambda spec, step: "readers need no rows before an update",
    GroupAggregateSpec: _of_result,
    JoinSpec: _of_join,
    RankSpec: _of_rank,
    SemiJoinSpec: _of_join,
}
