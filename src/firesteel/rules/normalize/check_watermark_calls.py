"""Refuse CURRENT_WATERMARK of anything but a row time (Flink: CurrentWatermarkInputTypeStrategy)."""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call
from firesteel.plan.expressions.operations import walk
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes.physical import Calc
from firesteel.plan.properties.time_attributes import is_time
from firesteel.plan.tree import Node


def check_watermark_calls(node: Node) -> Node:
    """Check the CURRENT_WATERMARK calls of one node, and return the node.

    Call it before time attributes are converted to plain timestamps: afterwards, no argument is a row time.

    Raises:
        ValidationError: The argument is no row time.
    """
    if isinstance(node, Calc):
        exprs = (*node.exprs, *([] if node.condition is None else [node.condition]))
        calls = [e for expr in exprs for e in walk(expr) if isinstance(e, Call)]
        for call in (call for call in calls if call.function == "CURRENT_WATERMARK"):
            _check(call, node)
    return node


def _check(call: Call, calc: Calc) -> None:
    (time,) = call.args
    if is_time(time, event_times(calc.input), rowtime=True):
        return
    mark = " *PROCTIME*" if is_time(time, processing_times(calc.input), rowtime=False) else ""
    raise ValidationError(
        f"The argument of CURRENT_WATERMARK() must be a rowtime attribute, but was '{time.type}{mark}'.",
        range=call.range,
        hint="the table needs a WATERMARK for the column; behind an aggregate or a join it is none any more",
    )
