"""Parts of nested values that a query reads.

A part is the sequence of steps from the value to it. A ROW's field and a MAP's key are steps by name; None
is any element of an ARRAY. `tags['state']` is ("state",), `items[1].cnt` is (None, "cnt"), the whole value
().
"""

from __future__ import annotations

Part = tuple[str | None, ...]
Parts = tuple[Part, ...]
WHOLE: Parts = ((),)

Path = tuple[str | int, ...]
"""Steps to a single value: a ROW's field or a MAP's key by name, an ARRAY's element by its position from 1.
"""


def below(parts: Parts, step: str | None) -> Parts:
    """Return the parts that are read of the value behind a step; WHOLE if unknown."""
    if () in parts:
        return WHOLE
    return tuple(part[1:] for part in parts if part[0] == step) or WHOLE


def is_read(parts: Parts, step: str) -> bool:
    """Return whether anything behind a step is read."""
    return any(not part or part[0] == step for part in parts)


def keys_of(parts: Parts) -> tuple[str, ...] | None:
    """Return the keys of a MAP that are read, or None if all may be read."""
    if () in parts:
        return None
    return tuple(dict.fromkeys(part[0] for part in parts if part[0] is not None)) or None
