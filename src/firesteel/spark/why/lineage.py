"""Lineage of rows of a sink: the rows from which they come, at each input and output of an operator.

This is the origin of data, and has nothing to do with the lineage (id) of a checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from firesteel.changelog import SEQUENCE, SUB_SEQUENCE, field
from firesteel.job.spec import ChainSpec, JobSpec, sink_id
from firesteel.runtime.dataflow.sequence import concat
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.spark.why.condition import Condition, Mask, is_among
from firesteel.spark.why.operator_columns import OperatorColumns, columns_of
from firesteel.spark.why.recorder import Event, Place, tables
from firesteel.spark.why.wanted_rows import WantedRows, leads_to, ports

BATCH = "$batch"
"""Column with the index of the micro-batch of a row."""


@dataclass
class PlaceRows:
    """All recorded rows at one input or output of an operator, and which of them are in the lineage.

    Attributes:
        events: The recorded messages at this input or output.
        rows: The rows of the messages, with the column BATCH; None if there are none.
        chosen: bool[number of rows], whether each row belongs to the lineage.
    """

    events: Sequence[Event]
    rows: pa.Table | None
    chosen: Mask

    @classmethod
    def of(cls, events: Sequence[Event]) -> PlaceRows:
        """Return an object with all rows of the messages. No row is in the lineage yet."""
        held = list(tables(events))
        rows = concat([table for _, table in held]).combine_chunks() if held else None
        if rows is not None:
            sizes = [table.num_rows for _, table in held]
            batches = np.repeat(np.array([batch for batch, _ in held], np.int64), sizes)
            rows = rows.append_column(BATCH, pa.array(batches))
        return cls(events, rows, np.zeros(0 if rows is None else rows.num_rows, np.bool_))

    def picked(self) -> pa.Table | None:
        """Return the rows that belong to the lineage, None if there are none."""
        return None if self.rows is None or not self.chosen.any() else self.rows.filter(pa.array(self.chosen))

    def chosen_events(self, also: Mask | None = None) -> list[Event]:
        """Return the messages with only those rows that belong to the lineage. Watermarks stay.

        Args:
            also: bool[number of rows]. A row with False is left out even if it belongs to the lineage. None
                leaves out no such row.
        """
        mask = self.chosen if also is None else self.chosen & also
        found, start = [], 0
        for event in self.events:
            count = 0 if event.rows is None else event.rows.num_rows
            part, start = mask[start : start + count], start + count
            rows = None if event.rows is None or not part.any() else event.rows.filter(pa.array(part))
            if rows is not None or len(event.times):
                found.append(Event(event.batch, rows, event.times, event.sequences, event.sub_sequence))
        return found


class Lineage:
    """The rows from which some rows of a sink come, at each input and output of the job's operators.

    Args:
        job: The job.
        sink: Number of the sink.
        wanted: Condition that picks the rows of the sink.
        rows: Result of `wanted_rows` for the job, the sink and `wanted`.
        events: The recorded messages of each input and output of an operator (recorder.py: Place).
    """

    def __init__(
        self,
        job: JobSpec,
        sink: int,
        wanted: Condition,
        rows: WantedRows,
        events: Mapping[Place, list[Event]],
    ) -> None:
        self._job, self._sink, self._wanted, self._conditions = job, sink, wanted, rows
        self._events = events
        self._places: dict[Place, PlaceRows] = {}
        self.chains = leads_to(job, sink)
        for chain in reversed(job.chains):
            if chain.id in self.chains:
                self._trace(chain)

    def at(self, place: Place) -> PlaceRows:
        """Return the recorded rows at an input or output of an operator (recorder.py: Place)."""
        if place not in self._places:
            self._places[place] = PlaceRows.of(self._events.get(place, []))
        return self._places[place]

    def _trace(self, chain: ChainSpec) -> None:
        self._choose_output(chain)
        for position in range(len(chain.operators) - 1, -1, -1):
            spec = chain.operators[position]
            columns, after = columns_of(spec), self.at((chain.id, position + 1, 0))
            if columns.keys is None:
                self._choose_origins(
                    (chain.id, position, 0), after, shifts=isinstance(spec, SequenceShiftSpec)
                )
            else:
                self._choose_keys(chain, position, columns, after)

    def _choose_output(self, chain: ChainSpec) -> None:
        """Mark those output rows of a chain from which the wanted rows of the sink come (PlaceRows.chosen).

        The chains behind this chain are marked already. An output row is marked in two cases:

        - The output leads to the sink, and the row satisfies the condition for the wanted rows.
        - The output leads to another chain, and the row is marked at the input of this other chain.
        """
        place = self.at((chain.id, len(chain.operators), 0))
        if place.rows is None:
            return
        for output in chain.outputs:
            if output.to == sink_id(self._sink):
                place.chosen |= self._wanted.mask(place.rows)
            elif output.to in self.chains:
                read = self.at((output.to, 0, output.port)).picked()
                if read is not None:
                    keys = [BATCH, SEQUENCE, *map(field, output.keys)]
                    place.chosen |= is_among(_columns(place.rows, keys), _columns(read, keys))

    def _choose_origins(self, place: Place, after: PlaceRows, *, shifts: bool) -> None:
        """Add to the lineage the input rows of an operator without keys that caused its rows in the lineage.

        Args:
            place: The operator's input.
            after: Rows at the operator's output.
            shifts: Whether the operator only changes the sequences of its rows (SequenceShiftSpec). Then the
                n-th input row caused the n-th output row.
        """
        here = self.at(place)
        if here.rows is None:
            return
        if place in self._conditions.exact:
            here.chosen = self._conditions.exact[place].mask(here.rows)
            return
        if shifts:
            here.chosen = after.chosen
            return
        sent = after.picked()
        if sent is not None:
            keys = [BATCH, SEQUENCE]
            if all(SUB_SEQUENCE in each.column_names for each in (here.rows, sent)):
                keys.append(SUB_SEQUENCE)
            here.chosen = is_among(_columns(here.rows, keys), _columns(sent, keys))

    def _choose_keys(
        self, chain: ChainSpec, position: int, columns: OperatorColumns, after: PlaceRows
    ) -> None:
        """Add to the lineage all input rows of an operator with keys that have a key from `_known_keys`.

        At a port with a condition in WantedRows.exact, the lineage has only the rows that satisfy the
        condition. `_known_keys` has added them, so this function skips the port.
        """
        assert columns.keys is not None
        wanted = self._known_keys(chain, position, columns, after)
        for port in ports(chain, position):
            place = chain.id, position, port
            here = self.at(place)
            if here.rows is None or place in self._conditions.exact:
                continue
            own = _columns(here.rows, list(map(field, columns.keys[port])))
            for keys, only in wanted:
                if only is None or only == port:
                    here.chosen |= is_among(own, keys) if own else np.ones(here.rows.num_rows, np.bool_)

    def _known_keys(
        self, chain: ChainSpec, position: int, columns: OperatorColumns, after: PlaceRows
    ) -> list[_Keys]:
        """Return the keys of the rows in the lineage at an operator, by which its input rows are found.

        These are the keys of its output rows in the lineage, and the keys of the input rows that satisfy a
        condition in WantedRows.exact or WantedRows.seeds.

        Also set the lineage of each port with a condition in WantedRows.exact: exactly the rows that satisfy
        the condition.
        """
        assert columns.keys is not None
        found: list[_Keys] = []
        sent = after.picked()
        if sent is not None:
            found += _keys_of_output(sent, columns, ports(chain, position))
        for port in ports(chain, position):
            place = chain.id, position, port
            here = self.at(place)
            if here.rows is None:
                continue
            exact, seed = self._conditions.exact.get(place), self._conditions.seeds.get(place)
            if exact is not None:
                here.chosen = exact.mask(here.rows)
                chosen = here.picked()
            else:
                chosen = None if seed is None else here.rows.filter(pa.array(seed.mask(here.rows)))
            if chosen is not None and chosen.num_rows:
                found += _keys_of_input(chosen, columns, port)
        return found


_Keys: TypeAlias = tuple[list[pa.ChunkedArray], "int | None"]
"""Key columns of n rows, and the port whose rows with these keys are wanted; None for rows of all ports."""


def _keys_of_output(sent: pa.Table, columns: OperatorColumns, ports: Sequence[int]) -> list[_Keys]:
    """Return the keys of output rows, for each port whose key is in the output (_Keys).

    Here, NULL means NULL in a key column whose NULLs equal no key of another port (null_apart):

    - If the port's key in an output row has no NULL, the key picks rows of all ports.
    - If the port's key has NULL, and that of another port has not, the row is padded. It comes from no row of
      the port.
    - If the keys of all these ports have NULL, the NULL may be the reason why the row has no partner. The key
      picks rows of this port only, and only if the port's rows are sent without a partner (alone).
    """
    known = {port: at for port in ports if (at := columns.key_in_output(port)) is not None}
    missing = {port: _is_apart(sent, at, columns.null_apart) for port, at in known.items()}
    nowhere = np.logical_and.reduce(list(missing.values())) if missing else None
    found: list[_Keys] = []
    for port, at in known.items():
        names = list(map(field, at))
        whole = sent.filter(pa.array(~missing[port]))
        found.append((_columns(whole, names), None))
        if nowhere is not None and nowhere.any() and columns.alone[port]:
            found.append((_columns(sent.filter(pa.array(nowhere)), names), port))
    return found


def _keys_of_input(chosen: pa.Table, columns: OperatorColumns, port: int) -> list[_Keys]:
    """Return the keys of input rows of one port (_Keys).

    A key without NULL picks the rows of all ports that have this key. A key with NULL in a column that is
    compared by `=` equals no key of another port. So it picks only rows of its own port.
    """
    assert columns.keys is not None
    at = columns.keys[port]
    names = list(map(field, at))
    apart = _is_apart(chosen, at, columns.null_apart)
    found: list[_Keys] = [(_columns(chosen.filter(pa.array(~apart)), names), None)]
    if apart.any():
        found.append((_columns(chosen.filter(pa.array(apart)), names), port))
    return found


def _is_apart(rows: pa.Table, keys: Sequence[int], null_apart: Sequence[bool]) -> Mask:
    """Return for each row whether its key has a NULL that equals no key of another port, bool[n].

    Args:
        rows: n rows.
        keys: Positions of the key columns.
        null_apart: For each key column, whether a NULL in it equals no key of another port; () if none does.
    """
    found: Mask = np.zeros(rows.num_rows, np.bool_)
    if null_apart:
        for key, apart in zip(keys, null_apart, strict=True):
            if apart:
                found |= rows.column(field(key)).is_null().to_numpy()
    return found


def _columns(rows: pa.Table, names: Sequence[str]) -> list[pa.ChunkedArray]:
    return [rows.column(name) for name in names]
