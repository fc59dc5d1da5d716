"""Import of modules from the folder of a job.

Other users may be able to write to this folder. A file that they put there under the name of an installed
module, such as `numpy.py`, must not be imported in its place. So the folder is not added to `sys.path`. Only
the module that a function names, and modules that exist nowhere else, are imported from it.
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
    """Import finder for modules in the folders of jobs.

    The folders are not searched for names of the standard library, even if this system lacks the module.
    Libraries try to import such modules (`winreg` on Linux). This must not run a file with the same name.
    """

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
    """Search `folder` for modules that are found nowhere else, from now on."""
    if _beside not in sys.meta_path:
        sys.meta_path.append(_beside)
    if folder not in _beside.folders:
        _beside.folders.append(folder)


def import_from(name: str, folder: str) -> ModuleType:
    """Import a module from `folder`. If it is not there, import it as usual.

    Raises:
        UsageError: The file in the folder has the name of another module.
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
