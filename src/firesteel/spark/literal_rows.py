"""Source of the literal rows of VALUES, which are evaluated in the task that reads them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE
from firesteel.connectors.base import History, Offset, Split
from firesteel.connectors.single_read import SingleReadSource
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.spec.tables import ValuesSpec

_CHUNK = 64
"""Rows in one DuckDB statement. Each column is one expression: CASE number WHEN 0 THEN ... END."""


class LiteralRows(SingleReadSource):
    """Source of the rows of a ValuesSpec: bounded, with one split (connectors/base.py)."""

    offsets = (False, True)

    def __init__(self, spec: ValuesSpec) -> None:
        self._spec = spec

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield all rows as inserts, in the order in which the query lists them."""
        for start in range(0, len(self._spec.rows), _CHUNK):
            yield self._chunk(start, split.ordinal)

    def splits(self, parallelism: int) -> list[Split]:
        return [Split(0, {})]

    def history(self, start: Offset, end: Offset) -> History:
        """Return a History of all rows. Literal rows can always be read again: the query has them."""
        return History(start, end, f"{len(self._spec.rows)} rows")

    def _chunk(self, start: int, split: int) -> pa.Table:
        rows = self._spec.rows[start : start + _CHUNK]
        sequences = row_sequences(split, start, len(rows))
        columns = {KIND: pa.array(np.zeros(len(rows), np.int8)), SEQUENCE: sequences}
        texts = (
            f'CASE "{SEQUENCE}" - {sequences[0].as_py()} '
            + " ".join(f"WHEN {i} THEN {row[column]}" for i, row in enumerate(rows))
            + " END"
            for column in range(len(self._spec.types))
        )
        calc = CalcSpec(tuple(texts), self._spec.types, None, self._spec.functions)
        return Calc(calc).process(pa.table(columns))
