"""Find results that do not equal themselves. Such a result is sent again with every row of its key.

Flink: EqualiserCodeGenerator, ScalarOperatorGens.generateEquals. These values do not equal themselves:

- NaN
- a ROW, if a field does not equal itself
- a MAP, if a value is NULL or does not equal itself
- the ARRAY of ARRAY_AGG, if an element is NULL, is a MAP, or does not equal itself

NULL equals NULL as a result and as a field of a ROW. Any other ARRAY, such as one that FIRST_VALUE passes
through, is compared by its bytes, so it equals itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import APPROXIMATE, SqlType, TypeRoot

Test = Callable[[Any], bool]
"""Function that returns whether a value equals itself. The value is in internal form, and not NULL."""


@lru_cache(maxsize=256)
def equals_itself(call: AggregateSpec) -> Test | None:
    """Return the function that tells whether a result of a call equals itself. None if all results do.

    The function also takes None (NULL), which equals itself.
    """
    if call.function == "ARRAY_AGG":
        test: Test | None = _array_test(call.type.children[0])
    else:
        test = _test(call.type)
    if test is None:
        return None
    return lambda value: value is None or test(value)


def _array_test(element: SqlType) -> Test:
    if element.root in (TypeRoot.MAP, TypeRoot.MULTISET):
        return lambda values: False
    return _none_null(_test(element))


def _test(kind: SqlType) -> Test | None:
    if kind.root in APPROXIMATE:
        return lambda value: bool(value == value)
    if kind.root is TypeRoot.MAP:
        values = _none_null(_test(kind.children[1]))
        return lambda value: values([each for _, each in value])
    if kind.root is TypeRoot.ROW:
        tests = [(i, test) for i, child in enumerate(kind.children) if (test := _test(child))]
        return (lambda value: all(value[i] is None or t(value[i]) for i, t in tests)) if tests else None
    return None


def _none_null(element: Test | None) -> Test:
    if element is None:
        return lambda values: None not in values
    return lambda values: all(value is not None and element(value) for value in values)
