"""Residual, the part of a join condition besides equal keys. DuckDB evaluates it over both rows' fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.operators.join.delta import Mask


class Residual:
    """The part of a join condition besides equal keys.

    Args:
        spec: The condition, as a Calc without a projection.
    """

    def __init__(self, spec: CalcSpec) -> None:
        self._calc = Calc(spec)

    def holds(self, columns: Sequence[pa.Array], pairs: int) -> Mask:
        """Return for which pairs the condition is true, bool[pairs]. Unknown counts as false.

        Args:
            columns: The left input's fields, then the right input's, with one row for each pair.
            pairs: Number of pairs.
        """
        passed = np.zeros(pairs, np.bool_)
        if pairs:
            numbers = pa.array(np.arange(pairs, dtype=np.int64))
            kinds = pa.array(np.zeros(pairs, np.int8))
            names = [KIND, SEQUENCE, *map(field, range(len(columns)))]
            table = pa.Table.from_arrays([kinds, numbers, *columns], names=names)
            passed[self._calc.process(table).column(SEQUENCE).to_numpy()] = True
        return passed
