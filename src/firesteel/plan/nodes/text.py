"""Text of physical nodes in plans: `Calc(select=[a, b], where=[>(a, 1)])`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from firesteel.catalog.schema import Table
from firesteel.errors import InternalError
from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.plan.expressions.literal_text import literal_text
from firesteel.plan.expressions.text import infix_text, prefix_text
from firesteel.plan.expressions.type_text import nested_type_text, record_type_text
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.aggregate import text as aggregate_text
from firesteel.plan.nodes.calc.text import selected
from firesteel.plan.nodes.correlate import text as correlate_text
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.nodes.interval_join import text as interval_join_text
from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.plan.nodes.join import physical as physical_join
from firesteel.plan.nodes.join import text as join_text
from firesteel.plan.nodes.logical import scanned_columns
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.lookup_join.text import lookup_join
from firesteel.plan.nodes.multi_join import text as multi_join_text
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.nodes.over import physical as physical_over
from firesteel.plan.nodes.over import text as over_node_text
from firesteel.plan.nodes.rank import physical as physical_rank
from firesteel.plan.nodes.rank import text as rank_text
from firesteel.plan.nodes.temporal import text as temporal_text
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.nodes.window import text as window_text
from firesteel.plan.nodes.window_join import text as window_join_text
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.nodes.window_rank import text as window_rank_text
from firesteel.plan.nodes.window_rank.physical import WindowDeduplicate, WindowRank
from firesteel.plan.tree import Node
from firesteel.sensitive import shown

ExpressionText = Callable[[Expr, Sequence[str]], str]
Attributes = list[tuple[str, str]]
N = TypeVar("N", bound=Node)
_KEPT = (physical.GroupAggregate, physical.GlobalGroupAggregate, physical.IncrementalGroupAggregate)
"""Aggregates with the field `state_ttl`. Plans show the query's hint STATE_TTL, which sets it."""
_OF_USERS = (physical.GroupAggregate, physical_over.OverAggregate, physical_windows.GroupWindowAggregate)
"""Aggregates that have another name in plans if a function is user-defined."""


def digest(node: Node) -> str:
    """Return the node as one line of the physical plan, without its changelog mode."""
    return line(node, attributes(node, prefix_text))


def execution_text(node: Node) -> str:
    """Return the node as the execution plan prints it.

    A rank that keeps one row of each key by time is printed as Deduplicate, not as Rank.
    """
    if isinstance(node, physical_rank.Rank) and node.is_deduplicate:
        return line(node, rank_text.deduplicate(node), execution_name(node))
    return execution_digest(node)


def execution_name(node: Node) -> str:
    """Return the name of a node in the execution plan."""
    is_deduplicate = isinstance(node, physical_rank.Rank) and node.is_deduplicate
    return "Deduplicate" if is_deduplicate else operator_name(node)


def execution_digest(node: Node) -> str:
    """Return the node as one line that shows all that it computes.

    Plans find equal subtrees by it: nodes with equal lines over equal inputs compute the same.
    """
    hints = node.hints.attributes if isinstance(node, (physical_join.Join, WindowJoin)) else []
    return line(node, [*attributes(node, infix_text), *hints])


def hint_attributes(node: Node) -> Attributes:
    """Return the attributes that show the query's hints about a node in the physical plan."""
    if isinstance(node, physical_join.Join):
        return node.hints.attributes
    return node.state_ttl.attributes if isinstance(node, _KEPT) else []


def line(node: Node, found: Attributes, name: str = "") -> str:
    """Return the line of a node: `name`, by default that of its operator, and the attributes `found`."""
    name = name or operator_name(node)
    if not found:
        return name
    return f"{name}({', '.join(f'{key}=[{value}]' for key, value in found)})"


def operator_name(node: Node) -> str:
    """Return the name of a node in plans. It depends on whether an aggregate has user-defined functions."""
    name = type(node).__name__
    if isinstance(node, Correlate) and node.call.user is not None and node.input.schema:
        return f"Python{name}"
    return f"Python{name}" if isinstance(node, _OF_USERS) and any(call.user for call in node.calls) else name


def attributes(node: Node, text: ExpressionText) -> Attributes:
    """Return the attributes that a plan prints for a node, in order.

    Args:
        node: The node.
        text: Returns the text of an expression over named columns.
    """
    kind = type(node)
    if kind in _PLAIN:
        return _PLAIN[kind](node)
    if kind in _WITH_EXPRESSIONS:
        return _WITH_EXPRESSIONS[kind](node, text)
    raise InternalError(f"no text for {kind.__name__}")


def _names(node: Node) -> list[str]:
    return [f.name for f in node.schema]


def _scan(node: physical.TableSourceScan, text: ExpressionText) -> Attributes:
    parts = [*node.table.path]
    keys = metadata_text(node.table) if node.project is None else ""
    if keys:
        parts.append(keys)
    if node.filter:
        parts.append(f"filter=[{_pushed(node)}]")
    if node.project is not None:
        columns = scanned_columns(node.table)
        read = [columns[i] for i in node.project]
        parts.append(f"project=[{', '.join(c.name for c in read if c.metadata is None)}]")
        parts.append(f"metadata=[{', '.join(c.metadata for c in read if c.metadata is not None)}]")
    if node.limit is not None:
        parts.append(f"limit=[{node.limit}]")
    found = [("table", f"[{', '.join(parts)}]"), ("fields", ", ".join(_names(node)))]
    return [*found, *_hints(node.table)]


def metadata_text(table: Table) -> str:
    """Return the text `metadata=[file.path]`, or "" if the table has no metadata columns."""
    keys = [c.metadata for c in scanned_columns(table) if c.metadata is not None]
    return f"metadata=[{', '.join(keys)}]" if keys else ""


def hints_text(table: Table, path: str = "") -> str:
    """Return the text `[[[OPTIONS options:{k=v}]]]`, or "" without a hint.

    Args:
        table: The table.
        path: Text before `options`, such as `inheritPath:[] `.
    """
    options = ", ".join(f"{key}={shown(key, value)}" for key, value in table.hints)
    return f"[[[OPTIONS {path}options:{{{options}}}]]]" if options else ""


def _hints(table: Table) -> Attributes:
    text = hints_text(table)
    return [("hints", text[1:-1])] if text else []


def _pushed(node: physical.TableSourceScan) -> str:
    """Return the text of pushed conditions, nested to the left: `and(and(a, b), c)`."""
    names = _names(node)
    texts = [prefix_text(e, names) for e in node.filter]
    folded = texts[0]
    for term in texts[1:]:
        folded = f"and({folded}, {term})"
    return folded


def _calc(node: physical.Calc, text: ExpressionText) -> Attributes:
    names = _names(node.input)
    found = [
        (
            "select",
            ", ".join(selected(e, n, names, text) for e, n in zip(node.exprs, node.names, strict=True)),
        )
    ]
    if node.condition is not None:
        found.append(("where", text(node.condition, names)))
    return found


def _exchange(node: physical.Exchange) -> Attributes:
    names = _names(node.input)
    keys = ", ".join(names[k] for k in node.keys)
    return [("distribution", f"hash[{keys}]" if node.keys else "single")]


def _expand(node: physical.Expand) -> Attributes:
    names = _names(node.input)
    rows = [
        ", ".join(_expanded(e, n, names) for e, n in zip(row, _names(node), strict=True))
        for row in node.projects
    ]
    return [("projects", ", ".join(f"{{{row}}}" for row in rows))]


def _expanded(expr: Expr, name: str, names: list[str]) -> str:
    if isinstance(expr, InputRef):
        return name if names[expr.index] == name else f"{names[expr.index]} AS {name}"
    shown = literal_text(expr, with_type=False) if isinstance(expr, Literal) else prefix_text(expr, names)
    return f"{shown} AS {name}"


def _normalize(node: physical.ChangelogNormalize, text: ExpressionText) -> Attributes:
    names = _names(node)
    found = [("key", ", ".join(names[k] for k in node.keys))]
    if node.condition is not None:
        found.append(("condition", text(node.condition, names)))
    return found


def _watermark(node: physical.WatermarkAssigner, text: ExpressionText) -> Attributes:
    names = _names(node)
    return [("rowtime", names[node.rowtime]), ("watermark", text(node.expression, names))]


def _mini_batch(node: physical.MiniBatchAssigner) -> Attributes:
    return [("interval", f"{node.interval}ms"), ("mode", node.time)]


def _union(node: physical.Union) -> Attributes:
    return [("all", "true"), ("union", ", ".join(_names(node)))]


def _values(node: physical.Values, text: ExpressionText) -> Attributes:
    kind = record_type_text(node.fields, node.event_times, node.processing_times, nested_type_text)
    rows = ", ".join(
        "{ " + ", ".join(literal_text(cell, with_type=False) for cell in row) + " }" for row in node.rows
    )
    shown = [("tuples", f"[{rows}]")]
    return shown if text is infix_text else [("type", kind), *shown]


def _sink(node: physical.Sink) -> Attributes:
    found = [("table", ".".join(node.table.path))]
    if node.target_columns is not None:
        found.append(("targetColumns", ",".join(f"[{i}]" for i in node.target_columns)))
    found.append(("fields", ", ".join(_names(node))))
    if node.upsert_materialize:
        found.append(("upsertMaterialize", "true"))
    if node.conflict is not None:
        found.append(("conflictStrategy", node.conflict))
    return [*found, *_hints(node.table)]


_PLAIN: dict[type, Callable[..., Attributes]] = {
    physical.Exchange: _exchange,
    physical.GroupAggregate: aggregate_text.group_aggregate,
    physical.LocalGroupAggregate: aggregate_text.local_group_aggregate,
    physical.GlobalGroupAggregate: aggregate_text.global_group_aggregate,
    physical.IncrementalGroupAggregate: aggregate_text.incremental_group_aggregate,
    physical.Expand: _expand,
    Correlate: correlate_text.correlate,
    physical.MiniBatchAssigner: _mini_batch,
    physical.Union: _union,
    physical.Sink: _sink,
    physical.DropUpdateBefore: lambda node: [],
    physical_over.OverAggregate: over_node_text.over_aggregate,
    physical_over.TemporalSort: over_node_text.temporal_sort,
    physical_rank.Rank: rank_text.rank,
    physical_rank.SortLimit: rank_text.sort_limit,
    physical_rank.Limit: rank_text.limit,
    WindowDeduplicate: window_rank_text.window_deduplicate,
    WindowRank: window_rank_text.window_rank,
    physical_windows.WindowTableFunction: window_text.window_table_function,
    physical_windows.WindowAggregate: window_text.window_aggregate,
    physical_windows.LocalWindowAggregate: window_text.local_window_aggregate,
    physical_windows.GlobalWindowAggregate: window_text.global_window_aggregate,
    physical_windows.GroupWindowAggregate: window_text.group_window_aggregate,
}
"""Functions that return the attributes of a node, by its class, for nodes that print no expressions."""

_WITH_EXPRESSIONS: dict[type, Callable[..., Attributes]] = {
    physical.TableSourceScan: _scan,
    physical.Calc: _calc,
    physical.ChangelogNormalize: _normalize,
    physical.WatermarkAssigner: _watermark,
    physical.Values: _values,
    physical_join.Join: join_text.join,
    IntervalJoin: interval_join_text.interval_join,
    MultiJoin: multi_join_text.multi_join,
    WindowJoin: window_join_text.window_join,
    LookupJoin: lookup_join,
    TemporalJoin: temporal_text.temporal_join,
}
