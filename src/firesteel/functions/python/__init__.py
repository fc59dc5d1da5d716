"""API of user-defined functions in Python, with PyFlink's names."""

from firesteel.functions.python.bases import AggregateFunction, FunctionContext, ScalarFunction
from firesteel.functions.python.data_types import DataTypes
from firesteel.functions.python.watermarks import (
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from firesteel.functions.python.wrappers import udaf, udf

__all__ = [
    "AggregateFunction",
    "DataTypes",
    "FunctionContext",
    "ScalarFunction",
    "TimestampAssigner",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
    "udaf",
    "udf",
]
