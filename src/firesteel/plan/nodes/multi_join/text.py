"""Text of MultiJoin in physical plans (Flink: StreamPhysicalMultiJoin.explainTerms)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.type_text import nested_type_text, record_type_text
from firesteel.plan.nodes.multi_join.physical import Keys, MultiJoin
from firesteel.plan.tree import Node

Attributes = list[tuple[str, str]]


def multi_join(node: MultiJoin, text: Callable[[Expr, Sequence[str]], str]) -> Attributes:
    """Return the attributes that a plan prints for a MultiJoin."""
    shown = [field.name for field in node.schema]
    unique = (_unique(side, keys) for side, keys in zip(node.inputs, node.unique_keys, strict=True))
    return [
        ("commonJoinKey", ", ".join(shown[i] for i in node.keys[0]) or "noCommonJoinKey"),
        ("joinTypes", ", ".join(each.name for each in node.join_types)),
        ("inputUniqueKeys", ", ".join(unique)),
        ("joinConditions", ", ".join(text(condition, shown) for condition in node.conditions)),
        ("select", ",".join(shown)),
        ("rowType", record_type_text(node.schema, (), (), nested_type_text)),
    ]


def _unique(side: Node, keys: Keys) -> str:
    names = [field.name for field in side.schema]
    texts = [f"({', '.join(names[i] for i in key)})" for key in keys]
    return ", ".join(texts) if texts else "noUniqueKey"
