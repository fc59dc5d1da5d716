"""The last rank of each partition: a constant, or the value of a field in its first row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.rank import RankSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]


class RankEnds:
    """Last ranks by partition.

    The first row of a partition sets its last rank. A later row with another value changes nothing (Flink:
    AbstractSyncStateTopNFunction.initRankEnd, which counts it as `topn.invalidTopSize`). If the value is
    NULL, no row of the partition has a rank.

    Args:
        spec: Settings of the rank.
        backend: State of the operator.
    """

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        self._end, self._field = spec.end, spec.end_field
        self._state = None
        if spec.end_field is not None and spec.end_field not in spec.partition:
            key_types = [to_arrow(spec.input_types[i]) for i in spec.partition]
            self._state = backend.value(f"{spec.state_id}.end.v1", key_types, [pa.int64()], spec.ttl)

    def of(self, keys: Keys, fields: Sequence[pa.Array], now: int) -> Index:
        """Return the last rank of each of g partitions, int64[g].

        Args:
            keys: The partitions.
            fields: Fields of the rows.
            now: Processing time in milliseconds.
        """
        if self._field is None:
            return np.full(len(keys), self._end, np.int64)
        first = fields[self._field].take(pa.array(keys.order[keys.starts]))
        ends = np.array(first.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False))
        if self._state is None:
            return ends
        found = self._state.get(keys, now)
        known = found.columns[0].fill_null(0).to_numpy(zero_copy_only=False)
        new = np.flatnonzero(~found.found)
        if len(new):
            self._state.put(keys, new, [pa.array(ends[new])], now)
        return np.where(found.found, known, ends)
