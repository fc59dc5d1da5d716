"""A learned shape whose messages are changes: an UPDATE is one message and two rows."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields
from firesteel.formats.line_decoder import LINE
from firesteel.runtime.spec import KIND, field


class UpdateShape:
    """A shape (line_decoder.Shape). The statement gives, a row a message, `i`, `kind` (an UPDATE is +U),
    `a0`.. (the row), `b0`.. (the row before an UPDATE), `flag` (the message needs the exact path) and one
    text column for each filter: only messages where it matches entirely are wanted."""

    def __init__(
        self, pattern: str, statement: str, fields: Fields, filters: dict[str, str] | None = None
    ) -> None:
        self.pattern = pattern
        self.statement = statement
        self._fields = fields
        self._filters = {key: re.compile(text) for key, text in (filters or {}).items()}

    def rows(self, answer: pa.Table) -> tuple[pa.Table, list[int]]:
        """See line_decoder.Shape."""
        odd: list[int] = []
        flagged = answer["flag"].to_numpy()
        if flagged.any():
            odd = answer["i"].to_numpy()[flagged].tolist()
            answer = answer.filter(pa.array(~flagged))
        for key, pattern in self._filters.items():
            answer = _filtered(answer, key, pattern)
        return self._changes(answer), odd

    def _changes(self, wide: pa.Table) -> pa.Table:
        """One row a message to one row a change: an UPDATE's row before it stands before it."""
        kinds = wide["kind"].to_numpy()
        updates = np.flatnonzero(kinds == RowKind.UPDATE_AFTER)
        names = [field(index) for index in range(len(self._fields.types))]
        if not len(updates):
            columns = [wide["kind"], *(wide[f"a{index}"] for index in range(len(names))), wide["i"]]
            return pa.Table.from_arrays(columns, names=[KIND, *names, LINE])
        copies = np.ones(len(kinds), dtype=np.int64)
        copies[updates] = 2
        picks = np.repeat(np.arange(len(kinds)), copies)
        before = np.cumsum(copies)[updates] - 2
        out_kinds = kinds[picks]
        out_kinds[before] = RowKind.UPDATE_BEFORE
        lines = wide["i"].to_numpy()[picks]
        picks[before] = len(kinds) + np.arange(len(updates))
        old = wide.take(pa.array(updates))
        indices = pa.array(picks)
        columns = [pa.array(out_kinds)]
        for index in range(len(names)):
            both = pa.chunked_array([*wide[f"a{index}"].chunks, *old[f"b{index}"].chunks])
            columns.append(both.combine_chunks().take(indices))
        return pa.Table.from_arrays([*columns, pa.array(lines)], names=[KIND, *names, LINE])


def _filtered(wide: pa.Table, key: str, pattern: re.Pattern[str]) -> pa.Table:
    """The messages whose database or table matches; there are few different ones."""
    codes = wide[key].combine_chunks().dictionary_encode()
    keep = np.array([pattern.fullmatch(one) is not None for one in codes.dictionary.to_pylist()], dtype=bool)
    return wide.filter(pa.array(keep[codes.indices.to_numpy()])) if not keep.all() else wide
