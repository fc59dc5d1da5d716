"""Pickles for keyed state in which Firesteel's own classes have constant names.

`pickle` writes a class by its module and name, so a checkpoint would become unreadable when the class moves.
Here, a class in NAMES is written by its name in that table. Pickles written without the table use the same
strings and can be read too.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from importlib import import_module
from typing import Any

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
"""Module and name of the class behind each constant name. The keys never change."""


def dumps(value: object) -> bytes:
    """Return the pickle of an object."""
    out = io.BytesIO()
    _Pickler(out, pickle.HIGHEST_PROTOCOL).dump(value)
    return out.getvalue()


def loads(data: bytes) -> Any:
    """Return the object that `dumps` wrote."""
    return _Unpickler(io.BytesIO(data)).load()


class _Pickler(pickle.Pickler):
    def persistent_id(self, obj: Any) -> str | None:
        if not isinstance(obj, type):
            return None
        place = (obj.__module__, obj.__qualname__)
        return next((name for name, known in NAMES.items() if known == place), None)


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        module, name = NAMES[pid]
        return getattr(import_module(module), name)

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if f"{module_name}.{global_name}" in NAMES:
            return self.persistent_load(f"{module_name}.{global_name}")
        return super().find_class(module_name, global_name)
