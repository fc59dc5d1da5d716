"""Row time with watermarks from a WatermarkStrategy in Python (functions/python/watermarks.py)."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace

from firesteel.catalog.schema import Column, Watermark
from firesteel.errors import UsageError, ValidationError
from firesteel.functions.expression.nodes import Call, InputRef
from firesteel.functions.python.load import PICKLED
from firesteel.functions.python.watermarks import WatermarkStrategy
from firesteel.job.lower.watermark import STRATEGY
from firesteel.spark.internals.tasks import by_value
from firesteel.types.sql import TIMESTAMPS


@dataclass(frozen=True)
class RowTime:
    """A row time column and its watermarks."""

    column: str
    """Name of the column."""
    strategy: WatermarkStrategy
    """Strategy that generates the watermarks."""


def row_time(column: str | None, strategy: WatermarkStrategy | None) -> RowTime | None:
    """Return the row time of a column and a strategy; None if neither of the two is given.

    Raises:
        UsageError: Only one of the two is given, or the strategy is not a WatermarkStrategy.
    """
    if column is None and strategy is None:
        return None
    if column is None or not isinstance(strategy, WatermarkStrategy):
        raise UsageError(
            "rowtime names a column and watermarks is a WatermarkStrategy: both are needed",
            hint="from firesteel.functions.python import WatermarkStrategy",
        )
    return RowTime(column, strategy)


def with_row_time(columns: tuple[Column, ...], time: RowTime) -> tuple[tuple[Column, ...], Watermark]:
    """Return the columns of a table with its row time column changed, and the table's watermark.

    The row time column gets precision 3 (milliseconds), as in Flink. The other columns stay as they are.

    Raises:
        ValidationError: The column does not exist or is not a timestamp; the text is Flink's.
    """
    column = next((column for column in columns if column.name == time.column), None)
    if column is None:
        raise ValidationError(
            f"The rowtime attribute field '{time.column}' is not defined in the table schema"
        )
    if column.type.root not in TIMESTAMPS:
        raise ValidationError(
            "Invalid data type of time field for watermark definition. The field must be of type "
            "TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time "
            f"field type is {column.type}"
        )
    timed = replace(column, type=replace(column.type, precision=3))
    strategy = time.strategy
    code = PICKLED + base64.b64encode(by_value(strategy)).decode()
    name = getattr(strategy.generator, "__qualname__", type(strategy).__name__)
    placed = tuple(timed if each is column else each for each in columns)
    # The watermark expression has all columns as arguments, because a WatermarkGenerator gets whole rows.
    read = tuple(InputRef(index, each.type) for index, each in enumerate(placed))
    call = Call(STRATEGY, read, timed.type, (name, code, str(strategy.idle)))
    return placed, Watermark(column.name, call, f"{STRATEGY}()")
