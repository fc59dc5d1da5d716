"""Results of statements: OK, a text, a small table, or a stream of changes (PyFlink: `TableResult`).

print() writes what Flink prints; collect() gives rows with their row kinds.
"""

from __future__ import annotations

import itertools
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from firesteel.changelog import KIND, SHORT, RowKind, field
from firesteel.errors import UsageError
from firesteel.plan.tree import Field
from firesteel.session.html import html_plan, html_schema, html_table
from firesteel.session.rows_left import RowsLeft
from firesteel.session.tableau import OP, print_tableau, widths_by_content, widths_by_type
from firesteel.types.arrow_maps import column_as_maps
from firesteel.types.python_values import python_values_or_texts
from firesteel.types.sql import BIGINT, STRING
from firesteel.types.text import render

if TYPE_CHECKING:
    import pandas as pd

    from firesteel.jobs.job import Job

Write = Callable[[str], object]
"""A function that takes a piece of text that ends with a line end."""


def to_stdout(text: str) -> None:
    """Write a text to `sys.stdout`, as set at the time of the call: tests and notebooks replace it."""
    sys.stdout.write(text)


class Row(tuple[Any, ...]):
    """A row: its values, by position or by column name, and its row kind."""

    kind: RowKind
    names: tuple[str, ...]

    def __new__(cls, values: Iterable[Any], names: Iterable[str] = (), kind: RowKind = RowKind.INSERT) -> Row:
        row = super().__new__(cls, values)
        row.names = tuple(names)
        row.kind = kind
        return row

    def get_row_kind(self) -> RowKind:
        """Return the row kind (PyFlink's method)."""
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
    """The result of one statement. `schema` has the names and types of its columns."""

    _state = ""

    def __init__(
        self,
        schema: Sequence[Field],
        job: Future[None] | None = None,
        cancel: Callable[[], object] = lambda: None,
        record: Job | None = None,
    ) -> None:
        self.schema = tuple(schema)
        self._job = job
        self._cancel = cancel
        self.record = record
        """The record of the job, None for a statement without one."""

    is_insert = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.schema)

    @abstractmethod
    def collect(self) -> Iterator[Row]:
        """Yield the rows as they arrive. Raises the job's error (JobError, DataError)."""

    @abstractmethod
    def print(self, write: Write = to_stdout) -> None:
        """Write the result as Flink prints it, each row as it arrives."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame. Changes are applied, so only the final rows are in it.

        Raises:
            UsageError: The query never ends.
        """
        import pandas as pd

        return pd.DataFrame([tuple(row) for row in self.collect()], columns=list(self.names))

    def __repr__(self) -> str:
        columns = ", ".join(f"{column.name} {column.type}" for column in self.schema)
        return f"<{type(self).__name__}: {columns}{self._state}>"

    def _repr_html_(self) -> str:
        """Return the columns as HTML, for a notebook."""
        return html_schema(self.schema, f"{type(self).__name__}{self._state}")

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the job of an INSERT has ended, and raise its error if it failed. Else return at once.

        Args:
            timeout: Limit in seconds, after which TimeoutError is raised; None means without limit.
        """
        if self._job is not None:
            self._job.result(timeout)

    def cancel(self) -> None:
        """Stop the job, if one is running."""
        self._cancel()


class TextResult(TableResult):
    """A result of one text: OK, or a plan."""

    def __init__(self, text: str) -> None:
        super().__init__([Field("result", STRING)])
        self.text = text

    def collect(self) -> Iterator[Row]:
        yield Row([self.text], self.names)

    def print(self, write: Write = to_stdout) -> None:
        write(self.text + "\n")

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return html_plan(self.text)


OK = TextResult("OK")


class RowsResult(TableResult):
    """A small complete table, as SHOW and DESCRIBE return it. None prints as an empty cell."""

    def __init__(self, schema: Sequence[Field], rows: Sequence[Sequence[Any]]) -> None:
        super().__init__(schema)
        self.rows = rows

    def collect(self) -> Iterator[Row]:
        return (Row(row, self.names) for row in self.rows)

    def print(self, write: Write = to_stdout) -> None:
        rows = self._texts()
        print_tableau(self.names, rows, widths_by_content(self.names, rows), write)

    def _texts(self) -> list[list[str]]:
        return [["" if v is None else _cell(v) for v in row] for row in self.rows]

    def _repr_html_(self) -> str:
        return html_table(self.names, self._texts())


def _cell(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


class ChangesResult(TableResult):
    """The changes of a query, computed as they are read. They can be read only once.

    Args:
        schema: Names and types of the columns.
        changes: The changes, as changes tables.
        max_width: Widest column to print, in characters (`table.display.max-column-width`).
        time_zone: Time zone in which TIMESTAMP_LTZ is printed.
        cancel: Function that stops the job.
        bounded: Whether the query ends.
        record: The record of the job.
    """

    def __init__(
        self,
        schema: Sequence[Field],
        changes: Iterator[pa.Table],
        *,
        max_width: int,
        time_zone: str,
        cancel: Callable[[], object],
        bounded: bool = True,
        record: Job | None = None,
    ) -> None:
        super().__init__(schema, cancel=cancel, record=record)
        self.changes = changes
        self._bounded = bounded
        self._is_taken = False
        self.escape: Callable[[str], str] | None = None
        """Function that escapes the text of a cell before it is printed; None prints it as it is."""
        self._max_width = max_width
        self._time_zone = time_zone

    @property
    def is_bounded(self) -> bool:
        """Whether the query ends."""
        return self._bounded

    def over(self, changes: Iterator[pa.Table]) -> ChangesResult:
        """Return a result of this query that reads `changes`, such as stored ones, not those of the job."""
        return ChangesResult(
            self.schema,
            changes,
            max_width=self._max_width,
            time_zone=self._time_zone,
            cancel=self._cancel,
            bounded=self._bounded,
        )

    @property
    def _state(self) -> str:  # type: ignore[override]
        return "; was read" if self._is_taken else "; print(), collect() or to_pandas() reads it"

    def _take(self) -> Iterator[pa.Table]:
        """Return the changes. Raises UsageError if they were read before."""
        if self._is_taken:
            raise UsageError("the result was read already", hint="a result streams once: run the query again")
        self._is_taken = True
        return self.changes

    def collect(self) -> Iterator[Row]:
        """Yield the changes as they arrive.

        Dates outside the years 1 to 9999, which Python does not have, are texts. A collection that contains
        one is a text as a whole.

        Raises:
            JobError: The job failed.
            DataError: A row could not be read or computed.
        """
        return self._rows(self._take())

    def _rows(self, tables: Iterator[pa.Table]) -> Iterator[Row]:
        for table in tables:
            columns = [
                python_values_or_texts(table.column(field(i)), column.type, self._time_zone)
                for i, column in enumerate(self.schema)
            ]
            kinds = table.column(KIND).to_pylist()
            rows = zip(*columns, strict=True) if columns else ((),) * len(kinds)
            for kind, values in zip(kinds, rows, strict=True):
                yield Row(values, self.names, RowKind(kind))

    def texts(self) -> Iterator[tuple[str, ...]]:
        """Yield the row kind and the values of each change, as print() shows them."""
        return itertools.chain.from_iterable(map(self._texts, self._take()))

    def _texts(self, table: pa.Table) -> Iterator[tuple[str, ...]]:
        kinds = [SHORT[kind] for kind in table.column(KIND).to_pylist()]
        return ((kind, *cells) for kind, cells in zip(kinds, self.cells(table), strict=True))

    def cells(self, table: pa.Table) -> Iterator[tuple[str, ...]]:
        """Yield the values of each row, as print() shows them."""
        columns = [
            render(table.column(field(i)), column.type, self._time_zone)
            for i, column in enumerate(self.schema)
        ]
        if self.escape is not None:
            columns = [list(map(self.escape, column)) for column in columns]
        return zip(*columns, strict=True)

    def to_pandas(self) -> pd.DataFrame:
        if not self._bounded:
            raise UsageError(
                "a query that never ends has no last rows",
                hint="collect() gives its changes as they come; to_changelog_stream() a streaming DataFrame",
            )
        left = RowsLeft([column.type for column in self.schema])
        for changes in self._take():
            left.apply(changes)
        kept = left.by_place()
        columns = [column_as_maps(column) for column in kept.columns]
        table = pa.table(columns, names=kept.column_names)
        try:
            frame: pd.DataFrame = table.to_pandas()
        except (ValueError, OverflowError):  # a date outside the years 1 to 9999, which datetime64 has
            frame = table.to_pandas(date_as_object=False)
        frame.columns = list(self.names)  # two columns may have the same name: convert by unique names first
        return frame

    def print(self, write: Write = to_stdout) -> None:
        print_tableau([OP, *self.names], self.texts(), [len(OP), *self.widths], write)

    def print_left(self, write: Write = to_stdout) -> None:
        """Apply all changes and write the final rows, without row kinds.

        Raises:
            KeyboardInterrupt: The user pressed Ctrl-C. The rows up to then are written first.
        """
        left = RowsLeft([column.type for column in self.schema])
        try:
            for table in self._take():
                left.apply(table)
        except KeyboardInterrupt:
            self.print_rows(left.by_row(), write)
            raise
        self.print_rows(left.by_row(), write)

    def print_rows(self, rows: pa.Table, write: Write = to_stdout) -> None:
        """Write rows of the result, without row kinds."""
        print_tableau(self.names, self.cells(rows), self.widths, write)

    @property
    def widths(self) -> list[int]:
        """Widths of the columns in print."""
        return widths_by_type(self.names, [column.type for column in self.schema], self._max_width)


class InsertResult(TableResult):
    """The result of an INSERT that runs. Its one row has -1 for each sink: the row count is unknown."""

    is_insert = True

    def __init__(
        self,
        sinks: Sequence[str],
        job: Future[None],
        cancel: Callable[[], object],
        record: Job | None = None,
    ) -> None:
        super().__init__([Field(sink, BIGINT) for sink in sinks], job, cancel, record)

    def collect(self) -> Iterator[Row]:
        self.wait()
        yield Row([-1] * len(self.schema), self.names)

    def print(self, write: Write = to_stdout) -> None:
        write("\n".join("-1" for _ in self.schema) + "\n")
