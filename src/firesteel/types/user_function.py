"""User-defined functions: how workers find them, and their properties for the planner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class UserFunction:
    """Reference to a user-defined function, from which workers load it (functions/python/load.py)."""

    name: str
    """Name as written in the query."""
    code: str
    """`module:name` of the function, or `pickle:` and its pickle in base64."""
    folder: str = ""
    """Folder with the module of the function, or ""."""
    is_pandas: bool = False
    """Whether the function is an aggregate function over pandas Series."""


located: Callable[[str], str] = str
"""Function that converts the path of a folder on the driver to the folder's path in this process.

A host replaces this function after it has copied the folder to workers.
"""


@dataclass(frozen=True)
class UserDefined:
    """Registered function with its properties for the planner."""

    function: UserFunction
    result: SqlType
    """Type of the result. The rows of a table function are ROWs."""
    is_aggregate: bool = False
    is_table: bool = False
    """Whether the function is a table function."""
    deterministic: bool = True
    retracts: bool = True
    """Whether an aggregate function can retract rows."""
    merges: bool = True
    """Whether an aggregate function can merge accumulators."""
    class_name: str = ""
    """Class name of the function in messages."""
