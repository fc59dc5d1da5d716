"""Expand the rows of messages into changes, in columns.

An UPDATE becomes two changes for each of its rows: `-U` with the old values and `+U` with the new ones. The
old values are in the message's old rows, such as those in the member `old` of a Canal message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json.batch_values import Reading
from firesteel.formats.messages.message_decoder import Columnar
from firesteel.kernels.types import Cells
from firesteel.types.arrow import to_arrow


@dataclass(frozen=True)
class Rows:
    """Rows of n messages.

    Attributes:
        kinds: int8[n], row kind of the rows of each message: +U for the rows of an UPDATE.
        starts: int64[n], index of each message's first row among the rows of all messages.
        olds: int64[n], index of each UPDATE's first old row (its values before the UPDATE) among the old
            rows of all messages. Not read for other messages.
        counts: int64[n], number of rows of each message. An UPDATE has as many old rows.
    """

    kinds: npt.NDArray[np.int8]
    starts: Indices
    olds: Indices
    counts: Indices


@dataclass(frozen=True)
class Changes:
    """Changes that result from messages, k in number.

    Attributes:
        of: Rows of the messages.
        kinds: int8[k], kind of each change.
        messages: int64[k], index of the message that each change comes from.
        rows: int64[k], index of each change's row among the rows of all messages.
        old_rows: int64[k], for the -U of an UPDATE the index of its old row among the old rows of all
            messages; -1 for other changes.
    """

    of: Rows
    kinds: npt.NDArray[np.int8]
    messages: Indices
    rows: Indices
    old_rows: Indices

    @classmethod
    def of_messages(cls, rows: Rows, skipped: Flags) -> Changes:
        """Return the changes of the messages that are not skipped."""
        from firesteel.kernels.update_pairs import lay_out

        room = 2 * int(rows.counts.sum())
        kinds = np.empty(room, np.int8)
        made = [np.empty(room, np.int64) for _ in range(3)]
        count = lay_out(rows.kinds, skipped, rows.starts, rows.olds, rows.counts, kinds, *made)
        messages, places, old_rows = (each[:count] for each in made)
        return cls(rows, kinds[:count], messages, places, old_rows)

    def overlaid(self, now: Cells, old: Cells) -> Cells:
        """Return a field's cell in each change, int64[k], if old rows have only the changed fields.

        A change that is no -U of an UPDATE gets the cell of its row. For such a -U, there are three cases:

        - Its old row has the field: the cell of the old row.
        - No old row of the message has the field: the cell of its row, since the field did not change.
        - Only other old rows of the message have the field: 0, a missing cell, as in Flink.

        Args:
            now: The field's cell in each row.
            old: The field's cell in each old row.
        """
        from firesteel.kernels.update_pairs import overlay

        found = np.empty(len(self.kinds), np.int64)
        overlay(now, old, self.messages, self.rows, self.old_rows, self.of.olds, self.of.counts, found)
        return found

    def whole(self, now: Cells, old: Cells) -> Cells:
        """Return a field's cell in each change, int64[k], if old rows have all fields.

        The -U of an UPDATE gets the cell of its old row, any other change that of its row. `now` has the
        field's cell in each row, `old` that in each old row.
        """
        return np.where(self.old_rows < 0, now[self.rows], old[self.old_rows])

    def read(
        self, reading: Reading, schema: pa.Schema, fields: Fields, cells: Iterable[tuple[str, Cells]]
    ) -> Columnar:
        """Return the changes as a table, without those of odd messages.

        A message is odd if the exact reader must read it. The result has the indices of these messages.

        Args:
            reading: The scanned messages. It converts their cells, and holds the flags of odd messages.
            schema: Schema of the changes.
            fields: The wanted fields.
            cells: Name of each scanned field, and its cell in each change, int64[k].
        """
        types = dict(zip(fields.names, fields.types, strict=True))
        unread = fields.unread
        made = {
            name: (reading.unread if name in unread else reading.values)(column, types[name], self.messages)
            for name, column in cells
        }
        columns = [pa.array(self.kinds)]
        for name, kind in types.items():
            columns.append(made[name] if name in made else pa.nulls(len(self.kinds), to_arrow(kind)))
        table, numbers = pa.Table.from_arrays(columns, schema=schema), reading.numbers(self.messages)
        odd = reading.odd[self.messages]
        if odd.any():
            table, numbers = table.filter(pa.array(~odd)), numbers[~odd]
        return Columnar(table, numbers, reading.odd_numbers())
