"""Text of table functions in physical plans (Flink: RelExplainUtil.correlateToString)."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call
from firesteel.plan.expressions.text import ast_text, prefix_text
from firesteel.plan.expressions.type_text import nested_type_text, record_type_text
from firesteel.plan.nodes.correlate.physical import Correlate

Attributes = list[tuple[str, str]]


def correlate(node: Correlate) -> Attributes:
    """Return the attributes that a plan prints for a table function."""
    names = [field.name for field in node.input.schema]
    args = ",".join(prefix_text(arg, names) for arg in node.call.args)
    kind = record_type_text(node.schema, *node.times, nested_type_text)
    if not names and node.call.user is None:
        kind = kind.replace("RecordType(", "RecordType:peek_no_expand(", 1)
    found = [
        ("invocation", invocation(node.call)),
        ("correlate", f"table({node.call.function}({args}))"),
        ("select", ",".join(field.name for field in node.schema)),
        (
            "rowType",
            kind if names or node.call.user else kind.replace("RecordType(", "RecordType:peek_no_expand(", 1),
        ),
        ("joinType", node.join_type.name),
    ]
    return found if node.condition is None else [*found, ("condition", ast_text(node.condition))]


def invocation(call: Call) -> str:
    """Return the text of a table function's call."""
    return f"{call.function}({', '.join(map(ast_text, call.args))})"
