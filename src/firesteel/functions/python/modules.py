"""Modules that lie beside a job, in folders of the user's.

What lies there must not run because of its name, since others may write there: the module that is named is
taken from there, and what nothing else has. Such a folder is not on `sys.path`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from firesteel.errors import UsageError


class _Beside(MetaPathFinder):
    """Finds modules in folders of the user's; none with a name of Python's own, for libraries look for those
    that only other systems have."""

    def __init__(self) -> None:
        self.folders: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or fullname in sys.stdlib_module_names:
            return None
        return PathFinder.find_spec(fullname, self.folders)


_beside = _Beside()


def look_into(folder: str) -> None:
    """From now on find modules in `folder` that are nowhere else."""
    if _beside not in sys.meta_path:
        sys.meta_path.append(_beside)
    if folder not in _beside.folders:
        _beside.folders.append(folder)


def import_from(name: str, folder: str) -> ModuleType:
    """The module of this name in `folder`, whatever else has its name; else the one that Python finds.

    Raises UsageError where what lies in the folder has the name of a module that others mean.
    """
    top = name.partition(".")[0]
    found = PathFinder.find_spec(top, [folder]) if folder else None
    if found is not None and found.origin is not None and found.loader is not None:
        loaded = sys.modules.get(top)
        place = getattr(loaded, "__file__", None) or ""
        is_other = loaded is not None and os.path.realpath(place) != os.path.realpath(found.origin)
        if is_other or top in sys.stdlib_module_names:
            raise UsageError(
                f"{found.origin} has the name of another module, {top}", hint="give it a name of its own"
            )
        if loaded is None:
            _execute(found, found.loader)
    return importlib.import_module(name)


def _execute(spec: ModuleSpec, loader: Loader) -> None:
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
