"""Pickles for keyed state in which Firesteel's own classes have constant names.

`pickle` writes a class by its module and name, so a checkpoint would become unreadable when the class moves.
Here, a class in NAMES is written by its constant name from that table. This is the module and name that the
class had at first, so pickles from before the table can be read, too.

A pickle may hold these classes and plain values (types/plain_pickle.py), and nothing else. Only accumulators
of user-defined functions may be of any class.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from firesteel.types.plain_pickle import PlainUnpickler

NAMES: Mapping[str, tuple[str, str]] = {
    "firesteel.runtime.windows.row_windows.KeyedWindows": (
        "firesteel.runtime.operators.window.per_row.row_windows",
        "KeyedWindows",
    ),
    "firesteel.runtime.windows.triggers.OpenWindow": (
        "firesteel.runtime.operators.window.per_row.triggers",
        "OpenWindow",
    ),
}
"""Module and name of each class by its constant name. Constant names never change: checkpoints have them."""


def dumps(value: object) -> bytes:
    """Return the pickle of an object."""
    out = io.BytesIO()
    _Pickler(out, pickle.HIGHEST_PROTOCOL).dump(value)
    return out.getvalue()


def loads(data: bytes, *, of_user: bool = False) -> Any:
    """Return the object that `dumps` wrote.

    Args:
        data: The pickle.
        of_user: Whether it holds accumulators of user-defined functions, which may be of any class. Reading
            such a pickle can run code.

    Raises:
        NotPlainError: `of_user` is False, and the pickle names a class or function that is not allowed.
    """
    return _UserUnpickler(io.BytesIO(data)).load() if of_user else _Unpickler(data).load()


class _Pickler(pickle.Pickler):
    def persistent_id(self, obj: Any) -> str | None:
        if not isinstance(obj, type):
            return None
        place = (obj.__module__, obj.__qualname__)
        return next((name for name, known in NAMES.items() if known == place), None)


class _Unpickler(PlainUnpickler):
    def persistent_load(self, pid: Any) -> Any:
        return _named(pid)

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if f"{module_name}.{global_name}" in NAMES:
            return _named(f"{module_name}.{global_name}")
        return super().find_class(module_name, global_name)


class _UserUnpickler(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        return _named(pid)

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if f"{module_name}.{global_name}" in NAMES:
            return _named(f"{module_name}.{global_name}")
        return super().find_class(module_name, global_name)


def _named(name: str) -> Any:
    module, attribute = NAMES[name]
    return getattr(import_module(module), attribute)
