"""The classes that a user's function may extend. PyFlink: pyflink.table.udf."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from firesteel.types.sql import SqlType

TypeName = SqlType | str
"""A type, or its text as SQL writes it: 'BIGINT', 'ARRAY<STRING>'."""


class FunctionContext:
    """What `open` is given."""

    def get_job_parameter(self, key: str, default: str) -> str:
        """A parameter of the job; there are none, so always the default."""
        return default


class UserDefinedFunction:
    """What scalar and aggregate functions have in common."""

    def open(self, function_context: FunctionContext) -> None:
        """Called in a worker's process before its first row; one process works for many tasks."""

    def close(self) -> None:
        """Called when the worker's process ends, unless it is killed."""

    def is_deterministic(self) -> bool:
        """Whether equal arguments always give equal results."""
        return True


class ScalarFunction(UserDefinedFunction, ABC):
    """One value for each row: `eval` is given the arguments, None for NULL."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """The value."""


class AggregateFunction(UserDefinedFunction, ABC):
    """One value for each group, kept in an accumulator that `accumulate` changes in place.

    The accumulator is any object that can be pickled: it lies in keyed state between two batches. Over pandas
    `accumulate` is called once, with Series of all rows, and the accumulator is kept no longer than that.
    """

    @abstractmethod
    def create_accumulator(self) -> Any:
        """The accumulator of a group without rows."""

    @abstractmethod
    def accumulate(self, accumulator: Any, *args: Any) -> None:
        """Take a row in. NULL is None."""

    def retract(self, accumulator: Any, *args: Any) -> None:
        """Take a row back, where the input has updates and deletes."""
        raise RuntimeError("Method retract is not implemented")

    def merge(self, accumulator: Any, accumulators: Iterable[Any]) -> None:
        """Take other accumulators in: sessions that are joined, and windows that share what they aggregate. A
        user's aggregate has one phase, as in Flink, so nothing else needs it."""
        raise RuntimeError("Method merge is not implemented")

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """The result; the accumulator stays as it is."""

    def get_result_type(self) -> TypeName:
        """The type of the result, where udaf(result_type=...) does not say it."""
        raise RuntimeError("Method get_result_type is not implemented")

    def get_accumulator_type(self) -> TypeName:
        """The type of the accumulator; it is pickled whatever the type, so it need not be given."""
        raise RuntimeError("Method get_accumulator_type is not implemented")
