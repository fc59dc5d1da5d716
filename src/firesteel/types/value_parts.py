"""Which parts of a nested value are looked at. A part is the steps that lead there: a ROW's field and a MAP's
key by name, an ARRAY's element, whichever it is, as None. `tags['state']` is ("state",), `items[1].cnt` is
(None, "cnt"), the whole value ()."""

from __future__ import annotations

Part = tuple[str | None, ...]
Parts = tuple[Part, ...]
WHOLE: Parts = ((),)

Path = tuple[str | int, ...]
"""The steps to a value: a ROW's field or a MAP's key by name, an ARRAY's element by its place from 1 on."""


def below(parts: Parts, step: str | None) -> Parts:
    """The parts of what a step leads to; its whole where nothing says what of it is looked at."""
    if () in parts:
        return WHOLE
    return tuple(part[1:] for part in parts if part[0] == step) or WHOLE


def is_read(parts: Parts, step: str) -> bool:
    """Whether something of what a step leads to is looked at."""
    return any(not part or part[0] == step for part in parts)


def keys_of(parts: Parts) -> tuple[str, ...] | None:
    """The keys of a MAP that are looked at; None where they may be any."""
    if () in parts:
        return None
    return tuple(dict.fromkeys(part[0] for part in parts if part[0] is not None)) or None
