"""What the planner knows of a function of the user's."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.types.sql import SqlType
from firesteel.user_function import UserFunction


@dataclass(frozen=True)
class UserDefined:
    """A registered function. result: its type. retracts, merges: an aggregate function takes rows
    back, takes other accumulators in. class_name: as messages name its implementation."""

    function: UserFunction
    result: SqlType
    is_aggregate: bool = False
    deterministic: bool = True
    retracts: bool = True
    merges: bool = True
    class_name: str = ""
