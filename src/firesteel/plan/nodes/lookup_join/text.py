"""Text of lookup joins in physical plans (Flink: CommonPhysicalLookupJoin, StreamPhysicalLookupJoin)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.plan.expressions.literal_text import literal_text
from firesteel.plan.expressions.operations import conjunction
from firesteel.plan.nodes.calc.text import selected
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.temporal.lookup_hint import LookupHint
from firesteel.plan.tree import Node

Attributes = list[tuple[str, str]]
Text = Callable[[Expr, Sequence[str]], str]


def lookup_join(node: LookupJoin, text: Text) -> Attributes:
    """Return the attributes that a plan prints for a lookup join.

    Args:
        node: The join.
        text: Returns the text of an expression over named columns.
    """
    found = [
        ("table", ".".join(node.scan.table.path)),
        ("joinType", node.join_type.physical_name),
        ("lookup", _keys(node)),
    ]
    if node.calc is not None and node.calc.condition is not None:
        found.append(("where", text(node.calc.condition, _names(node.scan))))
    if node.remaining:
        found.append(("joinCondition", _remaining(node, text)))
    found.append(("select", _selection(node, text)))
    if node.upsert_materialize:
        found.append(("upsertMaterialize", "true"))
    if node.hint is not None:
        found += _hinted(node.hint)
    keys = ", ".join(str(list(key)) for key in node.input_keys)
    return [*found, ("upsertKey", keys)] if keys else found


def _hinted(hint: LookupHint) -> Attributes:
    found = [("shuffle", "true")] if hint.shuffle else []
    if hint.attempts:
        found.append(("retry", f"lookup_miss, FIXED_DELAY, {hint.delay}ms, {hint.attempts}"))
    return found


def _names(node: Node) -> list[str]:
    return [field.name for field in node.schema]


def _keys(node: LookupJoin) -> str:
    columns, own = _names(node.scan), _names(node.input)

    def shown(key: Expr) -> str:
        if isinstance(key, InputRef):
            return own[key.index]
        assert isinstance(key, Literal)
        return literal_text(key, with_type=False)

    return ", ".join(f"{columns[place]}={shown(key)}" for place, key in node.lookup_keys.items())


def _remaining(node: LookupJoin, text: Text) -> str:
    """Return the text of the condition without the lookup keys.

    Terms over the input alone come first, then the others.
    """
    alone = node.remaining_of_input
    names = _names(node)
    parts = (alone, tuple(term for term in node.remaining if term not in alone))
    conditions = (conjunction(part) for part in parts)
    return "".join(text(condition, names) for condition in conditions if condition is not None)


def _selection(node: LookupJoin, text: Text) -> str:
    if node.calc is None:
        return ", ".join(_names(node))
    columns = _names(node.scan)
    projected = zip(node.calc.exprs, node.calc.names, strict=True)
    return ", ".join((*_names(node.input), *(selected(e, name, columns, text) for e, name in projected)))
