"""Comparison of the lines that EXPLAIN prints for an operator: the parts that only the new line has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_NAMED = re.compile(r"(\w+)=(?=\[)")
_FREE = "changelogMode"
"""Attribute that is not compared, because it follows from the rest of a plan."""
_ALIAS = re.compile(r" AS \S+$")


def added_parts(before: str, after: str) -> tuple[str, ...]:
    """Return the parts that only the new operator has; () if the old one has a part that the new one lacks.

    An operator that selects a and b is extended by c if it selects a, b and c. The order does not matter.

    Args:
        before: Line of the old operator.
        after: Line of the new operator.
    """
    old, new = Counter(_parts(before)), Counter(_parts(after))
    return () if old - new else tuple((new - old).elements())


def _parts(line: str) -> Iterator[str]:
    """Yield the parts of an operator's line: `select a` and `select b` of `Calc(select=[a, b AS c])`."""
    start = line.find("(") + 1
    yield from _flat("", line[start:-1])


def _flat(name: str, text: str) -> Iterator[str]:
    for item in _items(text):
        match = _NAMED.match(item)
        list_name, rest = (match[1], item[match.end() :]) if match else (name, item)
        if list_name == _FREE:
            continue
        if rest.startswith("[") and rest.endswith("]"):
            yield from _flat(list_name, rest[1:-1])
        else:
            yield f"{name} {_ALIAS.sub('', item)}".strip()


def _items(text: str) -> Iterator[str]:
    """Yield the items between the commas that are outside of brackets and quotes."""
    depth, start, is_quoted = 0, 0, False
    for at, sign in enumerate(text):
        if sign == "'":
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()
