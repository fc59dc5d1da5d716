"""Compiles a function of this package with Numba, once for a machine: its code is kept between runs.

A kernel takes NumPy arrays and numbers and touches nothing else. Numba keeps a function's code by the file it
stands in, but not by those of the functions that it calls: so the folder in which it is kept is named by all
files of this package. Where no folder can be written to, each process compiles what it needs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, cast

import numba

from firesteel.cache_folder import cache_folder

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """The function as machine code: for each combination of argument types, made at the first call or taken
    from an earlier run. Indices are not checked; a division by zero is not an error."""
    options = {"boundscheck": False, "error_model": "numpy", "nogil": True}
    before = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(_folder())
        made = numba.njit(cache=True, **options)(function)
    except (RuntimeError, OSError):  # no folder to keep it in
        made = numba.njit(**options)(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast("Function", made)


@cache
def _folder() -> Path:
    """Where code made of these files is kept: beside Spark's class-data archives."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(files("firesteel.kernels").iterdir(), key=lambda each: each.name):
        if file.name.endswith(".py"):
            digest.update(file.read_bytes())
    return cache_folder() / "kernels" / digest.hexdigest()[:16]
