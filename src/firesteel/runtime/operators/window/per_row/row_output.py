"""Collect the changes of GROUP BY windows one by one, and return them as tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE, RowKind, field
from firesteel.runtime.dataflow.sequence import ChangeOrigin
from firesteel.runtime.operators.window.fired import window_columns
from firesteel.runtime.spec.window import GroupWindowAggregateSpec
from firesteel.types.internal_values import from_list

Values = tuple[Any, ...]


class RowOutput:
    """Buffer of changes to send."""

    def __init__(self, spec: GroupWindowAggregateSpec) -> None:
        self._spec = spec
        of = spec.aggregate
        self._types = [*(of.input_types[i] for i in of.keys), *(call.type for call in of.calls)]
        self._changes: list[tuple[int, ChangeOrigin, Values, int]] = []

    def add(self, kind: RowKind, origin: ChangeOrigin, key: Values, result: Values, start: int) -> None:
        """Add a change of the window of a key that begins at `start`.

        `origin`: sequence and sub-sequence of the change. `result`: results of the calls.
        """
        self._changes.append((kind, origin, (*key, *result), start))

    def table(self, now: int) -> pa.Table:
        """Remove and return all changes as a table. `now` is the processing time."""
        changes, self._changes = self._changes, []
        starts = np.array([change[3] for change in changes], np.int64)
        columns = [from_list([c[2][i] for c in changes], kind) for i, kind in enumerate(self._types)]
        columns += window_columns(self._spec.columns, starts, starts + self._spec.size, self._spec.time, now)
        kinds = pa.array([change[0] for change in changes], pa.int8())
        sequence, sub_sequence = (
            pa.array([change[1][i] for change in changes], pa.int64()) for i in range(2)
        )
        names = [KIND, SEQUENCE, *map(field, range(len(columns)))]
        if any(change[1][1] for change in changes):
            return pa.Table.from_arrays(
                [kinds, sequence, *columns, sub_sequence], names=[*names, SUB_SEQUENCE]
            )
        return pa.Table.from_arrays([kinds, sequence, *columns], names=names)
