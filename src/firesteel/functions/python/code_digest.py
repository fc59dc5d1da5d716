"""Digests of the code of user-defined functions, for detecting changes between runs."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from firesteel.functions.python.load import PICKLED, find
from firesteel.functions.python.watermarks import WatermarkStrategy
from firesteel.functions.python.wrappers import Udf
from firesteel.types.user_function import UserFunction

_UNKNOWN = ""


def code_digest(function: UserFunction) -> str:
    """Return a digest of a function's code: of its module and the modules beside it that it uses.

    A function without a module file, for example from a notebook, has a digest of its own source, or of its
    byte code if the source is unknown. Byte code differs between Python versions, so its digest starts with
    the version.

    Returns:
        Kind of digest, a colon and the digest; "" if the code cannot be found.
    """
    try:
        found = find(function.code, function.folder)
    except Exception:  # Return no digest: the job reports the error when it loads the function.
        return _UNKNOWN
    if function.code.startswith(PICKLED):
        return _of_object(found)
    name = function.code.rpartition(":" if ":" in function.code else ".")[0]
    module = sys.modules.get(name)
    if module is None:
        return _UNKNOWN
    files = sorted(_files(module, function.folder, {}).values())
    return f"module:{_hashed([file.read_bytes() for file in files])}" if files else _UNKNOWN


def is_changed(before: str, after: str) -> bool:
    """Return whether two digests of a function show a change. Digests of different kinds are not compared."""
    same_kind = before.rpartition(":")[0] == after.rpartition(":")[0]
    return same_kind and _UNKNOWN not in (before, after) and before != after


def _files(module: ModuleType, folder: str, found: dict[str, Path]) -> dict[str, Path]:
    """Add to `found` the source files of a module and, recursively, of the modules that it uses.

    Only modules of its package or of the functions' folder are added (`_belongs`).

    Returns:
        `found`: source files by module name.
    """
    file = getattr(module, "__file__", None)
    if module.__name__ in found or file is None or not Path(file).is_file():
        return found
    found[module.__name__] = Path(file)
    for used in {id(m): m for m in _used(module)}.values():
        if _belongs(used, module, folder):
            _files(used, folder, found)
    return found


def _used(module: ModuleType) -> Iterator[ModuleType]:
    """Yield the modules that a module uses, as its global names show.

    A name from `import m` yields the module m. A name from `from m import f` yields the module that defines
    f. A module may be yielded several times.
    """
    for value in list(vars(module).values()):
        home = value if isinstance(value, ModuleType) else sys.modules.get(_home(value))
        if home is not None:
            yield home


def _home(value: Any) -> str:
    name = getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


def _belongs(used: ModuleType, module: ModuleType, folder: str) -> bool:
    """Return whether `used` is in the top-level package of `module`, or in the functions' folder."""
    if used.__name__.partition(".")[0] == module.__name__.partition(".")[0]:
        return True
    file = getattr(used, "__file__", None)
    return bool(folder) and file is not None and Path(folder).resolve() in Path(file).resolve().parents


def _of_object(found: Udf | WatermarkStrategy) -> str:
    target: Any = found.generator if isinstance(found, WatermarkStrategy) else found.function
    if not hasattr(target, "__code__") and not inspect.isclass(target):
        target = type(target)
    try:
        return f"source:{_hashed([inspect.getsource(target).encode()])}"
    except (OSError, TypeError):
        codes = [target.__code__] if hasattr(target, "__code__") else _methods(target)
        version = ".".join(map(str, sys.version_info[:2]))
        return f"code {version}:{_hashed([_code(code) for code in codes])}" if codes else _UNKNOWN


def _methods(kind: type) -> list[CodeType]:
    found = sorted(vars(kind).items())
    return [value.__code__ for _, value in found if hasattr(value, "__code__")]


def _code(code: CodeType) -> bytes:
    """Return the bytes of a code object, without its position in a file."""
    inner = [
        _code(const) if isinstance(const, CodeType) else repr(const).encode() for const in code.co_consts
    ]
    return b"\0".join([code.co_code, repr(code.co_names).encode(), *inner])


def _hashed(parts: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]
