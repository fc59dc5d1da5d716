"""Text of OVER windows in plans.

Calcite: RexOver.computeDigest, RexWindow.appendDigest; Flink: RelExplainUtil.windowRangeToString,
overAggregationToString.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.over import DEFAULT_LOWER, DEFAULT_UPPER, UNFRAMED, Bound, Frame, Over

ExpressionText = Callable[[Expr], str]


def over_text(over: Over, text: ExpressionText) -> str:
    """Return the text of a window.

    Example: `MAX($3) OVER (PARTITION BY $0 ORDER BY $6 NULLS FIRST ROWS 2 PRECEDING)`.
    """
    operands = ", ".join(map(text, over.operands))
    distinct = "DISTINCT " if over.distinct else ""
    frame = over.frame
    words = []
    if frame.partition:
        words.append(f"PARTITION BY {', '.join(map(text, frame.partition))}")
    if frame.order:
        keys = [text(e) + d.over_text for e, d in zip(frame.order, frame.directions, strict=True)]
        words.append(f"ORDER BY {', '.join(keys)}")
    if over.function not in UNFRAMED:
        words += _frame_words(frame, text)
    return f"{over.function}({distinct}{operands}) OVER ({' '.join(words)})"


def _frame_words(frame: Frame, text: ExpressionText) -> list[str]:
    """Return the frame clause of an OVER window, as a list of one text: `["ROWS 2 PRECEDING"]`.

    The list is empty for the default frame, RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.
    """
    unit = "ROWS" if frame.rows else "RANGE"
    if frame.upper != DEFAULT_UPPER:
        return [f"{unit} BETWEEN {_bound(frame.lower, text)} AND {_bound(frame.upper, text)}"]
    if not frame.rows and frame.lower == DEFAULT_LOWER:
        return []
    return [f"{unit} {_bound(frame.lower, text)}"]


def _bound(bound: Bound, text: ExpressionText) -> str:
    return bound.side if bound.offset is None else f"{text(bound.offset)} {bound.side}"


def sort_text(keys: Sequence[str], descending: Sequence[bool]) -> str:
    """Return sort keys as physical plans print them: `ts ASC, cost DESC`."""
    return ", ".join(f"{k} {'DESC' if down else 'ASC'}" for k, down in zip(keys, descending, strict=True))
