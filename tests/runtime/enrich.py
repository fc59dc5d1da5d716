"""An operator of two inputs, for tests of what drives it: rows (k, v) of port 0 get the name that port 1 gave
last for k, whose rows are processed first. It registers itself, as an operator of plans too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.operator import Clock, Message, TwoInputOperator
from firesteel.runtime.dataflow.operator_registry import OPERATORS, Entry
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import INT, STRING, SqlType

LEFT, RIGHT, OUT = (STRING, INT), (STRING, STRING), (STRING, INT, STRING)


@dataclass(frozen=True)
class EnrichSpec(OperatorSpec):
    """state_id: of the names. type: theirs."""

    state_id: str = "enrich-1"
    type: SqlType = STRING

    @property
    def port_order(self) -> tuple[int, ...]:
        return 1, 0


class Enrich(TwoInputOperator):
    """Kinds and orders are those of port 0."""

    first = 1

    def __init__(self, spec: EnrichSpec, state: StateBackend | None, clock: Clock) -> None:
        super().__init__()
        backend = state if state is not None else memory_backend()
        self._names = backend.value(f"{spec.state_id}.v1", [pa.string()], [to_arrow(spec.type)], 0)
        self._clock = clock

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        table = table.combine_chunks()
        keys = find_keys([table["f0"]], table.num_rows)
        if port == 1:
            last = pa.array(keys.order[keys.starts + keys.counts - 1])
            owners = np.arange(len(keys))
            self._names.put(keys, owners, [table["f1"].combine_chunks().take(last)], self._clock())
            return ()
        names = self._names.get(keys, self._clock()).columns[0].take(pa.array(keys.codes))
        columns = [table[name] for name in (KIND, SEQUENCE, "f0", "f1")]
        return (pa.table([*columns, names], names=[KIND, SEQUENCE, "f0", "f1", "f2"]),)


def build(spec: EnrichSpec, state: StateBackend | None, clock: Clock) -> Enrich:
    return Enrich(spec, state, clock)


def code(spec: EnrichSpec) -> Iterator[str]:
    yield "-- Enrich"


OPERATORS[EnrichSpec] = Entry(__name__, state=1)
