"""Functions of the user's in Python, under the names that PyFlink gives them."""

from firesteel.udf.data_types import DataTypes
from firesteel.udf.functions import AggregateFunction, FunctionContext, ScalarFunction
from firesteel.udf.watermarks import (
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from firesteel.udf.wrappers import udaf, udf

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
