"""Recursive functions over trees of any depth. `a + b + ...` is as deep as it is long, as is a UNION ALL.

Python's stack holds a few hundred levels. So a function decorated with `from_below` stops after STEP levels.
It first computes and stores its results for some deeper parts of the tree (`milestones`), the deepest first.
These parts are so close that each computation meets the next stored results within about STEP levels.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

STEP = 20
"""Levels that a recursion may descend before results of deeper parts are computed."""

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Pause Python's cyclic garbage collector.

    The trees of a plan have no cycles, and the collector would traverse them again and again while they grow.
    """
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()


def depth_of(tree: Any) -> int:
    """Return the number of levels below a tree's root: 0 for a column, a literal or a plan's scan."""
    depth: int = getattr(tree, "depth", 0)
    return depth


def parts_of(tree: Any) -> tuple[Any, ...]:
    """Return the arguments of a call, or the inputs of a plan node."""
    parts = getattr(tree, "args", None)
    return getattr(tree, "children", ()) if parts is None else parts


def milestones(tree: Any) -> list[Any]:
    """Return parts of the tree, the lowest first, that divide it into pieces of about STEP levels.

    On each way down from the root to a leaf, such a part comes about every STEP levels.
    """
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
    """State of a running recursion, for each thread.

    Attributes:
        level: Number of nested calls that are running. The count starts with the outermost call. While the
            result of a milestone is computed, it starts with the call for this milestone.
        known: (arguments, result) of each milestone, by the ids of the arguments. The arguments are kept so
            that no other object gets their ids. None while no call runs.
    """

    level = 0
    known: dict[tuple[int, ...], tuple[Any, Any]] | None = None


def from_below(function: F) -> F:
    """Decorate `function(tree, *more)`, which calls itself for parts of the tree, to support any depth.

    The results for `milestones` are stored by the ids of `tree` and of each value of `more`. So recursive
    calls should pass on the same objects as `more`: for others, stored results are not found.
    """
    progress = _Progress()

    @wraps(function)
    def guarded(tree: Any, *more: Any) -> Any:
        if getattr(tree, "depth", 0) < STEP:  # A tree of so few levels is no milestone: nothing to look up.
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
    """Decorate `function(tree)` like `from_below`, and cache the result in the tree, which is immutable."""
    name = f"_{function.__module__}.{function.__qualname__}"
    derive = from_below(function)

    @wraps(function)
    def found(tree: Any) -> Any:
        answers = tree.__dict__
        if name not in answers:
            answers[name] = derive(tree)
        return answers[name]

    return cast("F", found)
