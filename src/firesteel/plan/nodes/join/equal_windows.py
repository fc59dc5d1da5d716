"""Recognition of window joins: joins of the rows of equal windows (Flink: WindowJoinUtil)."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import conjuncts
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.not_distinct import collapsed
from firesteel.plan.properties.window_properties import WindowProperties, window_properties
from firesteel.plan.windowing import Windowing


@dataclass(frozen=True)
class JoinedWindows:
    """Windows of both inputs of a join that joins only rows of equal windows.

    Attributes:
        left: Window columns of the left input, all of them. A row with NULL as window_start or window_end is
            in no window, and has no partner.
        right: Window columns of the right input.
        windowings: For the left and the right input the window function, with the window_start column and
            the window_end column that the join condition compares.
        rest: Terms of the condition that do not compare windows: first equalities of columns, then others.
    """

    left: WindowProperties
    right: WindowProperties
    windowings: tuple[Windowing, Windowing]
    rest: tuple[Expr, ...]


def joined_windows(node: Join) -> JoinedWindows | None:
    """Return the windows that a join compares, None unless it compares window_start and window_end.

    Both inputs must have windows of one function, with the same lengths and offset, over the same type of
    time. For SESSION, the PARTITION BY columns must have the same positions in both inputs.
    """
    left, right = map(window_properties, node.inputs)
    if left is None or right is None or not _are_alike(left, right):
        return None
    starts: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    keys: list[Expr] = []
    rest: list[Expr] = []
    for written in conjuncts(node.condition):
        term = collapsed(written)
        equal = equal_columns(term, node.left_width)
        if equal.rest:
            rest.append(written)
            continue
        one, other = equal.left[0], equal.right[0]
        # With IS NOT DISTINCT FROM, two rows outside of windows (window_start is NULL) are partners. A window
        # join never joins such rows. So the term is not a comparison of windows, but goes into `rest`.
        if equal.null_safe[0] and (one in left.padded or other in right.padded):
            keys.append(term)
        elif one in left.starts and other in right.starts:
            starts.append((one, other))
        elif one in left.ends and other in right.ends:
            ends.append((one, other))
        else:
            keys.append(term)
    if not starts or not ends:
        return None
    windowings = (
        _windowing(left, starts[0][0], ends[0][0]),
        _windowing(right, starts[0][1], ends[0][1]),
    )
    return JoinedWindows(left, right, windowings, (*keys, *rest))


def _are_alike(left: WindowProperties, right: WindowProperties) -> bool:
    same_time = left.time_type.same_as(right.time_type) and left.is_rowtime is right.is_rowtime
    return same_time and left.window == right.window


def _windowing(properties: WindowProperties, start: int, end: int) -> Windowing:
    by = (("win_start", start), ("win_end", end))
    return Windowing(properties.window, by, properties.time_type, properties.is_rowtime)
