"""pandas Series of Arrow columns and back, and aggregate functions over them. PyFlink: table/utils.py,
PandasAggregateFunctionWrapper.

Not by Arrow's own way: workers hide pandas from it (spark/launch/without_pandas.py).
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
    """As a Series; dates and times as those of datetime, ROW as a DataFrame of its fields."""
    import pandas as pd

    if pa.types.is_struct(array.type):
        parts = zip(array.type, array.flatten(), strict=True)
        return pd.DataFrame({field.name: to_series(part) for field, part in parts})
    if pa.types.is_date(array.type) or pa.types.is_time(array.type):
        return pd.Series(array.to_pylist(), dtype=object)
    return pd.Series(array.to_numpy(zero_copy_only=False))


def from_series(result: Any) -> pa.Array:
    """What a function gives, as values and where there are none; a lone value is left as it is."""
    import pandas as pd

    series = pd.Series(result)
    return pa.array(series.to_numpy(), mask=series.isna().to_numpy())


def aggregated(user: UserFunction, columns: Sequence[pa.Array], kind: pa.DataType) -> pa.Array:
    """What an aggregate function over pandas gives of n rows, as an array of one value of the type.

    columns: the arguments, n values each. NaN, NaT and None are NULL. Raises UserFunctionError where it fails
    or gives what is not of the type.
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
    """The value as Arrow takes it from a Series: a float without a fraction is an integer."""
    import pandas as pd

    series = pd.Series([value])
    if series.isna().all():
        return pa.nulls(1, kind)
    numbers = series.to_numpy()
    return column_of([value], kind) if numbers.dtype == object else pa.array(numbers, kind)
