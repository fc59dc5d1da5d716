"""Keys of a node's output: columns that identify a row.

Flink: FlinkRelMdUpsertKeys, FlinkRelMdUniqueKeys.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.properties.property import NodeProperty

Keys = frozenset[frozenset[int]]
"""Set of keys. Each key is a set of column positions."""

NO_KEYS: Keys = frozenset()

upsert_keys: NodeProperty[Keys] = NodeProperty("upsert keys")
"""Keys by which an update or a delete identifies the row that it changes."""

unique_keys: NodeProperty[Keys] = NodeProperty("unique keys")
"""Keys of which no two rows of the result share a value.

An Exchange keeps all unique keys of its input. Of the upsert keys, it keeps only those that contain all
columns by which it sends rows to tasks.
"""


def key_of(*columns: int) -> Keys:
    """Return the key of these columns, as a set with one key."""
    return frozenset({frozenset(columns)})


def through_projection(keys: Keys, exprs: tuple[Expr, ...]) -> Keys:
    """Return the keys of a projection's output.

    A key remains if all its columns are projected unchanged, or by casts that keep different values
    different. A column that is projected twice gives two keys. If no column is projected in this way, no key
    remains, as in Flink: not even the empty key of a single row.
    """
    positions: dict[int, list[int]] = {}
    for out, expr in enumerate(exprs):
        column = _carried(expr)
        if column is not None:
            positions.setdefault(column, []).append(out)
    if not positions:
        return NO_KEYS
    found: set[frozenset[int]] = set()
    for key in keys:
        combined: list[frozenset[int]] = [frozenset()]
        for column in key:
            combined = [k | {p} for k in combined for p in positions.get(column, [])]
        found.update(combined)
    return frozenset(found)


def _carried(expr: Expr) -> int | None:
    """Return the column that an expression maps one to one: a bare column, or one with a widening cast."""
    if isinstance(expr, InputRef):
        return expr.index
    if isinstance(expr, Call) and expr.function == "CAST" and isinstance(expr.args[0], InputRef):
        return expr.args[0].index if _is_injective_cast(expr) else None
    return None


_LONGEST_TEXT = 30
"""Greatest number of characters that an integer or a time has as text.

A cast to a string of this length therefore keeps different values different.
"""


def _is_injective_cast(cast: Call) -> bool:
    """Return whether a cast keeps different values different: a wider integer, or a long enough string."""
    source, target = cast.args[0].type, cast.type
    if source.same_as(target):
        return True
    if source.is_integer and target.is_integer:
        order = ("TINYINT", "SMALLINT", "INT", "BIGINT")
        return order.index(target.root.value) >= order.index(source.root.value)
    if source.is_character and target.is_character:
        return (target.length or 0) >= (source.length or 0)
    if source.is_integer or source.is_datetime:
        return target.is_character and (target.length or 0) >= _LONGEST_TEXT
    return False
