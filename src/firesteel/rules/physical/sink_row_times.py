"""Check that a sink gets one row time at most: it would be the timestamp of the rows that the sink writes.

Flink: CommonExecSink.createSinkTransformation.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.plan.metadata import event_times
from firesteel.plan.nodes.physical import Sink
from firesteel.plan.tree import Node


def check_sink_row_times(node: Node) -> Node:
    """Check the row times of a sink's input, and return the node.

    Raises:
        ValidationError: The node is a sink, and several columns of its input are row times.
    """
    if not isinstance(node, Sink):
        return node
    times = sorted(event_times(node.input))
    if len(times) > 1:
        names = ", ".join(node.input.schema[i].name for i in times)
        raise ValidationError(
            f"The query contains more than one rowtime attribute column [{names}] for writing into table "
            f"'{'.'.join(node.table.path)}'.",
            hint="keep the one that is the event time, and CAST the others to TIMESTAMP(3)",
        )
    return node
