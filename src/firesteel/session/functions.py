"""Registration of user-defined functions: CREATE FUNCTION, DROP FUNCTION and the environment's methods.

The rules for names and the error messages are those of Flink's FunctionCatalog. Unlike Flink, Firesteel loads
the function when it is registered, so that a wrong name is an error of that statement.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

from firesteel.catalog.functions import PERMANENT, SYSTEM, TEMPORARY
from firesteel.errors import NotSupportedError, UsageError, ValidationError
from firesteel.functions.python.bases import TypeName
from firesteel.functions.python.load import PICKLED, find
from firesteel.functions.python.wrappers import AggregateUdf, TableUdf, Udf, wrapped
from firesteel.session.context import Environment
from firesteel.spark.internals.tasks import by_value
from firesteel.sql import statements as sql
from firesteel.sql.parser import parse_type
from firesteel.types.sql import SqlType, TypeRoot, row
from firesteel.types.user_function import UserDefined, UserFunction

MAIN = "__main__"
"""Name of the program's main module. Workers cannot import it, but they can import modules of its folder."""


def create_function(environment: Environment, statement: sql.CreateFunction) -> None:
    """Run CREATE FUNCTION.

    Raises:
        ValidationError: The module has no such function, the types of the function are not supported, or its
            name is taken. The error points to the wrong part of the statement.
        NotSupportedError: The function is not in Python.
    """
    name, kind = statement.function.parts[-1], _kind(statement.temporary, statement.system)
    functions = environment.catalog.functions
    if statement.if_not_exists and functions.has(kind, name):
        return
    if statement.language != "PYTHON":
        raise NotSupportedError(
            f"Functions in {statement.language} are not supported",
            range=statement.class_range,
            hint="CREATE FUNCTION ... AS 'module.name' LANGUAGE PYTHON",
        )
    try:
        found = _named(environment, name, statement.class_name)
    except (UsageError, ValidationError) as error:
        raise ValidationError(error.message, range=statement.class_range, hint=error.hint) from error
    functions.create(kind, name, found, statement.function.range)


def drop_function(environment: Environment, statement: sql.Drop) -> None:
    """Run DROP FUNCTION. Raises ValidationError if the function does not exist, unless IF EXISTS is given."""
    kind = _kind(statement.temporary, statement.system)
    functions = environment.catalog.functions
    functions.drop(kind, statement.name.parts[-1], statement.if_exists, statement.name.range)


def register(environment: Environment, kind: str, path: str, function: Any) -> None:
    """Register a user-defined function under a name.

    Args:
        environment: The session.
        kind: `temporary system`, `temporary catalog` or `catalog` (catalog/functions.py).
        path: Name of the function; only its last part counts.
        function: Result of udf, udtf or udaf, an object or class of a function, or the text `module.name`.

    Raises:
        ValidationError: The function's types are not supported, or the name is taken.
        UsageError: The module has no such function.
    """
    name = path.rpartition(".")[2].strip("`")
    if isinstance(function, str):
        defined = _named(environment, name, function)
    else:
        found = wrapped(function, getattr(function, "__name__", type(function).__name__))
        defined = _defined(name, _code(function, found), found)
    environment.catalog.functions.create(kind, name, defined)


def _kind(temporary: bool, system: bool) -> str:
    return SYSTEM if system else TEMPORARY if temporary else PERMANENT


def _named(environment: Environment, name: str, code: str) -> UserDefined:
    """Return the function of a CREATE FUNCTION statement.

    Args:
        environment: The session.
        name: Name of the function in SQL.
        code: The text after AS: `module.name`.

    Raises:
        ValidationError: `code` is a pickle (PICKLED) instead, or the function's types are not supported.
        UsageError: The module has no such function.
    """
    if code.startswith(PICKLED):
        raise ValidationError(
            f"Function {name} is a pickle: a function is named by its module", hint="AS 'module.name'"
        )
    return _defined(name, code, find(code, environment.functions_folder))


def _defined(name: str, code: str, found: Udf) -> UserDefined:
    kind = _row_type(found) if isinstance(found, TableUdf) else _type(found.result_type)
    _check_type(kind, name)
    is_pandas = isinstance(found, AggregateUdf) and found.is_pandas
    if is_pandas and kind.root is TypeRoot.MAP:
        raise ValidationError(
            f"Invalid returnType: Pandas UDAF doesn't support DataType type {kind} currently"
        )
    is_pickled = code.startswith(PICKLED)
    folder = _folder(MAIN if is_pickled else code.rpartition(":" if ":" in code else ".")[0])
    class_name = type(found.function).__name__ if is_pickled else code
    return UserDefined(
        UserFunction(name, code, folder, is_pandas),
        kind,
        is_aggregate=isinstance(found, AggregateUdf),
        is_table=isinstance(found, TableUdf),
        deterministic=found.deterministic,
        retracts=not isinstance(found, AggregateUdf) or found.retracts,
        merges=not isinstance(found, AggregateUdf) or found.merges,
        class_name=class_name,
    )


def _type(kind: TypeName) -> SqlType:
    return kind if isinstance(kind, SqlType) else parse_type(str(kind))


def _row_type(found: TableUdf) -> SqlType:
    """Return the type of a table function's rows, with fields named as in PyFlink.

    Only a ROW type that is given as text keeps its field names. Other fields are named f0, f1, ...
    """
    if isinstance(found.result_types, tuple):
        types = tuple(map(_type, found.result_types))
    else:
        kind = _type(found.result_types)
        if kind.root is TypeRoot.ROW and not isinstance(found.result_types, SqlType):
            return kind
        types = kind.children if kind.root is TypeRoot.ROW else (kind,)
    return row(tuple(f"f{i}" for i in range(len(types))), types)


def _check_type(kind: SqlType, name: str) -> None:
    if kind.root in (TypeRoot.RAW, TypeRoot.VARIANT, TypeRoot.BITMAP):
        raise ValidationError(f"Function {name} cannot give {kind}")
    for child in kind.children:
        _check_type(child, name)


def _folder(module: str) -> str:
    """Return the folder of a module, which workers add to their search path; "" if it has none.

    For code that was typed in, such as in a Python shell, return the current folder.
    """
    loaded = sys.modules.get(module.partition(".")[0])
    if packages := list(getattr(loaded, "__path__", ())):
        return str(Path(packages[0]).absolute().parent)
    if file := getattr(loaded, "__file__", None):
        return str(Path(file).absolute().parent)
    return str(Path.cwd()) if module == MAIN else ""


def _code(function: Any, found: Udf) -> str:
    """Return a function as `module:name` if workers can import it from a module; else as its pickle."""
    for holder in (function, getattr(found, "function", None)):
        module = sys.modules.get(getattr(holder, "__module__", None) or "")
        if module is None or module.__name__ == MAIN:
            continue
        names = [n for n, value in vars(module).items() if value is function]
        if names:
            return f"{module.__name__}:{names[0]}"
    return PICKLED + base64.b64encode(by_value(found)).decode()
