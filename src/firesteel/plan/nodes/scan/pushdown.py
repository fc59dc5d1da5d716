"""Column pruning and filter push-down of the ends of a plan: scans, literal rows and sinks.

Flink: PushProjectIntoTableSourceScanRule. rules/pushdown/push_filter_into_scan.py copies filters into a scan.
They also stay above the scan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.plan.expressions.operations import input_refs, renumber
from firesteel.plan.nodes import logical
from firesteel.plan.properties.column_pruning import (
    Positions,
    ProjectionPlace,
    Pruned,
    column_pruning,
    keeps_all_columns,
    positions_of,
    projection_place,
    unpruned,
)
from firesteel.plan.properties.filter_pushdown import lets_no_filter_pass
from firesteel.plan.tree import Node

_ENDS = (logical.Scan, logical.Values, logical.Sink)

keeps_all_columns(logical.Values, logical.Sink)
projection_place.always(ProjectionPlace.ABOVE, *_ENDS)
lets_no_filter_pass(*_ENDS)


@column_pruning.of(logical.Scan)
def _pruned(scan: logical.Scan, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return a scan of only the wanted columns: physical ones in the order of `wanted`, then metadata.

    Behind the wanted physical columns, the scan also reads the primary key if its changes are normalized by
    the key, and the columns of its pushed conditions. It stays as it is if its source reads whole rows.
    """
    key = scan.primary_key if scan.normalized else ()
    asked = (i for e in scan.filter for i in input_refs(e))
    columns = list(dict.fromkeys([*wanted, *key, *asked])) or [0]
    physical = sum(column.metadata is None for column in logical.scanned_columns(scan.table))
    columns.sort(key=lambda i: max(i - physical, -1))  # metadata last, in the source's order
    if len(columns) == len(scan.schema) or not takes_projection(scan):
        return unpruned(scan)
    position = positions_of(columns)
    pushed = tuple(renumber(e, position) for e in scan.filter)
    narrowed = replace(scan, project=tuple(columns), filter=pushed)

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        return narrowed, position

    return Pruned((), over)


def takes_projection(node: Node) -> bool:
    """Return whether a node can leave out columns: any node but a scan of a source that reads whole rows."""
    traits = node.table.traits if isinstance(node, logical.Scan) else None
    return traits is None or traits.pushes_projection
