"""Call compiled kernels through ctypes, with the parameters that Numba's native functions have.

A function takes the address of its result, the address of an exception, and its arguments. An array is passed
as reference count, owner, number of items, bytes of an item, data, shape and strides (numba/core/callconv.py:
CPUCallConv, numba/core/datamodel/models.py: ArrayModel). It returns a status, 0 for success.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from firesteel.errors import InternalError

INT, BOOL = "int", "bool"
_KINDS: dict[tuple[Any, int], str] = {}


class _Found(ctypes.Structure):
    """Result of a kernel that returns a number and a bool."""

    _fields_ = (("number", ctypes.c_int64), ("flag", ctypes.c_int8))


_RESULTS: dict[str, type[Any]] = {
    "None": ctypes.c_void_p,
    "int": ctypes.c_int64,
    "tuple[int, bool]": _Found,
}
"""Type of the result by the annotation of the function."""


def kind_of(argument: object) -> str:
    """Return the kind of an argument: `i8x2` for a two-dimensional array of int64, `int` or `bool`."""
    if isinstance(argument, np.ndarray):
        key = (argument.dtype, argument.ndim)
        known = _KINDS.get(key)
        if known is None:
            known = _KINDS[key] = f"{argument.dtype.str[1:]}x{argument.ndim}"
        return known
    return BOOL if isinstance(argument, (bool, np.bool_)) else INT


def numba_type(kind: str) -> Any:
    """Return Numba's type for arguments of a kind. Arrays are contiguous and writable."""
    import numba

    if kind in (INT, BOOL):
        return numba.types.int64 if kind == INT else numba.types.boolean
    item, _, dimensions = kind.partition("x")
    return numba.types.Array(numba.from_dtype(np.dtype(item)), int(dimensions), "C")


def parameters(kinds: Sequence[str]) -> list[str]:
    """Return the LLVM types of all parameters of a function with arguments of these kinds."""
    found = ["ptr", "ptr"]
    for kind in kinds:
        if kind in (INT, BOOL):
            found.append("i64" if kind == INT else "i8")
        else:
            found += ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * (2 * int(kind.partition("x")[2]))]
    return found


class Call:
    """One kernel for arguments of given kinds.

    Args:
        name: Name of the kernel, for errors.
        address: Address of the native function.
        kinds: Kinds of the arguments.
        returns: Annotation of the result.
    """

    def __init__(self, name: str, address: int, kinds: Sequence[str], returns: str) -> None:
        self._name = name
        self._result = _RESULTS[returns]
        sorts = (ctypes.c_bool if kind == "i8" else ctypes.c_int64 for kind in parameters(kinds)[2:])
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *sorts)
        self._function = prototype(address)

    def __call__(self, arguments: Sequence[object]) -> object:
        """Call the kernel and return its result.

        Raises:
            InternalError: An array is not contiguous, or the function fails.
        """
        result, error = self._result(), ctypes.c_void_p()
        words = self._words(arguments)
        status = self._function(ctypes.byref(result), ctypes.byref(error), *words)
        if status:
            raise InternalError(f"The kernel {self._name} ended with status {status}")
        if isinstance(result, _Found):
            return result.number, bool(result.flag)
        return result.value

    def _words(self, arguments: Sequence[object]) -> list[Any]:
        words: list[Any] = []
        for argument in arguments:
            if not isinstance(argument, np.ndarray):
                words.append(argument)
                continue
            flags = argument.flags
            if not (flags.c_contiguous and flags.aligned):
                raise InternalError(f"The kernel {self._name} was given an array with gaps")
            data = argument.__array_interface__["data"][0]
            words += (0, 0, argument.size, argument.itemsize, data, *argument.shape, *argument.strides)
        return words
