"""From the name of a function of the user's to the function: in the driver when it is registered, and in
each worker when it is first called."""

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
"""How the code of a function begins that no module holds."""

_loaded: dict[UserFunction, Udf] = {}


def find(code: str, folder: str = "") -> Udf:
    """The function that `module.name` or `module:name` names, or that was pickled; its module and those that
    it imports may lie in `folder`.

    Raises UsageError where there is no such module or name or it cannot be imported, ValidationError where
    it is no function.
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
    """The function, opened. Raises JobError where this process cannot import it."""
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
    """The error's class and text."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def innermost(trace: TracebackType | None) -> str | None:
    """Where in the user's code an error was raised: the last frame outside of firesteel."""
    place = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith((_OWN, "<")):
            place = f"{code.co_filename}, line {trace.tb_lineno}, in {code.co_name}"
        trace = trace.tb_next
    return place
