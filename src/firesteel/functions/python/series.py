"""Conversion between Arrow columns and pandas Series, and aggregate functions over Series.

PyFlink: table/utils.py, PandasAggregateFunctionWrapper. Arrow's own conversion is not used, since workers
hide pandas from Arrow (spark/launch/without_pandas.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from firesteel.functions.python.failures import failed, wrong_type
from firesteel.functions.python.load import function_of
from firesteel.functions.python.values import column_of
from firesteel.functions.python.wrappers import AggregateUdf
from firesteel.types.arrow_maps import as_maps
from firesteel.types.user_function import UserFunction

_NOT_OF_TYPE = (TypeError, ValueError, ArithmeticError, AttributeError, pa.ArrowException)


def to_series(array: pa.Array) -> Any:
    """Return a column as a Series. Dates and times become datetime objects, a ROW becomes a DataFrame."""
    import pandas as pd

    if pa.types.is_struct(array.type):
        parts = zip(array.type, array.flatten(), strict=True)
        return pd.DataFrame({field.name: to_series(part) for field, part in parts})
    if pa.types.is_date(array.type) or pa.types.is_time(array.type):
        return pd.Series(array.to_pylist(), dtype=object)
    return pd.Series(array.to_numpy(zero_copy_only=False))


def from_series(result: Any) -> pa.Array:
    """Return a Series, or anything that pd.Series accepts, as an Arrow array. NaN, NaT and None are NULL."""
    import pandas as pd

    series = pd.Series(result)
    return pa.array(series.to_numpy(), mask=series.isna().to_numpy())


def aggregated(user: UserFunction, columns: Sequence[pa.Array], kind: pa.DataType) -> pa.Array:
    """Return the value of an aggregate function over pandas for one group, as an array of length 1.

    Args:
        user: The function.
        columns: Argument columns, with one value for each row. NaN, NaT and None are NULL.
        kind: Arrow type of the result.

    Raises:
        UserFunctionError: The function fails or returns a value of another type.
    """
    found = function_of(user)
    assert isinstance(found, AggregateUdf)
    shown = [f"{column.type}[{len(column)}]" for column in columns]
    try:
        accumulator = found.function.create_accumulator()
        found.function.accumulate(accumulator, *(to_series(as_maps(column)) for column in columns))
        value = found.function.get_value(accumulator)
    except Exception as error:
        raise failed(user.name, shown, error) from error
    try:
        return _one(value, kind)
    except _NOT_OF_TYPE:
        raise wrong_type(user.name, shown, value, kind) from None


def _one(value: Any, kind: pa.DataType) -> pa.Array:
    """Return a value as an array of length 1. For an integer type, a float without a fraction is accepted."""
    import pandas as pd

    series = pd.Series([value])
    if series.isna().all():
        return pa.nulls(1, kind)
    numbers = series.to_numpy()
    return column_of([value], kind) if numbers.dtype == object else pa.array(numbers, kind)
