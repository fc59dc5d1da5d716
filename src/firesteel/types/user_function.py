"""A function of the user's: what workers find it by, and what the planner knows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class UserFunction:
    """A function of the user's, as workers find it (functions/python/load.py).

    name: as the query writes it. code: `module:name`, or `pickle:` and base64. folder: the one that its
    module lies in. is_pandas: whether it is an aggregate function over pandas.
    """

    name: str
    code: str
    folder: str = ""
    is_pandas: bool = False


located: Callable[[str], str] = str
"""Where a folder of the planner's lies for this process; the host knows where it has sent it."""


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
