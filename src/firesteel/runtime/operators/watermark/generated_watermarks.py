"""Watermarks from a user-defined generator, which is called row by row.

Flink: TimestampsAndWatermarksOperator. One task processes all rows of a source in their order. The attributes
of the generator are kept in the checkpoint.
"""

from __future__ import annotations

import base64
import pickle
import sys
from collections import namedtuple
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE, field
from firesteel.errors import FiresteelError, JobError
from firesteel.functions.python.failures import UserFunctionError
from firesteel.functions.python.load import PICKLED, describe, innermost
from firesteel.functions.python.watermarks import WatermarkGenerator, WatermarkOutput, WatermarkStrategy
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.failed_row import row_text
from firesteel.runtime.dataflow.operator import (
    LAST_SEQUENCE,
    MAX_WATERMARK,
    MIN_WATERMARK,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.sequence import sequences
from firesteel.runtime.operators.watermark.watermark_assigner import check_row_times
from firesteel.runtime.spec.operators import GeneratedWatermarksSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.plain_pickle import NotPlainError, dumps, loads


class _Output(WatermarkOutput):
    """Collector of the watermarks that advance event time. `sequence` is the sequence of the current row."""

    def __init__(self, time: int) -> None:
        self.time = time
        self.sequence = LAST_SEQUENCE
        self.emitted: list[tuple[int, int]] = []

    def emit_watermark(self, timestamp: int) -> None:
        if not isinstance(timestamp, int):
            raise JobError(f"emit_watermark takes milliseconds as an int, got {timestamp!r}")
        if timestamp > self.time:
            self.time = timestamp
            self.emitted.append((self.sequence, timestamp))


class GeneratedWatermarks(Operator):
    """Operator that calls a WatermarkStrategy.

    Raises:
        JobError: The user's code raises or returns no number. The error names the row.
    """

    def __init__(self, spec: GeneratedWatermarksSpec, state: StateBackend | None) -> None:
        self._spec = spec
        self._strategy: WatermarkStrategy = pickle.loads(
            base64.b64decode(spec.strategy.code.removeprefix(PICKLED))
        )
        backend = state if state is not None else memory_backend()
        self._state = backend.value(f"{spec.state_id}.v1", [], [pa.binary(), pa.int64()])
        self._row = namedtuple("Row", spec.names, rename=True)  # type: ignore[misc]
        self._generator, self._output = self._kept()

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        check_row_times(table, self._spec.rowtime, self._spec.name, self._spec.table)
        times = milliseconds(table.column(field(self._spec.rowtime)))
        names = [name for name in table.column_names if name not in (KIND, SEQUENCE, SUB_SEQUENCE)]
        rows = map(self._row, *(table.column(name).to_pylist() for name in names))
        origins = sequences(table).tolist()
        for index, (sequence, time, row) in enumerate(zip(origins, times.tolist(), rows, strict=True)):
            self._output.sequence = sequence
            try:
                if self._strategy.assigner is not None:
                    times[index] = time = self._strategy.assigner.extract_timestamp(row, time)
                self._generator.on_event(row, time, self._output)
            except Exception as error:
                raise self._failed(error).in_row(row_text(table, index)) from error
        if self._strategy.assigner is not None:
            table = self._with_times(table, pa.array(times))
        emitted, self._output.emitted = self._output.emitted, []
        if not emitted:
            return (table,)
        at, passed = np.array(emitted, np.int64).T
        last = np.append(at[1:] != at[:-1], True)
        return (WatermarkedBatch(table, passed[last], at[last]),)

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        """Drop a watermark of the input, unless it is MAX_WATERMARK, which ends the input."""
        if watermark.time != MAX_WATERMARK or self._output.time == MAX_WATERMARK:
            return ()
        self._output.time = MAX_WATERMARK
        return (watermark,)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        if rows.table.num_rows:
            yield from self.changes(rows.table)
        for time, sequence in zip(rows.times[-1:].tolist(), rows.sequences[-1:].tolist(), strict=True):
            yield from self.watermark(Watermark(time, sequence, rows.sub_sequence))

    def barrier(self) -> Iterable[Message]:
        try:
            self._generator.on_periodic_emit(self._output)
            attributes = dumps(vars(self._generator), self._is_of_generator)
        except NotPlainError as error:
            raise self._not_plain(error) from None
        except Exception as error:
            raise self._failed(error) from error
        kept = [pa.array([attributes]), pa.array([self._output.time])]
        self._state.put(find_keys([], 1), np.zeros(1, np.int64), kept, 0)
        emitted, self._output.emitted = self._output.emitted, []
        if emitted:
            return [Watermark(time, sequence) for sequence, time in emitted[-1:]]
        heard = self._spec.idle and MIN_WATERMARK < self._output.time < MAX_WATERMARK
        return (Watermark(self._output.time, self._output.sequence),) if heard else ()

    def _kept(self) -> tuple[WatermarkGenerator, _Output]:
        found = self._state.get(find_keys([], 1), 0)
        generator = self._strategy.generator()
        self._generator_class = type(generator)
        if not found.found[0]:
            return generator, _Output(MIN_WATERMARK)
        attributes, time = (column[0].as_py() for column in found.columns)
        try:
            vars(generator).update(loads(attributes, self._is_of_generator))
        except NotPlainError as error:
            raise self._not_plain(error) from None
        return generator, _Output(time)

    def _is_of_generator(self, module: str, name: str) -> bool:
        """Return whether a class is defined in the module of the generator's class.

        Objects of such classes may be in the checkpoint. `module` and `name` are those of the class.
        """
        made = self._generator_class
        found = getattr(sys.modules.get(module), name, None) if "." not in name else None
        return module == made.__module__ and isinstance(found, type) and found.__module__ == module

    def _not_plain(self, error: NotPlainError) -> JobError:
        return JobError(
            f"The watermark generator {self._generator_class.__qualname__} of {self._spec.table} keeps an "
            f"object of {error.name}, which a checkpoint does not hold.",
            hint="keep numbers, texts, dates, and lists, dicts and sets of them, or objects of classes of "
            "the generator's own module",
        )

    def _with_times(self, table: pa.Table, times: pa.Array) -> pa.Table:
        name = field(self._spec.rowtime)
        index = table.schema.get_field_index(name)
        column = times.cast(pa.timestamp("ms")).cast(table.schema.field(name).type)
        return table.set_column(index, name, column)

    def _failed(self, error: Exception) -> UserFunctionError:
        what = error.message if isinstance(error, FiresteelError) else describe(error)
        return UserFunctionError(
            f"Watermarks of {self._spec.table} failed: {what}", hint=innermost(error.__traceback__)
        )


def build(spec: GeneratedWatermarksSpec, state: StateBackend | None, clock: Clock) -> GeneratedWatermarks:
    return GeneratedWatermarks(spec, state)


def code(spec: GeneratedWatermarksSpec) -> Iterator[str]:
    yield f"-- Watermarks from {spec.strategy.name}, by {field(spec.rowtime)}"
