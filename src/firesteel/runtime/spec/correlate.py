"""Settings of table functions."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction


@dataclass(frozen=True)
class CorrelateSpec(OperatorSpec):
    """Join of each row with the rows that a table function returns for it (Flink: StreamExecCorrelate).

    Attributes:
        function: Name of the function: UNNEST, REPLICATE (a row n times) or USER.
        args: Projection of the input to the function's arguments.
        types: Types of the function's columns.
        pads: Whether a row without function rows is sent with NULLs.
        ordinality: Whether a last column counts the function's rows, from 1. UNNEST only.
        condition: Condition over the function's columns, as a Calc without a projection. None accepts all
            rows.
        user: The user-defined table function. USER only.
        unread: Positions of input fields that no later operator reads. They are NULL in the results.
    """

    function: str
    args: CalcSpec
    types: tuple[SqlType, ...]
    pads: bool = False
    ordinality: bool = False
    condition: CalcSpec | None = None
    user: UserFunction | None = None
    unread: tuple[int, ...] = ()
