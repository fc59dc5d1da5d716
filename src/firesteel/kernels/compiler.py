"""Compiles a function of this package with Numba, once for a machine: its code is kept between runs.

A kernel takes NumPy arrays and numbers and touches nothing else. Numba keeps a function's code by the file it
stands in, but not by those of the functions that it calls: so the folder in which it is kept is named by all
files of this package. Where no folder can be written to, each process compiles what it needs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, cast

import llvmlite.binding
import numba

from firesteel.cache_folder import cache_folder, forget_unused

Function = TypeVar("Function", bound=Callable[..., object])

_OPTIONS = {"boundscheck": False, "error_model": "numpy", "nogil": True}
_LEAN = {"_nrt": False} if hasattr(numba.core.options.DefaultOptions, "_nrt") else {}
"""Private: arrays are not counted. Counts are atomic, and took more than half of the time of loops whose
parts are functions of their own. A Numba that does not know it counts."""
_FOR_KERNELS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """The function as machine code: for each combination of argument types, made at the first call or taken
    from an earlier run. Indices are not checked; a division by zero is not an error. It makes no arrays."""
    return _made(function)


def part(function: Function) -> Function:
    """One that only kernels call: it takes less compiling."""
    return _made(function, **_FOR_KERNELS)


def inlined(function: Function) -> Function:
    """One that they call in their loops, and that becomes part of them."""
    return _made(function, **_FOR_KERNELS, forceinline=True)


def _made(function: Function, **options: object) -> Function:
    before = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(_folder())
        kept = {"cache": True}
    except (RuntimeError, OSError):
        kept = {}
    try:
        return _jit(function, **kept, **options)
    except (RuntimeError, OSError):  # no folder to keep it in
        return _jit(function, **options)
    finally:
        numba.config.CACHE_DIR = before


def _jit(function: Function, **options: object) -> Function:
    return cast("Function", numba.njit(**_OPTIONS, **_LEAN, **options)(function))


@cache
def _folder() -> Path:
    """Where code made of these files is kept: beside Spark's class-data archives. Numba compiles anew for
    another processor, and for a file that lies elsewhere or was written anew: that is another folder, too."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.binding.get_host_cpu_name()}".encode())
    for file in sorted(files("firesteel.kernels").iterdir(), key=lambda each: each.name):
        if file.name.endswith(".py"):
            written = file.stat().st_mtime_ns if isinstance(file, Path) else 0
            digest.update(f"{file} {written}".encode() + file.read_bytes())
    kept = cache_folder() / "kernels"
    folder = kept / digest.hexdigest()[:16]
    if folder.is_dir():
        os.utime(folder)
    elif kept.is_dir():
        forget_unused(kept.iterdir())
    return folder


def is_kept(module: str) -> bool:
    """Whether kernels of a module were compiled in an earlier run."""
    try:
        return any(_folder().rglob(f"{module}.*.nbi"))
    except (RuntimeError, OSError):
        return False
