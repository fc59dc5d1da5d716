"""Pickles that name only known data classes, so that reading values of keyed state cannot run code.

`pickle` calls anything that a pickle names, even `os.system`. These pickles may name containers and values of
Python's standard library that only hold data, numpy's arrays and numbers, bitmaps, and classes that the
caller allows.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

_NUMPY = ("numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric")
_ADMITTED = frozenset(
    [
        *(
            ("builtins", name)
            for name in ("set", "frozenset", "bytearray", "complex", "object", "range", "slice")
        ),
        *(("collections", name) for name in ("OrderedDict", "Counter", "defaultdict", "deque")),
        *(("builtins", name) for name in ("int", "float", "str", "bytes", "bool", "list", "dict", "tuple")),
        *(("datetime", name) for name in ("date", "datetime", "time", "timedelta", "timezone")),
        *((module, name) for module in _NUMPY for name in ("_reconstruct", "scalar", "_frombuffer")),
        *(("numpy", name) for name in ("ndarray", "dtype")),
        ("copyreg", "_reconstructor"),
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("uuid", "UUID"),
        ("zoneinfo", "ZoneInfo._unpickle"),
        ("pyroaring", "BitMap"),
    ]
)
"""Module and name of each class or function that a pickle may name. None of them calls its arguments."""

Admits = Callable[[str, str], bool]
"""Rule that allows further names: it gets the name of a module and that of a class or function in it.

It returns True if a pickle may name this class or function, in addition to those in _ADMITTED.
"""


class NotPlainError(pickle.PickleError):
    """Error for a pickle that names something that is not allowed. `name` is its module and name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"it names {name}")
        self.name = name


def _nothing(module: str, name: str) -> bool:
    return False


def dumps(value: object, admits: Admits = _nothing) -> bytes:
    """Return the pickle of a value.

    Raises:
        NotPlainError: The pickle would name something that is not allowed.
    """
    out = io.BytesIO()
    PlainPickler(out, admits).dump(value)
    return out.getvalue()


def loads(data: bytes, admits: Admits = _nothing) -> Any:
    """Return the value of a pickle.

    Raises:
        NotPlainError: The pickle names a class or function that is not allowed. It was not imported.
    """
    return PlainUnpickler(data, admits).load()


class PlainPickler(pickle.Pickler):
    """Pickler of values that `PlainUnpickler` reads."""

    def __init__(self, out: io.BytesIO, admits: Admits = _nothing) -> None:
        super().__init__(out, pickle.HIGHEST_PROTOCOL)
        self._admits = admits

    def reducer_override(self, obj: Any) -> Any:
        """Return NotImplemented, so that `obj` is pickled as usual.

        Raises:
            NotPlainError: `obj` is a class or function that the pickle may not name.
        """
        if isinstance(obj, (type, FunctionType, BuiltinFunctionType)):
            _check(str(obj.__module__), obj.__qualname__, self._admits)
        return NotImplemented


class PlainUnpickler(pickle.Unpickler):
    """Unpickler that loads allowed names only."""

    def __init__(self, data: bytes, admits: Admits = _nothing) -> None:
        super().__init__(io.BytesIO(data))
        self._admits = admits

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        _check(module_name, global_name, self._admits)
        return super().find_class(module_name, global_name)


def _check(module: str, name: str, admits: Admits) -> None:
    if (module, name) not in _ADMITTED and not admits(module, name):
        raise NotPlainError(f"{module}.{name}")
