"""What a statement gives back: OK, a text, a small table, or a stream of changes.

PyFlink: `TableResult`. print() writes what Flink's prints; collect() gives rows with their kinds.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import pyarrow as pa

from firesteel.changelog import SHORT, RowKind
from firesteel.plan.tree import Field
from firesteel.runtime.spec import KIND, field
from firesteel.session.tableau import OP, print_tableau, widths_by_content, widths_by_type
from firesteel.types.sql import BIGINT, STRING
from firesteel.types.text import render

Write = Callable[[str], object]
"""Takes a piece of text that ends with a line end."""


class Row(tuple[Any, ...]):
    """The values of one row, by position or by column name, and its row kind."""

    kind: RowKind
    names: tuple[str, ...]

    def __new__(cls, values: Iterable[Any], names: Iterable[str] = (), kind: RowKind = RowKind.INSERT) -> Row:
        row = super().__new__(cls, values)
        row.names = tuple(names)
        row.kind = kind
        return row

    def get_row_kind(self) -> RowKind:
        """The row kind (PyFlink's name for it)."""
        return self.kind

    def as_dict(self) -> dict[str, Any]:
        return dict(zip(self.names, self, strict=True))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            try:
                return super().__getitem__(self.names.index(key))
            except ValueError:
                raise KeyError(key) from None
        return super().__getitem__(key)

    def __repr__(self) -> str:
        return f"{self.kind.short}[{', '.join(map(str, self))}]"


class TableResult(ABC):
    """The result of one statement. `schema` names and types its columns."""

    def __init__(
        self,
        schema: Sequence[Field],
        job: Future[None] | None = None,
        cancel: Callable[[], object] = lambda: None,
    ) -> None:
        self.schema = tuple(schema)
        self._job = job
        self._cancel = cancel

    is_insert = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.schema)

    @abstractmethod
    def collect(self) -> Iterator[Row]:
        """The rows, as they come. Raises what the job raised (JobError, DataError)."""

    @abstractmethod
    def print(self, write: Write = sys.stdout.write) -> None:
        """Write the result as Flink prints it, rows as they come."""

    def wait(self, timeout: float | None = None) -> None:
        """Until an INSERT's job has ended; `timeout` in seconds (TimeoutError). Raises what it raised."""
        if self._job is not None:
            self._job.result(timeout)

    def cancel(self) -> None:
        """Stop the job, if one is running."""
        self._cancel()


class TextResult(TableResult):
    """One text: OK, or a plan."""

    def __init__(self, text: str) -> None:
        super().__init__([Field("result", STRING)])
        self.text = text

    def collect(self) -> Iterator[Row]:
        yield Row([self.text], self.names)

    def print(self, write: Write = sys.stdout.write) -> None:
        write(self.text + "\n")


OK = TextResult("OK")


class RowsResult(TableResult):
    """A small table that is there as a whole: what SHOW and DESCRIBE answer. None prints as nothing."""

    def __init__(self, schema: Sequence[Field], rows: Sequence[Sequence[Any]]) -> None:
        super().__init__(schema)
        self.rows = rows

    def collect(self) -> Iterator[Row]:
        return (Row(row, self.names) for row in self.rows)

    def print(self, write: Write = sys.stdout.write) -> None:
        rows = [["" if v is None else _cell(v) for v in row] for row in self.rows]
        print_tableau(self.names, rows, widths_by_content(self.names, rows), write)


def _cell(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


class ChangesResult(TableResult):
    """The changes of a query. They are computed as they are asked for, and can be had once.

    max_width: `table.display.max-column-width`; time_zone: for TIMESTAMP_LTZ.
    """

    def __init__(
        self,
        schema: Sequence[Field],
        changes: Iterator[pa.Table],
        *,
        max_width: int,
        time_zone: str,
        cancel: Callable[[], object],
    ) -> None:
        super().__init__(schema, cancel=cancel)
        self.changes = changes
        self._max_width = max_width
        self._time_zone = time_zone

    def collect(self) -> Iterator[Row]:
        for table in self.changes:
            columns = [table.column(field(i)).to_pylist() for i in range(len(self.schema))]
            kinds = table.column(KIND).to_pylist()
            rows = zip(*columns, strict=True) if columns else ((),) * len(kinds)
            for kind, values in zip(kinds, rows, strict=True):
                yield Row(values, self.names, RowKind(kind))

    def texts(self) -> Iterator[tuple[str, ...]]:
        """Row kind and values of each change, as print() shows them."""
        for table in self.changes:
            kinds = [SHORT[kind] for kind in table.column(KIND).to_pylist()]
            columns = [
                render(table.column(field(i)), column.type, self._time_zone)
                for i, column in enumerate(self.schema)
            ]
            yield from zip(kinds, *columns, strict=True)

    def print(self, write: Write = sys.stdout.write) -> None:
        types = [column.type for column in self.schema]
        widths = [len(OP), *widths_by_type(self.names, types, self._max_width)]
        print_tableau([OP, *self.names], self.texts(), widths, write)

    def print_rows(self, rows: Iterable[Sequence[str]], write: Write = sys.stdout.write) -> None:
        """Write rows of cells, without row kinds, in the form of this result."""
        types = [column.type for column in self.schema]
        print_tableau(self.names, rows, widths_by_type(self.names, types, self._max_width), write)


class InsertResult(TableResult):
    """An INSERT whose job runs; its one row holds -1 a sink: the number of rows is not known."""

    is_insert = True

    def __init__(self, sinks: Sequence[str], job: Future[None], cancel: Callable[[], object]) -> None:
        super().__init__([Field(sink, BIGINT) for sink in sinks], job, cancel)

    def collect(self) -> Iterator[Row]:
        self.wait()
        yield Row([-1] * len(self.schema), self.names)

    def print(self, write: Write = sys.stdout.write) -> None:
        write("\n".join("-1" for _ in self.schema) + "\n")
