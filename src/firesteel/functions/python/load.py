"""Loading of user-defined functions: by the driver at registration, by each worker at the first call."""

from __future__ import annotations

import base64
import os
import pickle
from functools import partial
from pathlib import Path
from types import TracebackType

from firesteel.errors import FiresteelError, JobError, UsageError
from firesteel.functions.python.bases import FunctionContext, UserDefinedFunction
from firesteel.functions.python.modules import import_from, look_into
from firesteel.functions.python.wrappers import Udf, wrapped
from firesteel.process_cache import open_once
from firesteel.types import user_function
from firesteel.types.user_function import UserFunction

_OWN = f"{Path(__file__).parents[2]}{os.sep}"
PICKLED = "pickle:"
"""Prefix of `UserFunction.code` for a function that no module contains. Its pickle in base64 follows."""

_loaded: dict[UserFunction, Udf] = {}


def find(code: str, folder: str = "") -> Udf:
    """Return the function that `code` names or, pickled, contains.

    Args:
        code: `module.name`, `module:name`, or PICKLED and base64.
        folder: Folder that contains the module and the modules that it imports, or "".

    Raises:
        UsageError: The module or name does not exist, or the import fails.
        ValidationError: The object is not a function.
    """
    if folder:
        look_into(folder)
    if code.startswith(PICKLED):
        found: Udf = pickle.loads(base64.b64decode(code.removeprefix(PICKLED)))
        return found
    separator = ":" if ":" in code else "."
    module_name, _, path = code.rpartition(separator)
    try:
        target = import_from(module_name or path, folder)
        for part in path.split("."):
            target = getattr(target, part)
        return wrapped(target, code)
    except FiresteelError:
        raise
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError)
        hint = (
            "a module lies beside the script or on PYTHONPATH" if missing else innermost(error.__traceback__)
        )
        raise UsageError(f"'{code}' cannot be imported: {describe(error)}", hint=hint) from error


def function_of(function: UserFunction) -> Udf:
    """Return the function, loaded and opened in this process.

    Raises:
        JobError: The function cannot be loaded, or its `open` fails.
    """
    found = _loaded.get(function)
    if found is None:
        try:
            found = find(function.code, user_function.located(function.folder))
        except Exception as error:
            raise JobError(f"Function {function.name} cannot be loaded by a worker: {error}") from error
        _loaded[function] = found
    if isinstance(found.function, UserDefinedFunction):
        try:
            open_once(function, partial(found.function.open, FunctionContext()), found.function.close)
        except Exception as error:
            raise JobError(
                f"Function {function.name}.open failed: {describe(error)}",
                hint=innermost(error.__traceback__),
            ) from error
    return found


def describe(error: BaseException) -> str:
    """Return the class and message of an exception."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def innermost(trace: TracebackType | None) -> str | None:
    """Return the position in the user's code that raised: the innermost frame outside Firesteel, or None."""
    place = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith((_OWN, "<")):
            place = f"{code.co_filename}, line {trace.tb_lineno}, in {code.co_name}"
        trace = trace.tb_next
    return place
