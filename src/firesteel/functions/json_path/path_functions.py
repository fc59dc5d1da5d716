"""Functions at the end of a JSON path: `$.a.length()` (json-path: PathFunctionFactory)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from firesteel.functions.json_path.document import KeySet, java_text, parse
from firesteel.functions.json_path.errors import InvalidPath, JsonError
from firesteel.functions.json_path.tokens import Path, Token, Walk, WildcardToken

Function = Callable[[Any, Sequence[Any]], Any]
"""Function that takes a value and the arguments of the call, and returns the result.

The value is the one that the path before the function finds: that of `$.a` for `$.a.sum(1)`.
"""

_NOTHING = "Aggregation function attempted to calculate value using empty array"


class FunctionToken(Token):
    """Function call in a path, such as `.length()`. Arguments are paths or JSON texts."""

    definite = True
    is_function = True

    def __init__(self, name: str, arguments: Sequence[Path | str]) -> None:
        self.name = name
        self.arguments = tuple(arguments)
        self.fragment = f".{name}({'...' if arguments else ''})"

    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        result = call(self, value, walk.run.root, walk.run.suppress)
        if walk.is_leaf:
            walk.go_on(where, result)
            return
        walk.run.found.append(result)
        walk.go_on(where, result)


def call(token: FunctionToken, value: Any, root: Any, suppress: bool) -> Any:
    """Return the result of a function call.

    Args:
        token: The call.
        value: Value of the path before the function.
        root: The document, to which paths among the arguments apply.
        suppress: Whether these paths skip missing values (lax mode).

    Raises:
        JsonError: The function does not exist or does not apply to the value.
    """
    if token.name in ("length", "size"):
        _arguments(token, root, suppress, paths_only=True)
        return _length(token, value, suppress)
    function = _FUNCTIONS.get(token.name)
    if function is None:
        raise InvalidPath(f"Function with name: {token.name} does not exist.")
    return function(value, _arguments(token, root, suppress))


def _arguments(token: FunctionToken, root: Any, suppress: bool, paths_only: bool = False) -> list[Any]:
    found: list[Any] = []
    for argument in token.arguments:
        if isinstance(argument, Path):
            found.append(argument.evaluate(root, root, suppress))
        elif not paths_only:
            found.append(parse(argument))
    return found


def _length(token: FunctionToken, value: Any, suppress: bool) -> Any:
    """Return the length of a value, or for a call with a path as argument a length that depends on the path.

    The length of an array is the number of its elements, that of an object the number of its members. Other
    values have the length None. With an argument, the result is that of Jayway, which appends a wildcard to
    the path: `length($.a)` evaluates `$.a[*]`, which finds all children of a. There are two cases:

    - `$.a` is definite (it finds at most one value). Then Jayway takes `$.a[*]` as definite, too, and uses
      only the last value found, the last child of a. If this child is an array, its length is returned.
      Otherwise the argument is ignored.
    - `$..a` is not definite. Then the number of all found children is returned.
    """
    if token.arguments:
        path = token.arguments[0]
        if not isinstance(path, Path):
            raise JsonError("length() takes a path")
        if path.steps and not path.is_function:
            path = Path(path.root, (*path.steps, WildcardToken()), path.definite)
        inner = path.evaluate(value, value, suppress)
        if isinstance(inner, list):
            return len(inner)
    return len(value) if isinstance(value, (list, dict)) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Decimal, float)) and not isinstance(value, bool)


def _flat(arguments: Sequence[Any]) -> Iterator[Any]:
    for argument in arguments:
        yield from argument if isinstance(argument, list) else [argument]


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _of_numbers(reduce: Callable[[list[float]], float]) -> Function:
    """Return a function of the numbers in an array and in the arguments, as doubles."""

    def function(value: Any, arguments: Sequence[Any]) -> Any:
        values = value if isinstance(value, list) else []
        numbers = [_double(each) for each in (*values, *_flat(arguments)) if _is_number(each)]
        if not numbers:
            raise JsonError(_NOTHING)
        return reduce(numbers)

    return function


def _sum(numbers: list[float]) -> float:
    total = 0.0
    # Plain additions give Java's result. sum() of Python 3.12 compensates rounding errors.
    for number in numbers:
        total += number
    return total


def _deviation(numbers: list[float]) -> float:
    count, total = float(len(numbers)), _sum(numbers)
    square = _sum([n * n for n in numbers]) / count - total * total / count / count
    return math.sqrt(square) if square >= 0 else math.nan


def _concatenated(value: Any, arguments: Sequence[Any]) -> Any:
    parts = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    parts += [java_text(each) for each in _flat(arguments) if each is not None]
    return "".join(parts)


def _at(value: Any, index: int) -> Any:
    """Return the element of an array at `index`. Negative indexes count from the end.

    Raises:
        JsonError: The value is no array, or the index is outside the array. As in Jayway, a negative index
            that leads to the first element is outside, too.
    """
    if not isinstance(value, list):
        raise JsonError(_NOTHING)
    if index < 0 and index + len(value) <= 0:
        raise JsonError(f"Target index:{index} larger than object count:{len(value)}")
    if index >= len(value):
        raise JsonError(f"Index: {index}, Size: {len(value)}")
    return value[index]


def _index(value: Any, arguments: Sequence[Any]) -> Any:
    if not isinstance(value, list):
        raise JsonError(_NOTHING)
    numbers = [each for each in _flat(arguments) if _is_number(each)]
    if not numbers:
        raise JsonError("index() takes a number")
    return _at(value, int(numbers[0]))


def _appended(value: Any, arguments: Sequence[Any]) -> Any:
    return [*value, *arguments] if isinstance(value, list) else value


_FUNCTIONS: dict[str, Function] = {
    "avg": _of_numbers(lambda numbers: _sum(numbers) / len(numbers)),
    "stddev": _of_numbers(_deviation),
    "sum": _of_numbers(_sum),
    "min": _of_numbers(lambda numbers: min([1.7976931348623157e308, *numbers])),
    # Jayway's maximum starts with Double.MIN_VALUE, the least positive double. So max() of negative numbers
    # is 4.9E-324.
    "max": _of_numbers(lambda numbers: max([5e-324, *numbers])),
    "concat": _concatenated,
    "append": _appended,
    "keys": lambda value, arguments: KeySet(value) if isinstance(value, dict) else None,
    "first": lambda value, arguments: _at(value, 0),
    "last": lambda value, arguments: _at(value, -1),
    "index": _index,
}
