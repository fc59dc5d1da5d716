"""Operators of a JSON path's filter (json-path 2.9: EvaluatorFactory, ValueNodes).

Operands are str, Decimal (any number), bool, None, a compiled pattern, or UNDEFINED for a path without a
value. Lists, objects and tests of existence need a library that Flink does not ship (json-smart), and fail as
in Flink.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from firesteel.functions.json_path.document import scalar_text, utf16
from firesteel.functions.json_path.errors import InvalidPath, JsonError, PathNotFound, needs_json_smart
from firesteel.functions.json_path.tokens import Path, Predicate

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
"""Pattern of the texts that Java's BigDecimal can read."""


class _Undefined:
    """Value of a path that leads nowhere. It equals no value, not even itself."""


UNDEFINED = _Undefined()


@dataclass(frozen=True)
class PathOperand:
    """Path within a filter. `@` is the element under test, `$` the document."""

    path: Path

    def value(self, item: Any, root: Any, suppress: bool) -> Any:
        try:
            found = self.path.evaluate(root if self.path.root == "$" else item, root, suppress)
        except PathNotFound:
            return UNDEFINED
        if found is None or isinstance(found, (str, bool)):
            return found
        if isinstance(found, (list, dict)):
            raise needs_json_smart("A path to a list or an object")
        text = scalar_text(found)
        if not NUMBER.fullmatch(text):
            raise JsonError(f"Could not convert {text} to a ValueNode")
        return Decimal(text)


def exists() -> Predicate:
    """Return the predicate of a filter `@.a`, which tests whether a path has a value.

    As in Flink, the predicate always fails the job.
    """

    def predicate(item: Any, root: Any, suppress: bool) -> bool:
        raise needs_json_smart("A test of whether a path exists")

    return predicate


def compare(left: Any, operator: str, right: Any) -> Predicate:
    """Return the filter `left operator right`. Each side is a literal or a path."""
    test = OPERATORS[operator]

    def predicate(item: Any, root: Any, suppress: bool) -> bool:
        a = left.value(item, root, suppress) if isinstance(left, PathOperand) else left
        b = right.value(item, root, suppress) if isinstance(right, PathOperand) else right
        return test(a, b)

    return predicate


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, str):
        return a == (str(b) if isinstance(b, Decimal) else b) if isinstance(b, (str, Decimal)) else False
    if isinstance(a, Decimal):
        if isinstance(b, str):
            return NUMBER.fullmatch(b) is not None and a == Decimal(b)
        return isinstance(b, Decimal) and a == b
    return a is b and a is not UNDEFINED


def _same_kind(a: Any, b: Any) -> bool:
    return type(a) is type(b) and _equal(a, b)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(a: Any, b: Any) -> bool:
        if isinstance(a, Decimal) and isinstance(b, Decimal):
            return test(a, b)
        return isinstance(a, str) and isinstance(b, str) and test(utf16(a), utf16(b))

    return compared


def _size(a: Any, b: Any) -> bool:
    return isinstance(a, str) and isinstance(b, Decimal) and len(utf16(a)) // 2 == int(b)


def _empty(a: Any, b: Any) -> bool:
    if not isinstance(a, str):
        return False
    if not isinstance(b, bool):
        raise InvalidPath("Expected boolean node")
    return (a == "") == b


def _contains(a: Any, b: Any) -> bool:
    return isinstance(a, str) and isinstance(b, str) and b in a


def _matches(a: Any, b: Any) -> bool:
    """Return whether one operand is a pattern and the whole other operand matches it.

    The text of a string, number or boolean is matched; of other values, the empty text.
    """
    if isinstance(a, re.Pattern) == isinstance(b, re.Pattern):
        return False
    pattern, value = (a, b) if isinstance(a, re.Pattern) else (b, a)
    text = scalar_text(value) if isinstance(value, (str, Decimal, bool)) else ""
    return pattern.fullmatch(text) is not None


def _exists(a: Any, b: Any) -> bool:
    if not isinstance(a, bool) and not isinstance(b, bool):
        raise JsonError("Failed to evaluate exists expression")
    if not isinstance(a, bool) or not isinstance(b, bool):
        raise InvalidPath("Expected boolean node")
    return a == b


def _of_lists(a: Any, b: Any) -> bool:
    """Raise InvalidPath, as operators such as IN do without a list: here, no operand can be a list.

    FilterToken catches the error, and the element does not pass the filter.
    """
    raise InvalidPath("Expected value list node")


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": _equal,
    "!=": lambda a, b: not _equal(a, b),
    "===": _same_kind,
    "!==": lambda a, b: not _same_kind(a, b),
    "<": _ordered(lambda a, b: a < b),
    "<=": _ordered(lambda a, b: a <= b),
    ">": _ordered(lambda a, b: a > b),
    ">=": _ordered(lambda a, b: a >= b),
    "=~": _matches,
    "SIZE": _size,
    "EMPTY": _empty,
    "CONTAINS": _contains,
    "EXISTS": _exists,
    **dict.fromkeys(["IN", "NIN", "ALL", "SUBSETOF", "ANYOF", "NONEOF", "TYPE", "MATCHES"], _of_lists),
}
"""Tests of two values, by operator."""
