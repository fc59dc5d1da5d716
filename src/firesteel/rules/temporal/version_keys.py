"""Check that a temporal join equates all columns of its versions' key, and name the key in the condition.

Flink: TemporalJoinRewriteWithUniqueKeyRule, EventTimeTemporalJoinRewriteRule. The rule runs after all rules
that change the inputs. Only then is it known which columns the versions still have: one of those rules may
have dropped a column of the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.operations import conjunction, conjuncts
from firesteel.plan.metadata import upsert_keys
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import TemporalCondition, temporal_call
from firesteel.plan.nodes.logical import Filter, Project, Scan, WatermarkAssigner
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.tree import Node
from firesteel.rules.temporal.place import place_of_versions


def version_keys(node: Node) -> Node:
    """Add the key of the versions to the condition of a temporal join. Other nodes stay as they are.

    Raises:
        ValidationError: The versions have no key, or the condition does not equate all columns of the key
            with the left input. Or, in a join by row time, a filter is above the versioned table.
    """
    call = temporal_call(node.condition) if isinstance(node, Join) else None
    if not isinstance(node, Join) or call is None:
        return node
    condition = TemporalCondition.of(call)
    key = _key(node)
    if key is None:
        raise ValidationError(
            "Temporal Table Join requires primary key in versioned table, but no primary key can be found.",
            range=place_of_versions(node),
            hint="declare PRIMARY KEY (...) NOT ENFORCED and hold its columns equal in ON, or read a view "
            "with ROW_NUMBER() OVER (PARTITION BY its key ORDER BY its row time DESC) = 1",
        )
    _check_equal(node, key)
    if condition.right_time is not None and _filters_table(node.inputs[1]):
        raise ValidationError(
            "Filter is not allowed for right changelog input of event time temporal join, it will corrupt "
            "the versioning of data. Please consider removing the filter before joining.",
            range=place_of_versions(node),
            hint="write the filter into ON",
        )
    width = node.left_width
    columns = tuple(InputRef(width + i, node.inputs[1].schema[i].type) for i in key)
    found: list[Expr] = [term for term in conjuncts(node.condition) if term is not call]
    found.append(replace(condition, primary_key=columns).call())
    whole = conjunction(found)
    assert whole is not None
    return replace(node, condition=simplify_condition(whole))


def _key(node: Join) -> tuple[int, ...] | None:
    """Return the shortest key of the versions, as positions in the right input. None if there is none."""
    keys = [tuple(sorted(key)) for key in upsert_keys(node.inputs[1]) if key]
    return min(keys, key=lambda key: (len(key), key), default=None)


def _check_equal(node: Join, key: Sequence[int]) -> None:
    equal = equal_columns(node.condition, node.left_width)
    if set(key) <= set(equal.right):
        return
    left, right = (side.schema for side in node.inputs)
    names = ",".join(node.schema[node.left_width + i].name for i in key)
    pairs = ",".join(f"{left[i].name}={right[j].name}" for i, j in zip(equal.left, equal.right, strict=True))
    raise ValidationError(
        f"Temporal table's primary key [{names}] must be included in the equivalence condition of temporal "
        f"join, but current temporal join condition is [{pairs}].",
        range=place_of_versions(node),
    )


def _filters_table(versions: Node) -> bool:
    """Return whether only filters and projections are above a table of versions, with at least one filter."""
    path = list(_path(versions))
    return isinstance(path[-1], Scan) and any(isinstance(part, Filter) for part in path)


def _path(node: Node) -> Iterator[Node]:
    yield node
    while isinstance(node, (Filter, Project, Snapshot, WatermarkAssigner)):
        node = node.input
        yield node
