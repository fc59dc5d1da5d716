"""Recursive functions over trees of any depth: `a + b + ...` is as deep as it is long, so is a UNION ALL.

Python's stack holds a few hundred levels. A function under `from_below` that has gone down some levels first
answers for parts of what is still below it, the deepest first, and remembers these answers: from there no
recursion goes further than to the next part that has its answer.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

STEP = 20
"""Levels that a recursion goes down by itself."""

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Python's collector of circles rests: a plan's trees hold none, and it would walk all of them again and
    again while they grow."""
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()


def depth_of(tree: Any) -> int:
    """Levels below the tree's root: 0 for a column, a literal, a plan's scan."""
    depth: int = getattr(tree, "depth", 0)
    return depth


def parts_of(tree: Any) -> tuple[Any, ...]:
    """The arguments of a call, the inputs of a plan's node."""
    parts = getattr(tree, "args", None)
    return getattr(tree, "children", ()) if parts is None else parts


def milestones(tree: Any) -> list[Any]:
    """Parts of the tree, the deepest ones first; from each of them and from the root it is at most STEP
    levels down to the next, or to the leaves."""
    found: list[Any] = []
    pending = [tree]
    while pending:
        tree = pending.pop()
        band = depth_of(tree) // STEP
        for part in parts_of(tree):
            depth = depth_of(part)
            if depth >= STEP:
                pending.append(part)
                if depth // STEP < band:
                    found.append(part)
    found.sort(key=depth_of)
    return found


class _Progress(threading.local):
    """level: calls since the outermost one, or since the last milestone. known: the answers so far, each
    with what was asked, which must stay alive for its identity to be its own."""

    level = 0
    known: dict[tuple[int, ...], tuple[Any, Any]] | None = None


def from_below(function: F) -> F:
    """Decorates `function(tree, *more)` that calls itself for the parts of the tree, with the same `more`
    mostly. The values of `more` are told apart by identity."""
    progress = _Progress()

    @wraps(function)
    def guarded(tree: Any, *more: Any) -> Any:
        if getattr(tree, "depth", 0) < STEP:  # most parts, and no milestone
            return function(tree, *more)
        known = progress.known
        if known is not None:
            answer = known.get((id(tree), *map(id, more)))
            if answer is not None:
                return answer[1]
        level = progress.level
        if level == 0 and known is None:
            progress.known = {}
        progress.level = level + 1
        try:
            if level >= STEP:
                _prepare(tree, more)
            return function(tree, *more)
        finally:
            progress.level = level
            if level == 0 and known is None:
                progress.known = None

    def _prepare(tree: Any, more: tuple[Any, ...]) -> None:
        known = progress.known
        assert known is not None
        for part in milestones(tree):
            key = (id(part), *map(id, more))
            if key not in known:
                progress.level = 0
                known[key] = ((part, more), function(part, *more))
        progress.level = 0

    return cast("F", guarded)


def remembered(function: F) -> F:
    """Decorates `function(tree)`: the answer stays with the tree, which is frozen; from_below is in it."""
    name = f"_{function.__module__}.{function.__qualname__}"
    derive = from_below(function)

    @wraps(function)
    def found(tree: Any) -> Any:
        answers = tree.__dict__
        if name not in answers:
            answers[name] = derive(tree)
        return answers[name]

    return cast("F", found)
