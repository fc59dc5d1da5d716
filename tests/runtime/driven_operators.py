"""Driving GroupAggregate with changes written as text."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, INT, STRING, SqlType
from tests.runtime.changes import parse, show, to_rows, to_table

COUNT_STAR = AggregateSpec("COUNT", (), (), BIGINT)


def call(
    function: str,
    retract: bool = True,
    distinct: bool = False,
    kind: SqlType = INT,
    result: SqlType | None = None,
) -> AggregateSpec:
    """A call over field 1."""
    result = result or (BIGINT if function == "COUNT" else kind)
    return AggregateSpec(function, (1,), (kind,), result, retract, distinct)


def spec(
    calls: Sequence[AggregateSpec],
    update_before: bool = True,
    kind: SqlType = INT,
    ttl: int = 0,
    retracts: bool = True,
    keys: tuple[int, ...] = (0,),
) -> GroupAggregateSpec:
    """Calls over (k STRING, v), grouped by k."""
    star = next((i for i, each in enumerate(calls) if each == COUNT_STAR), None)
    return GroupAggregateSpec(keys, tuple(calls), (STRING, kind), retracts, update_before, star, ttl)


def run(what: GroupAggregateSpec, text: str, batch: int = 1000, columnar: bool = True) -> str:
    """The output, the input cut into batches of `batch` rows."""
    return run_timed(what, [(0, text)], batch, columnar=columnar)


def run_timed(
    what: GroupAggregateSpec,
    parts: Sequence[tuple[int, str]],
    batch: int = 1000,
    stored: bool = False,
    columnar: bool = True,
) -> str:
    """parts: (processing time, changes). stored: through keyed state rather than in the process."""
    now = 0
    operator = GroupAggregate(what, memory_backend() if stored else None, lambda: now, columnar)
    out = []
    for now, text in parts:  # noqa: B007 - the clock reads it
        rows = parse(text, what.input_types)
        for start in range(0, len(rows), batch):
            out += to_rows(operator.process(to_table(rows[start : start + batch], what.input_types)))
    return show(out)
