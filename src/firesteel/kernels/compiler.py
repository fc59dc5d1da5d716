"""Compile functions of this package to machine code, once for a machine, and call them without Numba.

A kernel takes contiguous NumPy arrays, integers and booleans, and accesses nothing else. Its code is stored
as an object file (objects.py) for each combination of argument kinds. Loading an object takes a third of a
millisecond. Numba is imported only to compile, since the import takes half as long as starting a worker.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cached_property
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, cast

from firesteel.errors import InternalError
from firesteel.kernels import objects
from firesteel.kernels.calls import Call, c_function, check_layout, kind_of

Function = TypeVar("Function", bound=Callable[..., object])

CHECKED = os.environ.get("FIRESTEEL_KERNELS") == "checked"
"""Whether an index out of range raises an error instead of corrupting memory.

This is for tests: kernels are compiled again in each process and run slowly.
"""
_OPTIONS = {"boundscheck": CHECKED, "error_model": "numpy", "nogil": True}
_UNDOCUMENTED = {"_nrt": False} | ({} if CHECKED else {"no_cpython_wrapper": True, "no_cfunc_wrapper": True})
"""Undocumented options of Numba that save time. Those that the installed version lacks are left out.

`_nrt` turns off reference counting of arrays: its atomic operations took more than half of the time of loops
that call `part` functions. Without the wrappers, which Firesteel does not use, compiling takes half as long.
"""
_LOADING = RLock()
"""Lock so that an object is loaded once, even if several threads call a kernel."""


def compiled(function: Function) -> Function:
    """Return a kernel that runs the function as machine code.

    Indices are not checked unless `CHECKED`, and a division by zero is not an error. The function must not
    create arrays or raise exceptions, also not by unpacking an array. Its result must be annotated as None,
    int or tuple[int, bool].

    Example:
        @compiled
        def total(values: Integers) -> int:
            found = 0
            for value in values:
                found += value
            return found
    """
    return cast("Function", Kernel(function))


def part(function: Function) -> Function:
    """Return a function that only kernels can call."""
    return cast("Function", Part(function))


def inlined(function: Function) -> Function:
    """Return a function that only kernels can call, and that is inlined into them."""
    return cast("Function", Part(function, forceinline=True))


class Part:
    """Function that only kernels can call."""

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        self.function = cast("FunctionType", function)
        self._options = options

    @cached_property
    def made(self) -> Any:
        """Return the function, compiled by `numba.njit`. It calls the compiled versions of other parts."""
        import numba

        options = {**_OPTIONS, **_known_options(), **self._options}
        return numba.njit(**options)(_with_made_parts(self.function))


class Instruction(Part):
    """Instruction that Numba lacks (instructions.py)."""

    @cached_property
    def made(self) -> Any:
        """Return Numba's intrinsic for the instruction."""
        from numba.extending import intrinsic

        return intrinsic(self.function)


class Kernel(Part):
    """Compiled function that Python calls."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        module = function.__module__.removeprefix(f"{__package__}.")
        self.name = f"{module}.{function.__name__}"
        self._is_ours = function.__module__.startswith(f"{__package__}.")
        self.calls: dict[tuple[str, ...], Call] = {}
        """Loaded code, by the kinds (calls.kind_of) of the arguments."""
        if self._is_ours:
            KERNELS[self.name] = self

    def __call__(self, *arguments: object) -> object:
        if CHECKED:
            return self._run_checked(arguments)
        kinds = tuple(map(kind_of, arguments))
        call = self.calls.get(kinds)
        if call is None:
            with _LOADING:
                call = self.calls.get(kinds) or self.load(kinds)
        return call(arguments)

    def _run_checked(self, arguments: tuple[object, ...]) -> object:
        for argument in arguments:
            check_layout(self.name, argument)
        try:
            result: object = self.made(*arguments)
        except IndexError as error:
            raise InternalError(f"The kernel {self.name} left its arrays: {error}") from error
        return result

    def load(self, kinds: tuple[str, ...]) -> Call:
        """Load the stored code for arguments of these kinds. Compile it if there is none."""
        kept = self.load_kept(kinds)
        if kept is not None:
            return kept
        symbol = self._symbol(kinds)
        code = self._compile(kinds, symbol)
        if self._is_ours:
            objects.keep(symbol, code)
        return self._call(kinds, objects.loaded(symbol, code))

    def load_kept(self, kinds: tuple[str, ...]) -> Call | None:
        """Load the stored code for arguments of these kinds. Return None if there is none."""
        address = objects.load(self._symbol(kinds)) if self._is_ours else None
        return None if address is None else self._call(kinds, address)

    def _symbol(self, kinds: tuple[str, ...]) -> str:
        return f"{self.name}({','.join(kinds)})"

    def _call(self, kinds: tuple[str, ...], address: int) -> Call:
        made = Call(self.name, address, self._returns)
        self.calls[kinds] = made
        return made

    def _compile(self, kinds: tuple[str, ...], symbol: str) -> bytes:
        """Return the code as an object that exports one function, `symbol`."""
        import numba

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
            entry = c_function(self.made, kinds, self._returns)
        return objects.emit(entry.inspect_llvm(), entry.native_name, symbol)

    @property
    def _returns(self) -> str:
        """Return the annotation of the function's result as text: `int`, `None`, `tuple[int, bool]`.

        Python keeps an annotation as a text or as a type, depending on the module.
        """
        returns = self.function.__annotations__["return"]
        return returns if isinstance(returns, str) else str(getattr(returns, "__name__", returns))


KERNELS: dict[str, Kernel] = {}
"""Imported kernels of this package by name: `json.scan.scan`.

The code of kernels outside this package is not stored, because the name of the cache folder depends only on
the sources of this package.
"""


def _with_made_parts(function: FunctionType) -> FunctionType:
    """Return a copy of the function in which the names of `Part` objects mean Numba's versions of these."""
    names = {
        name: value.made if isinstance(value, Part) else value
        for name, value in function.__globals__.items()
        if name in function.__code__.co_names or name.startswith("__")
    }
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _known_options() -> dict[str, bool]:
    """Return the undocumented options that the installed version of Numba has."""
    import numba

    known = numba.core.options.DefaultOptions
    return {name: value for name, value in _UNDOCUMENTED.items() if hasattr(known, name)}
