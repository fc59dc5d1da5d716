"""Parts of nested values that a query reads.

A part is the path from the value to it: a ROW's field or a MAP's key by name, None for any element of an
ARRAY. The path of `tags['state']` is ("state",), that of `items[1].cnt` is (None, "cnt"), that of the whole
value is ().
"""

from __future__ import annotations

Part = tuple[str | None, ...]
Parts = tuple[Part, ...]
WHOLE: Parts = ((),)

Path = tuple[str | int, ...]
"""Steps to a single value: a ROW's field or a MAP's key by name, an ARRAY's element by its position from 1.
"""


def below(parts: Parts, step: str | None) -> Parts:
    """Return the parts that are read of the inner value at `step`, as paths from that inner value.

    With the parts ("a", "b") and ("c",) of a ROW:

        step "a"   (("b",),)
        step "c"   ((),), which is WHOLE: the whole inner value is read
        step "d"   WHOLE, although nothing of the inner value is read: if it is decoded, then as a whole
    """
    if () in parts:
        return WHOLE
    return tuple(part[1:] for part in parts if part[0] == step) or WHOLE


def is_read(parts: Parts, step: str) -> bool:
    """Return whether the field or key `step`, or a part of its value, is read."""
    return any(not part or part[0] == step for part in parts)


def keys_of(parts: Parts) -> tuple[str, ...] | None:
    """Return the keys of a MAP that are read, or None if all may be read."""
    if () in parts:
        return None
    return tuple(dict.fromkeys(part[0] for part in parts if part[0] is not None)) or None
