"""API of user-defined functions in Python, with PyFlink's names."""

from firesteel.functions.python.bases import AggregateFunction, FunctionContext, ScalarFunction, TableFunction
from firesteel.functions.python.data_types import DataTypes
from firesteel.functions.python.watermarks import (
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from firesteel.functions.python.wrappers import udaf, udf, udtf

__all__ = [
    "AggregateFunction",
    "DataTypes",
    "FunctionContext",
    "ScalarFunction",
    "TableFunction",
    "TimestampAssigner",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
    "udaf",
    "udf",
    "udtf",
]
