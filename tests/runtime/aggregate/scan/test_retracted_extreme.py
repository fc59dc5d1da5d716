"""MAX of a key with many values: what goes costs what is near the end, not what the key has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.operators.group.mini_batch_group_aggregate import MiniBatchGroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.runtime.state.runs import Run
from firesteel.types.sql import BIGINT, DOUBLE, STRING, SqlType
from tests.runtime.driven_operators import call, run, spec
from tests.scale import part

VALUES, BATCH = 50_000, 100

WAYS: dict[str, Callable[[GroupAggregateSpec, SortedRunBackend], Callable[[pa.Table], pa.Table]]] = {
    "columns": lambda what, state: GroupAggregate(what, state, lambda: 0).process,
    "row handler": lambda what, state: GroupAggregate(what, state, lambda: 0, False).process,
    "bundles": lambda what, state: MiniBatchGroupAggregate(what, state, lambda: 0).finish_bundle,
}
COLUMNS: dict[SqlType, Callable[[np.ndarray], pa.Array]] = {
    BIGINT: pa.array,
    DOUBLE: lambda values: pa.array(values / 2.0),
    STRING: lambda values: pa.array([f"longer than a word {value:06}" for value in values]),
}


def changes(kind: int, values: pa.Array) -> pa.Table:
    rows = len(values)
    columns = {KIND: np.full(rows, kind, np.int8), SEQUENCE: np.arange(rows), "f0": np.zeros(rows, np.int64)}
    return pa.table({**columns, "f1": values})


@pytest.mark.parametrize(
    ("way", "function", "kind"), part(list(product(WAYS, ["MIN", "MAX"], COLUMNS)), 8), ids=str
)
def test_not_all_values_are_read(
    way: str, function: str, kind: SqlType, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = GroupAggregateSpec(
        (0,), (AggregateSpec(function, (1,), (kind,), kind, retract=True),), (BIGINT, kind), True, False
    )
    store, column = MemoryStore(), COLUMNS[kind]
    taken: list[int] = []
    take = Run.take

    def counted(mine: Run, index: np.ndarray) -> Run:
        taken.append(len(index))
        return take(mine, index)

    def step(kind: int, values: np.ndarray) -> list[object]:
        backend = SortedRunBackend.open(store)
        out = WAYS[way](what, backend)(changes(kind, column(values)))
        monkeypatch.setattr(Run, "take", take)
        backend.commit()
        monkeypatch.setattr(Run, "take", counted)
        taken.append(0)
        return list(out["f1"].to_pylist())

    values = np.arange(VALUES)
    step(0, values)
    at_the_end = values if function == "MIN" else values[::-1]
    for number in range(12):
        taken.clear()
        gone = at_the_end[number * BATCH : (number + 1) * BATCH]
        after = at_the_end[(number + 1) * BATCH :][:1]
        assert step(3, gone)[-1] == column(after)[0].as_py()
        assert sum(taken) < VALUES // 4


def test_an_extreme_that_is_none_of_the_values() -> None:
    """9 is the best though it only made up for a retraction of itself; when all values go for a moment, it is
    forgotten, whatever the way. Flink: MaxWithRetractAggFunction."""
    what = spec([call("MAX"), call("COUNT")])
    text = ["+I a 5, -D a 9, +I a 9", "-D a 5, +I a null, +I a 3, -U a 3, +U a 4", "+I a 2, -D a 4"]
    whole = run(what, ", ".join(text), 1, columnar=False)
    for batch in (1, 2, 3, 100):
        assert run(what, ", ".join(text), batch) == whole
