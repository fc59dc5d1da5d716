"""Join condition beyond equal keys: an expression over the fields of both rows, evaluated in DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.operators.join.delta import Mask


class Residual:
    """The condition of a join.

    Args:
        spec: A Calc without a projection.
    """

    def __init__(self, spec: CalcSpec) -> None:
        self._calc = Calc(spec)

    def holds(self, columns: Sequence[pa.Array], pairs: int) -> Mask:
        """Return bool[pairs]: for which pairs it is true, not false or unknown.

        Args:
            columns: The left input's fields, then the right one's, a row a pair.
            pairs: How many pairs there are.
        """
        passed = np.zeros(pairs, np.bool_)
        if pairs:
            numbers = pa.array(np.arange(pairs, dtype=np.int64))
            kinds = pa.array(np.zeros(pairs, np.int8))
            names = [KIND, SEQUENCE, *map(field, range(len(columns)))]
            table = pa.Table.from_arrays([kinds, numbers, *columns], names=names)
            passed[self._calc.process(table).column(SEQUENCE).to_numpy()] = True
        return passed
