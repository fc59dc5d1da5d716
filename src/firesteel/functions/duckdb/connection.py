"""The DuckDB connection of the current thread, with functions registered on demand."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterable

import duckdb

from firesteel.functions.duckdb.calc_spec import ValueSet
from firesteel.functions.duckdb.macros import MACROS
from firesteel.functions.duckdb.registry import register, remove
from firesteel.types.user_function import UserFunction

_local = threading.local()


def connect(
    functions: Iterable[str] = (),
    user: Iterable[tuple[str, UserFunction]] = (),
    sets: Iterable[tuple[str, ValueSet]] = (),
) -> duckdb.DuckDBPyConnection:
    """Return the connection of this thread, with the given functions and sets registered.

    DuckDB uses a single thread, since Spark's tasks provide the parallelism.

    Args:
        functions: Signatures of Python functions (functions/duckdb/registry.py).
        user: User-defined functions, by signature.
        sets: Sets of values, by name.
    """
    connection: duckdb.DuckDBPyConnection | None = getattr(_local, "connection", None)
    if connection is None:
        connection = duckdb.connect(":memory:", config={"threads": 1, "enable_external_file_cache": False})
        atexit.register(connection.close)
        for macro in MACROS:
            connection.execute(macro)
        _local.connection = connection
        _local.known = set()
    known: set[str] = _local.known
    for signature in functions:
        if signature not in known:
            register(connection, signature)
            known.add(signature)
    for signature, function in user:
        _know(connection, signature, function)
    for name, members in sets:
        if name not in known:
            from firesteel.functions.duckdb.value_sets import register_set

            register_set(connection, name, members)
            known.add(name)
    return connection


def _know(connection: duckdb.DuckDBPyConnection, signature: str, function: UserFunction) -> None:
    """Register a user-defined function, replacing another one of the same signature."""
    from firesteel.functions.duckdb.user_functions import register_user

    users: dict[str, UserFunction] = _local.__dict__.setdefault("users", {})
    if users.get(signature) == function:
        return
    if signature in users:
        remove(connection, signature)
    register_user(connection, signature, function)
    users[signature] = function
