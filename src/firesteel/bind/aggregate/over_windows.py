"""Binding of the window after OVER: a named one, one written in place, or one that extends a named one.

Calcite: SqlWindow.validate, SqlWindow.overlay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.bind.binder import Binder
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.functions.signatures.type_names import family_name
from firesteel.plan.expressions.operations import walk
from firesteel.plan.expressions.over import CURRENT_ROW, DEFAULT_LOWER, DEFAULT_UPPER, Bound, Direction, Frame
from firesteel.sql import syntax
from firesteel.sql.query_syntax import NamedWindow
from firesteel.types.sql import CHARACTER, TypeRoot

_CURRENT = syntax.FrameBound("CURRENT ROW")


def direction(item: syntax.OrderItem) -> Direction:
    """Return the direction of an item of ORDER BY. Without NULLS FIRST or LAST, NULL is the least value."""
    nulls_first = not item.descending if item.nulls_first is None else item.nulls_first
    return Direction(item.descending, nulls_first)


class OverWindows:
    """Windows that one SELECT may use after OVER: those of its WINDOW clause and those written in place.

    All windows of the WINDOW clause are checked, also unused ones: the constructor raises ValidationError.
    """

    def __init__(self, binder: Binder, named: Sequence[NamedWindow]) -> None:
        self._binder = binder
        self._named: dict[str, syntax.OverWindow] = {}
        for each in named:
            if each.name.name in self._named:
                raise ValidationError("Duplicate window names not allowed", range=each.name.range)
            self._named[each.name.name] = self._resolved(each.window)
        for window in self._named.values():
            self._frame(window)

    def frame(self, node: syntax.OverWindow | syntax.Identifier) -> tuple[Frame, bool]:
        """Return the frame of a window, and whether the query writes a frame."""
        window = self._find(node) if isinstance(node, syntax.Identifier) else self._resolved(node)
        return self._frame(window), window.unit is not None

    def _find(self, name: syntax.Identifier) -> syntax.OverWindow:
        if name.name not in self._named:
            raise ValidationError(f"Window '{name.name}' not found", range=name.range)
        return self._named[name.name]

    def _resolved(self, window: syntax.OverWindow) -> syntax.OverWindow:
        """Return a window with the clauses of the named window that it refers to, if it refers to one.

        If such a window also has a frame, the frame becomes UNBOUNDED PRECEDING to CURRENT ROW. The bounds
        that the query writes are ignored, as in Calcite:

            OVER (w ROWS 5 PRECEDING)   ->   the clauses of w, ROWS UNBOUNDED PRECEDING
        """
        if window.base is None:
            return window
        base = self._find(window.base)
        if window.partition:
            place = window.partition[0].range
            raise ValidationError("PARTITION BY not allowed with existing window reference", range=place)
        if base.order and window.order:
            place = window.order[0].range
            raise ValidationError("ORDER BY not allowed in both base and referenced windows", range=place)
        if base.unit is not None:
            raise ValidationError(
                "Referenced window cannot have framing declarations", range=window.base.range
            )
        begin = None if window.unit is None else syntax.FrameBound("PRECEDING")
        return replace(
            window, base=None, partition=base.partition, order=window.order or base.order, lower=begin,
            upper=None,
        )  # fmt: skip

    def _frame(self, window: syntax.OverWindow) -> Frame:
        order = tuple(self._binder.bind_typed(item.value) for item in window.order)
        lower = DEFAULT_LOWER if window.lower is None else self._bound(window.lower, window, order)
        upper = DEFAULT_UPPER
        if window.lower is not None:
            upper = self._bound(window.upper or _CURRENT, window, order)
        if lower.side == "UNBOUNDED FOLLOWING" or upper.side == "UNBOUNDED PRECEDING":
            wrong, end = (lower, "lower") if lower.side == "UNBOUNDED FOLLOWING" else (upper, "upper")
            raise ValidationError(
                f"{wrong.side} cannot be specified for the {end} frame boundary", range=window.range
            )
        _check_order(lower, upper, window)
        return Frame(
            tuple(self._binder.bind_all(window.partition)), order,
            tuple(map(direction, window.order)), window.unit == "ROWS", lower, upper,
        )  # fmt: skip

    def _bound(self, node: syntax.FrameBound, window: syntax.OverWindow, order: Sequence[Expr]) -> Bound:
        if node.side == "CURRENT ROW":
            return DEFAULT_UPPER
        if node.size is None:
            return Bound(f"UNBOUNDED {node.side}")
        size = self._binder.bind(node.size)
        check = _check_rows if window.unit == "ROWS" else _check_range
        check(size, node, order)
        return Bound(node.side, size)


def _check_order(lower: Bound, upper: Bound, window: syntax.OverWindow) -> None:
    """Raise ValidationError if the upper bound of a frame is before the lower one.

    Calcite: SqlWindow.checkSpecialLiterals.
    """
    below = {CURRENT_ROW: ("PRECEDING",), "FOLLOWING": ("PRECEDING", CURRENT_ROW)}
    if upper.side in below.get(lower.side, ()):
        raise ValidationError(
            f"Upper frame boundary cannot be {upper.side} when lower boundary is {lower.side}",
            range=window.range,
        )


def _check_rows(size: Expr, node: syntax.FrameBound, order: Sequence[Expr]) -> None:
    if size.type.root is TypeRoot.NULL:
        raise ValidationError("Illegal use of 'NULL'", range=node.range)
    if size.type.root in (*CHARACTER, TypeRoot.BOOLEAN):
        raise ValidationError(
            f"{family_name(size.type)} type is not allowed for window boundary", range=node.range
        )
    _check_literal(size, node, size.type.is_integer or size.type.is_interval)
    if size.type.is_interval:
        raise NotSupportedError("OVER ROWS with an interval as its bound", range=node.range)
    if (
        not isinstance(size, Literal)
        or not isinstance(size.value, int)
        or not size.type.is_integer
        or size.value < 0
    ):
        raise ValidationError("ROWS value must be a non-negative integral constant", range=node.range)


def _check_range(size: Expr, node: syntax.FrameBound, order: Sequence[Expr]) -> None:
    if not order:
        raise ValidationError("Window specification must contain an ORDER BY clause", range=node.range)
    if size.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
        raise ValidationError("INTERVAL_YEAR_MONTH type is not allowed for window boundary", range=node.range)
    fits = order[0].type.is_datetime if size.type.is_interval else order[0].type.is_numeric
    _check_literal(size, node, fits)
    if not fits or not isinstance(size, Literal):
        raise ValidationError("Data Type mismatch between ORDER BY and RANGE clause", range=node.range)


def _check_literal(size: Expr, node: syntax.FrameBound, fits: bool) -> None:
    """Raise NotSupportedError if a frame bound is a constant expression, such as `1 + 1`, and no literal.

    Flink computes such a bound, and Firesteel does not.

    Args:
        size: The bound.
        node: The bound as written.
        fits: Whether Flink allows the type of the bound. If False, nothing is raised: the caller refuses the
            bound with Flink's message.
    """
    if fits and not isinstance(size, Literal) and not any(isinstance(part, InputRef) for part in walk(size)):
        raise NotSupportedError("OVER with a bound that is no literal", range=node.range)
