"""Plan a join that equates window_start and window_end as a window join, which joins each window at its end.

    a JOIN b ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end

Flink: StreamPhysicalWindowJoinRule. A join by only one of these columns, or by windows that differ, is a
regular join.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Literal
from firesteel.plan.expressions.operations import conjunction
from firesteel.plan.nodes.join.equal_windows import JoinedWindows
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.tree import Node
from firesteel.types.sql import BOOLEAN


def window_join(node: Join, windows: JoinedWindows, inputs: tuple[Node, Node]) -> WindowJoin:
    """Return the physical node of a window join.

    Args:
        node: The join.
        windows: Windows of both inputs.
        inputs: The physical nodes of its inputs.

    Raises:
        ValidationError: The windows are those of processing time.
    """
    if not windows.left.is_rowtime:
        raise ValidationError(
            "Processing time Window Join is not supported yet.",
            hint="base the windows on event time: a column with a WATERMARK",
        )
    rest = conjunction(windows.rest)
    condition = Literal(True, BOOLEAN.with_nullable(False)) if rest is None else rest
    join = WindowJoin(inputs, node.join_type, condition, windows.windowings, node.hints)
    equal = join.equal_columns
    return replace(join, inputs=(Exchange(inputs[0], equal.left), Exchange(inputs[1], equal.right)))
