"""Construction of plan nodes, by those rules of Calcite's RelBuilder that change what EXPLAIN prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Values
from firesteel.plan.nodes.state_ttl import StateTtl
from firesteel.plan.tree import Field, Node, transform_up, unique_columns


def references(node: Node) -> tuple[Expr, ...]:
    """Return references to all columns of a node, in order."""
    return tuple(InputRef(i, field.type) for i, field in enumerate(node.schema))


def is_identity(exprs: Sequence[Expr], node: Node) -> bool:
    """Return whether the expressions are all columns of a node, in order."""
    return len(exprs) == len(node.schema) and all(
        isinstance(expr, InputRef) and expr.index == i for i, expr in enumerate(exprs)
    )


def unique_names(names: Sequence[str | None]) -> tuple[str, ...]:
    """Return unique names: `$fN` for None, and a number after duplicates (Calcite: uniquify)."""
    used: dict[str, None] = {}
    for name in names:
        attempt = 0
        unique = name
        while unique is None or unique in used:
            unique = f"{'$f' if name is None else name}{max(len(used), attempt)}"
            attempt += 1
        used[unique] = None
    return tuple(used)


def with_unique_names(root: Node) -> Node:
    """Return the tree with unique column names in every projection (g, g0, ...), and so in the result."""
    return transform_up(root, _unique)


def _unique(node: Node) -> Node:
    if not isinstance(node, Project) or len(set(node.names)) == len(node.names):
        return node
    return replace(node, names=unique_columns(node.names))


def is_always_true(condition: Expr) -> bool:
    """Return whether the form of a condition shows that it holds for every row (RexNode.isAlwaysTrue).

    Such conditions are TRUE, `a IS NOT NULL` of a NOT NULL column `a`, and NOT FALSE.
    """
    if isinstance(condition, Literal):
        return condition.value is True
    if not isinstance(condition, Call) or len(condition.args) != 1:
        return False
    (operand,) = condition.args
    if condition.function == "IS NOT NULL":
        return not operand.type.nullable
    if condition.function in ("NOT", "IS FALSE", "IS NOT TRUE"):
        return _is_always_false(operand)
    return condition.function in ("IS TRUE", "IS NOT FALSE") and is_always_true(operand)


def _is_always_false(condition: Expr) -> bool:
    if isinstance(condition, Literal):
        return condition.value is False
    if not isinstance(condition, Call) or len(condition.args) != 1:
        return False
    (operand,) = condition.args
    if condition.function == "IS NULL":
        return not operand.type.nullable
    if condition.function in ("NOT", "IS FALSE", "IS NOT TRUE"):
        return is_always_true(operand)
    return condition.function in ("IS TRUE", "IS NOT FALSE") and _is_always_false(operand)


@from_below
def has_unique(node: Node, columns: frozenset[int]) -> bool:
    """Return whether a GROUP BY ensures that no two rows of a node have equal values in all these columns.

    True if the node is an aggregate, or filters and projections above one, and the columns include all keys
    of the aggregate. False for any other node, even if its rows are unique.

    Args:
        node: The node.
        columns: Positions of the columns in the node.
    """
    if isinstance(node, Filter):
        return has_unique(node.input, columns)
    if isinstance(node, Project):
        kept = {e.index for i, e in enumerate(node.exprs) if i in columns and isinstance(e, InputRef)}
        return has_unique(node.input, frozenset(kept))
    return isinstance(node, Aggregate) and columns >= set(range(len(node.keys)))


def project(node: Node, exprs: Sequence[Expr], names: Sequence[str]) -> Node:
    """Return a projection of a node.

    A projection that keeps all columns in their order would only rename them, so no node is added: a
    projection or literal rows (Values) get the names, and any other node is returned with its old names.
    Calcite: RelBuilder.projectNamed.
    """
    if not is_identity(exprs, node):
        return Project(node, tuple(exprs), tuple(names))
    return rename(node, names)


def rename(node: Node, names: Sequence[str]) -> Node:
    """Return a projection or literal rows (Values) with new column names. Return any other node unchanged."""
    if isinstance(node, Project):
        return replace(node, names=tuple(names))
    if isinstance(node, Values):
        return replace(node, fields=renamed(node.fields, names))
    return node


def renamed(fields: Sequence[Field], names: Sequence[str]) -> tuple[Field, ...]:
    return tuple(replace(field, name=name) for field, name in zip(fields, names, strict=True))


def aggregate(
    node: Node,
    keys: Sequence[int],
    calls: Sequence[AggregateCall],
    groups: Sequence[tuple[int, ...]] = (),
    ttl: str = "",
) -> Node:
    """Return an aggregate. A projection right below it loses the columns that the aggregate does not read.

    Without calls and grouping sets, an aggregate only removes duplicate keys. If an aggregate below ensures
    that there are none (`has_unique`), return a projection to the keys instead.

    Args:
        node: The input.
        keys: Positions of the group columns in `node`.
        calls: Aggregate calls, with positions of columns in `node`.
        groups: Grouping sets, as positions in `node`. () if there is only the set of all keys.
        ttl: How long a key is kept, as written. "" for the default.
    """
    if not calls and keys and not groups and has_unique(node, frozenset(keys)):
        columns = references(node)
        return project(node, [columns[k] for k in keys], [node.schema[k].name for k in keys])
    used = sorted({*keys, *(i for call in calls for i in reads(call))})
    if not isinstance(node, Project) or not used or len(used) == len(node.exprs):
        return Aggregate(node, tuple(keys), tuple(calls), groups=tuple(groups), state_ttl=StateTtl(ttl))
    position = {old: new for new, old in enumerate(used)}
    pruned = Project(node.input, tuple(node.exprs[i] for i in used), tuple(node.names[i] for i in used))
    moved = tuple(
        replace(
            call,
            args=tuple(position[i] for i in call.args),
            filter=None if call.filter is None else position[call.filter],
        )
        for call in calls
    )
    sets = tuple(tuple(position[k] for k in group) for group in groups)
    return Aggregate(pruned, tuple(position[k] for k in keys), moved, groups=sets, state_ttl=StateTtl(ttl))


def reads(call: AggregateCall) -> tuple[int, ...]:
    """Return the positions of the columns that an aggregate call reads: arguments, then FILTER condition."""
    return call.args if call.filter is None else (*call.args, call.filter)
