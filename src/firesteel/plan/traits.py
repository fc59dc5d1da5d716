"""Facts about physical nodes: which columns are unique in the changes that they emit.

Flink: FlinkRelMdUpsertKeys, FlinkRelMdUniqueKeys, FlinkRelMdModifiedMonotonicity.
"""

from __future__ import annotations

from firesteel.catalog.schema import Table
from firesteel.expr.deep import remembered
from firesteel.expr.nodes import Call, Expr, InputRef
from firesteel.plan import logical, physical
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate, WindowTableFunction
from firesteel.plan.tree import Node

Keys = frozenset[frozenset[int]]
"""Sets of column positions, each of which is a key."""

NO_KEYS: Keys = frozenset()

_WITHOUT_KEYS = (
    physical.Union,
    logical.Union,
    physical.Values,
    logical.Values,
    physical.Expand,
    logical.WindowTableFunction,
    WindowTableFunction,
)
"""A row may come several times out of these."""


@remembered
def upsert_keys(node: Node) -> Keys:
    """The column sets by which an update or delete names the row that it changes."""
    if isinstance(node, physical.TableSourceScan):
        return _source_key(node.table, [f.name for f in node.columns])
    if isinstance(node, logical.Scan):
        return _source_key(node.table, [f.name for f in node.schema])
    if isinstance(node, logical.Aggregate) and node.groups:
        return NO_KEYS
    if isinstance(node, (physical.GroupAggregate, logical.Aggregate)):
        return frozenset({frozenset(range(len(node.keys)))})
    if isinstance(node, physical.ChangelogNormalize):
        return frozenset({frozenset(node.keys)})
    if isinstance(node, (physical.Calc, logical.Project)):
        return _through_projection(upsert_keys(node.input), node.exprs)
    if isinstance(node, physical.Exchange):
        return frozenset(key for key in upsert_keys(node.input) if set(node.keys) <= key)
    if isinstance(node, WindowAggregate):
        return _window_key(node)
    if isinstance(node, GroupWindowAggregate):
        return _group_window_keys(node)
    if isinstance(node, _WITHOUT_KEYS):
        return NO_KEYS
    return upsert_keys(node.children[0])


def _window_key(node: WindowAggregate) -> Keys:
    """The group and its window's borders."""
    first = len(node.schema) - len(node.properties)
    return frozenset({frozenset([*range(len(node.keys)), first, first + 1])})


def _group_window_keys(node: GroupWindowAggregate) -> Keys:
    """The group with either border of its window; none where the query reads no border."""
    keys = frozenset(range(len(node.keys)))
    first = len(node.schema) - len(node.properties)
    return frozenset(keys | {first + i} for i in range(min(2, len(node.properties))))


@remembered
def unique_keys(node: Node) -> Keys:
    """The column sets of which no two rows of the result share a value; exchanges do not matter."""
    if isinstance(node, physical.Exchange):
        return unique_keys(node.input)
    if isinstance(node, (physical.Calc, logical.Project)):
        return _through_projection(unique_keys(node.input), node.exprs)
    if isinstance(node, logical.Aggregate) and node.groups:
        return NO_KEYS
    if isinstance(node, (physical.GroupAggregate, logical.Aggregate)):
        groups = frozenset(range(len(node.keys)))
        return frozenset({groups}) if groups else NO_KEYS
    if isinstance(node, logical.Filter):
        return unique_keys(node.input)
    return upsert_keys(node)


def _source_key(table: Table, names: list[str]) -> Keys:
    if not table.primary_key or not set(table.primary_key) <= set(names):
        return NO_KEYS
    return frozenset({frozenset(names.index(name) for name in table.primary_key)})


def _through_projection(keys: Keys, exprs: tuple[Expr, ...]) -> Keys:
    """Keys of the output: those whose every column comes out as it is, under each of its positions."""
    positions: dict[int, list[int]] = {}
    for out, expr in enumerate(exprs):
        column = _carried(expr)
        if column is not None:
            positions.setdefault(column, []).append(out)
    found: set[frozenset[int]] = set()
    for key in keys:
        combined: list[frozenset[int]] = [frozenset()]
        for column in key:
            combined = [k | {p} for k in combined for p in positions.get(column, [])]
        found.update(combined)
    return frozenset(found)


def _carried(expr: Expr) -> int | None:
    """The column that an expression hands on with its values kept apart: a column, or one widened."""
    if isinstance(expr, InputRef):
        return expr.index
    if isinstance(expr, Call) and expr.function == "CAST" and isinstance(expr.args[0], InputRef):
        return expr.args[0].index if is_injective_cast(expr) else None
    return None


def is_injective_cast(cast: Call) -> bool:
    """Whether different values stay different: to the same type, a wider integer, or a string."""
    source, target = cast.args[0].type, cast.type
    if source.same_as(target):
        return True
    if source.is_integer and target.is_integer:
        order = ("TINYINT", "SMALLINT", "INT", "BIGINT")
        return order.index(target.root.value) >= order.index(source.root.value)
    if source.is_character and target.is_character:
        return (target.length or 0) >= (source.length or 0)
    return False
