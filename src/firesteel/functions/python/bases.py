"""Base classes of user-defined functions. PyFlink: pyflink.table.udf."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from firesteel.types.sql import SqlType

TypeName = SqlType | str
"""SQL type, or its text: 'BIGINT', 'ARRAY<STRING>'."""


class FunctionContext:
    """Context that `open` receives."""

    def get_job_parameter(self, key: str, default: str) -> str:
        """Return a job parameter. Firesteel has none, so the result is always the default value."""
        return default


class UserDefinedFunction:
    """Base class of scalar, table and aggregate functions."""

    def open(self, function_context: FunctionContext) -> None:
        """Set up the function in a worker process, before its first row. One process runs many tasks."""

    def close(self) -> None:
        """Clean up when the worker process ends. Not called if the process is killed."""

    def is_deterministic(self) -> bool:
        """Return whether equal arguments always give equal results."""
        return True


class ScalarFunction(UserDefinedFunction, ABC):
    """Base class of functions that return one value for each row."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Return the value for the arguments of one row. NULL is None."""


class TableFunction(UserDefinedFunction, ABC):
    """Base class of functions that return any number of rows for each row."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Yield the rows for the arguments of one row. NULL is None.

        A row of several columns is a tuple. Any other value is a row of one column. None stands for no row.
        """


class AggregateFunction(UserDefinedFunction, ABC):
    """Base class of functions that return one value for each group of rows.

    `accumulate` changes the accumulator in place. It may be any object that pickle supports, since keyed
    state stores it between micro-batches. Over pandas, `accumulate` is called once with Series of all rows,
    and the accumulator is discarded afterwards.
    """

    @abstractmethod
    def create_accumulator(self) -> Any:
        """Return the accumulator of a group without rows."""

    @abstractmethod
    def accumulate(self, accumulator: Any, *args: Any) -> None:
        """Add a row to the accumulator. NULL is None."""

    def retract(self, accumulator: Any, *args: Any) -> None:
        """Remove a row from the accumulator. Needed if the input has updates or deletes."""
        raise RuntimeError("Method retract is not implemented")

    def merge(self, accumulator: Any, accumulators: Iterable[Any]) -> None:
        """Add other accumulators to this one. Needed for session windows and for windows with shared slices.

        Other aggregates do not call it: as in Flink, they have no local phase for user-defined functions.
        """
        raise RuntimeError("Method merge is not implemented")

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """Return the result without changing the accumulator."""

    def get_result_type(self) -> TypeName:
        """Return the type of the result, for use without udaf(result_type=...)."""
        raise RuntimeError("Method get_result_type is not implemented")

    def get_accumulator_type(self) -> TypeName:
        """Return the type of the accumulator. It is not used, since accumulators are pickled."""
        raise RuntimeError("Method get_accumulator_type is not implemented")
