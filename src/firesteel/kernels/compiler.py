"""Functions of this package as machine code: compiled by Numba once for a machine, and called without it.

A kernel takes NumPy arrays without gaps, whole numbers and truth values, and touches nothing else. Its code
is kept as an object file (objects.py), for each combination of arguments. Loading one takes a third of a
millisecond; Numba is imported where something has to be compiled, for that takes as long as it takes to start
half a worker.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, cast

from firesteel.kernels import objects
from firesteel.kernels.calls import Call, kind_of, numba_type, parameters

Function = TypeVar("Function", bound=Callable[..., object])

_OPTIONS = {"boundscheck": False, "error_model": "numpy", "nogil": True}
_LOADING = RLock()
"""An object is loaded once, though threads of a worker may call a kernel at the same time."""
_OF_NUMBA = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Numba's own ways to call it are left out: nobody uses them, and they need symbols of Numba's."""


def compiled(function: Function) -> Function:
    """The function as machine code. Indices are not checked; a division by zero is not an error. It makes no
    arrays. What it returns is annotated as None, int or tuple[int, bool]."""
    return cast("Function", Kernel(function))


def part(function: Function) -> Function:
    """One that only kernels call."""
    return cast("Function", Part(function))


def inlined(function: Function) -> Function:
    """One that they call in their loops, and that becomes part of them."""
    return cast("Function", Part(function, forceinline=True))


class Part:
    """A function that kernels can call."""

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        self.function = cast("FunctionType", function)
        self._options = options

    @cached_property
    def made(self) -> Any:
        """Numba's function of it, in which the parts that it calls are Numba's, too."""
        import numba

        options = {**_OPTIONS, **_OF_NUMBA, **_lean(), **self._options}
        return numba.njit(**options)(_with_made_parts(self.function))


class Instruction(Part):
    """What Numba has no word for (instructions.py)."""

    @cached_property
    def made(self) -> Any:
        """What Numba takes it for where a kernel calls it."""
        from numba.extending import intrinsic

        return intrinsic(self.function)


class Kernel(Part):
    """A function that is called from Python."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        self._is_ours = function.__module__.startswith(f"{__package__}.")
        self.calls: dict[tuple[str, ...], Call] = {}
        """By the kinds of the arguments."""
        if self._is_ours:
            KERNELS[self.name] = self

    def __call__(self, *arguments: object) -> object:
        kinds = tuple(map(kind_of, arguments))
        call = self.calls.get(kinds)
        if call is None:
            with _LOADING:
                call = self.calls.get(kinds) or self.load(kinds)
        return call(arguments)

    def load(self, kinds: tuple[str, ...]) -> Call:
        """Have it ready for arguments of these kinds: as it was kept, else compiled."""
        kept = self.load_kept(kinds)
        if kept is not None:
            return kept
        symbol = self._symbol(kinds)
        code = self._compile(kinds, symbol)
        if self._is_ours:
            objects.keep(symbol, code)
        return self._call(kinds, objects.loaded(symbol, code))

    def load_kept(self, kinds: tuple[str, ...]) -> Call | None:
        """Have it ready as it was kept; None where it was not."""
        address = objects.load(self._symbol(kinds)) if self._is_ours else None
        return None if address is None else self._call(kinds, address)

    def _symbol(self, kinds: tuple[str, ...]) -> str:
        return f"{self.name}({','.join(kinds)})"

    def _call(self, kinds: tuple[str, ...], address: int) -> Call:
        made = Call(self.name, address, kinds, self.function.__annotations__["return"])
        self.calls[kinds] = made
        return made

    def _compile(self, kinds: tuple[str, ...], symbol: str) -> bytes:
        """As an object with one function that is seen from outside, the symbol."""
        import numba

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
            self.made.compile(tuple(map(numba_type, kinds)))
        signature = self.made.signatures[-1]
        native = self.made.overloads[signature].fndesc.llvm_func_name
        return objects.emit(self.made.inspect_llvm(signature), native, symbol, parameters(kinds))


KERNELS: dict[str, Kernel] = {}
"""Those of this package by module and name, as far as their modules were imported. Others are not kept: the
folder goes by the sources of the package."""


def _with_made_parts(function: FunctionType) -> FunctionType:
    """The same code, whose global names stand for what Numba can call."""
    names = {
        name: value.made if isinstance(value, Part) else value
        for name, value in function.__globals__.items()
        if name in function.__code__.co_names or name.startswith("__")
    }
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _lean() -> dict[str, bool]:
    """Arrays are not counted, by a private option: counts are atomic, and took more than half of the time of
    loops whose parts are functions of their own. A Numba that does not know it counts."""
    import numba

    return {"_nrt": False} if hasattr(numba.core.options.DefaultOptions, "_nrt") else {}
