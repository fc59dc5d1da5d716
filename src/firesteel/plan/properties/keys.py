"""Which columns tell the rows of a node's output apart.

Flink: FlinkRelMdUpsertKeys, FlinkRelMdUniqueKeys.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.properties.property import Fact

Keys = frozenset[frozenset[int]]
"""Sets of column positions, each of which is a key."""

NO_KEYS: Keys = frozenset()

upsert_keys: Fact[Keys] = Fact("upsert keys")
"""The column sets by which an update or delete names the row that it changes."""

unique_keys: Fact[Keys] = Fact("unique keys")
"""The column sets of which no two rows of the result share a value; exchanges do not matter."""


def key_of(*columns: int) -> Keys:
    """One key of these columns."""
    return frozenset({frozenset(columns)})


def through_projection(keys: Keys, exprs: tuple[Expr, ...]) -> Keys:
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
        return expr.args[0].index if _is_injective_cast(expr) else None
    return None


_LONGEST_TEXT = 30
"""Characters of an integer or a time, at most."""


def _is_injective_cast(cast: Call) -> bool:
    """Whether different values stay different: to the same type, a wider integer, or a string."""
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
