"""Call compiled kernels through ctypes, by the C ABI of numba.cfunc.

A compiled kernel gets its arguments in one block of 64-bit words. For an array, the block has its address and
its lengths, for an integer or boolean one word. The kernel writes its results to the first words. Its C
function has two parameters, both the address of the block: one typed as an array of pointers, from which the
kernel takes addresses, and one typed as an array of integers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from firesteel.errors import InternalError

INT, BOOL = "int", "bool"
_KINDS: dict[tuple[Any, int], str] = {}
_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_RESULTS: dict[str, tuple[int, Callable[[Any], object]]] = {
    "None": (0, lambda words: None),
    "int": (1, lambda words: words[0]),
    "tuple[int, bool]": (2, lambda words: (words[0], bool(words[1]))),
}
"""By the annotation of a kernel's result: its number of words, and the conversion of these to Python."""


def kind_of(argument: object) -> str:
    """Return the kind of an argument: `i8x2` for a two-dimensional array of int64, `int` or `bool`."""
    if isinstance(argument, np.ndarray):
        key = (argument.dtype, argument.ndim)
        known = _KINDS.get(key)
        if known is None:
            known = _KINDS[key] = f"{argument.dtype.str[1:]}x{argument.ndim}"
        return known
    return BOOL if isinstance(argument, (bool, np.bool_)) else INT


def c_function(kernel: Any, kinds: Iterable[str], returns: str) -> Any:
    """Return a compiled C function (`numba.cfunc`) that calls a kernel. The module describes its arguments.

    Args:
        kernel: Numba's version of the kernel.
        kinds: Kinds of the kernel's arguments (`kind_of`).
        returns: Annotation of the kernel's result.
    """
    import numba

    names: dict[str, Any] = {"kernel": kernel, "carray": numba.carray}
    arguments, at = [], 0
    for kind in kinds:
        if kind in (INT, BOOL):
            arguments.append(f"numbers[{at}]" if kind == INT else f"numbers[{at}] != 0")
            at += 1
            continue
        item, _, dimensions = kind.partition("x")
        lengths = "".join(f"numbers[{at + 1 + axis}], " for axis in range(int(dimensions)))
        names[item] = numba.from_dtype(np.dtype(item))
        arguments.append(f"carray(pointers[{at}], ({lengths}), {item})")
        at += 1 + int(dimensions)
    results = "".join(f"numbers[{place}], " for place in range(_RESULTS[returns][0]))
    targets = f"{results.removesuffix(', ')} = " if results else ""
    exec(f"def entry(pointers, numbers):\n    {targets}kernel({', '.join(arguments)})", names)
    types = numba.types
    signature = types.void(types.CPointer(types.voidptr), types.CPointer(types.int64))
    return numba.cfunc(signature)(names["entry"])


def check_layout(kernel: str, argument: object) -> None:
    """Raise InternalError if the argument is an array that is not contiguous."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        if not (flags.c_contiguous and flags.aligned):
            raise InternalError(f"The kernel {kernel} was given an array with gaps")


class Call:
    """One kernel for arguments of given kinds.

    Args:
        name: Name of the kernel, for errors.
        address: Address of its C function.
        returns: Annotation of the result.
    """

    def __init__(self, name: str, address: int, returns: str) -> None:
        self._name = name
        self._least, self._result = _RESULTS[returns]
        self._function = _PROTOTYPE(address)

    def __call__(self, arguments: Sequence[object]) -> object:
        """Call the kernel and return its result.

        Raises:
            InternalError: An array is not contiguous.
        """
        words: list[Any] = []
        for argument in arguments:
            if not isinstance(argument, np.ndarray):
                words.append(int(argument))  # type: ignore[call-overload]
                continue
            check_layout(self._name, argument)
            words += (argument.__array_interface__["data"][0], *argument.shape)
        block = (ctypes.c_int64 * max(len(words), self._least))(*words)
        self._function(block, block)
        return self._result(block)
