"""Text of the abstract syntax tree: the query as bound, in Calcite's terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firesteel.errors import InternalError
from firesteel.explain.tree_text import whole_tree
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr
from firesteel.plan.expressions.literal_text import literal_text
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.expressions.sub_query import SubQuery, sub_queries
from firesteel.plan.expressions.text import VERBATIM, ast_text
from firesteel.plan.expressions.type_text import nested_type_text, record_type_text
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes import logical
from firesteel.plan.nodes.accumulators import function_name
from firesteel.plan.nodes.correlate import logical as logical_correlate
from firesteel.plan.nodes.correlate.text import invocation
from firesteel.plan.nodes.join import logical as logical_join
from firesteel.plan.nodes.over import logical as logical_over
from firesteel.plan.nodes.set_op import logical as logical_sets
from firesteel.plan.nodes.temporal import logical as logical_temporal
from firesteel.plan.nodes.text import hints_text, metadata_text
from firesteel.plan.nodes.window import logical as logical_windows
from firesteel.plan.tree import Node

_NAMES: dict[type[Node], str] = {
    logical.Scan: "TableScan",
    logical_windows.WindowTableFunction: "TableFunctionScan",
}


def ast_line(node: Node, path: str = "0") -> str:
    """Return the line of one node, such as `LogicalFilter(condition=[>($2, 1)])`.

    Args:
        node: The node.
        path: Positions of inputs that lead to the node, such as "0, 1" (see `_paths`). Only the line of a
            Correlate shows the path, in its join hints: `[LOOKUP inheritPath:[0, 1] options:{...}]`.
    """
    if isinstance(node, logical_correlate.Uncollect):
        return "Uncollect(withOrdinality=[true])" if node.ordinality else "Uncollect"
    name = _NAMES.get(type(node), type(node).__name__)
    return f"Logical{name}({_attributes(node, path)})"


def _attributes(node: Node, path: str) -> str:
    if isinstance(node, logical.Scan):
        hints = hints_text(node.table, "inheritPath:[] ")
        parts = ", ".join(filter(None, [*node.table.path, metadata_text(node.table)]))
        return f"table=[[{parts}]]" + (f", hints={hints}" if hints else "")
    if isinstance(node, logical.Project):
        pairs = zip(node.names, node.exprs, strict=True)
        columns = [f"{name}=[{_text(expr)}]" for name, expr in pairs]
        return ", ".join([*_variables(node.exprs), *columns])
    if isinstance(node, logical.Filter):
        return ", ".join([f"condition=[{_text(node.condition)}]", *_variables([node.condition])])
    if isinstance(node, logical.Aggregate):
        return _aggregate(node)
    if isinstance(node, logical_join.Join):
        return f"condition=[{_text(node.condition)}], joinType=[{node.join_type.value}]"
    if isinstance(node, logical_correlate.Correlate):
        return _correlate(node, path)
    if isinstance(node, logical_temporal.Snapshot):
        return f"period=[{ast_text(node.period)}]"
    if isinstance(node, logical_correlate.TableFunctionScan):
        kind = record_type_text(node.fields, (), (), nested_type_text)
        return f"invocation=[{invocation(node.call)}], rowType=[{kind}]"
    if isinstance(node, (logical.Union, logical_sets.Intersect, logical_sets.Minus)):
        return f"all=[{'true' if node.all else 'false'}]"
    if isinstance(node, logical.Values):
        rows = ", ".join(
            "{ " + ", ".join(literal_text(cell, with_type=False) for cell in row) + " }" for row in node.rows
        )
        return f"tuples=[[{rows}]]"
    if isinstance(node, logical.WatermarkAssigner):
        rowtime = node.schema[node.rowtime].name
        return f"rowtime=[{rowtime}], watermark=[{ast_text(node.expression)}]"
    if isinstance(node, logical_windows.WindowTableFunction):
        return _window(node)
    if isinstance(node, logical_over.Sort):
        return _sort(node)
    if isinstance(node, logical.Sink):
        return _sink(node)
    raise InternalError(f"no text for {type(node).__name__}")


def _text(expr: Expr) -> str:
    """Return the text of an expression, with the plans of its sub-queries."""
    return ast_text(rewrite(expr, _with_plan)) if sub_queries(expr) else ast_text(expr)


def _with_plan(expr: Expr) -> Expr:
    if not isinstance(expr, SubQuery):
        return expr
    operands = "".join(f"{ast_text(arg)}, " for arg in expr.args)
    text = f"{expr.function}({operands}{{\n{_indented(expr.query, 0)}\n}})"
    return Call(VERBATIM, (), expr.type, (text,))


def _indented(node: Node, level: int) -> str:
    """Return the lines of a tree, each level indented by two more spaces (Calcite: RelOptUtil.toString)."""
    lines = ["  " * level + ast_line(node), *(_indented(child, level + 1) for child in node.children)]
    return "\n".join(lines)


def _variables(exprs: Sequence[Expr]) -> list[str]:
    """Return the attribute `variablesSet` of a node with these expressions, or no attribute.

    It lists the names by which correlated sub-queries in the expressions read the node's columns:
    ["variablesSet=[[$cor0]]"]. If no sub-query is correlated, the result is [].
    """
    names = dict.fromkeys(q.correlation for expr in exprs for q in sub_queries(expr) if q.correlation)
    return [f"variablesSet=[[{', '.join(names)}]]"] if names else []


def _correlate(node: logical_correlate.Correlate, path: str) -> str:
    required = f"{{{', '.join(map(str, node.required))}}}"
    join_type = node.join_type.value
    found = f"correlation=[{node.variable}], joinType=[{join_type}], requiredColumns=[{required}]"
    right = node.inputs[1]
    snapshot = right.input if isinstance(right, logical.Filter) else right
    if not isinstance(snapshot, logical_temporal.Snapshot) or not snapshot.hints:
        return found
    hints = "".join(hint.text(path) for hint in snapshot.hints)
    return f"{found}, joinHints=[[{hints}]]"


def ast_tree(root: Node) -> str:
    """Return the tree below `root` as the AST section shows it."""
    paths = dict(_paths(root))
    return whole_tree(root, lambda node: ast_line(node, paths.get(id(node), "0")))


def _paths(root: Node) -> Iterator[tuple[int, str]]:
    """Yield the id() and the path of each node.

    The path begins at the nearest projection above the node, or at the root if there is none. It has one
    number for each step down to the node: the position of the next node among the inputs. The root has the
    path "". An example:

        Project
        +- Join          0
           :- Scan       0, 0
           +- Project    0, 1
              +- Scan    0        (the path begins anew below each projection)
    """
    pending: list[tuple[Node, tuple[int, ...]]] = [(root, ())]
    while pending:
        node, path = pending.pop()
        yield id(node), ", ".join(map(str, path))
        above = () if isinstance(node, logical.Project) else path
        pending += ((child, (*above, place)) for place, child in enumerate(node.children))


def _aggregate(node: logical.Aggregate) -> str:
    keys = ", ".join(map(str, node.keys))
    parts = [f"group=[{{{keys}}}]"]
    if node.groups:
        sets = (f"{{{', '.join(map(str, group))}}}" for group in node.groups)
        parts.append(f"groups=[[{', '.join(sets)}]]")
    parts += [f"{call.name or f'agg#{i}'}=[{_call(call)}]" for i, call in enumerate(node.calls)]
    return ", ".join(parts)


def _call(call: AggregateCall) -> str:
    args = ", ".join(f"${i}" for i in call.args)
    condition = "" if call.filter is None else f" FILTER ${call.filter}"
    return f"{function_name(call)}({'DISTINCT ' if call.distinct else ''}{args}){condition}"


def _window(node: logical_windows.WindowTableFunction) -> str:
    partition = ", ".join(f"${i}" for i in node.window.partition)
    table = "TABLE(#0)" + (f" PARTITION BY({partition})" if partition else "")
    columns = ", ".join(f"_UTF-16LE'{name}'" for name in node.descriptor)
    lengths = ", ".join(map(ast_text, node.arguments))
    kind = record_type_text(node.schema, event_times(node), processing_times(node), nested_type_text)
    call = f"{node.window.function}({table}, DESCRIPTOR({columns}), {lengths})"
    return f"invocation=[{call}], rowType=[{kind}]"


def _sort(node: logical_over.Sort) -> str:
    parts = [f"sort{i}=[${key}]" for i, key in enumerate(node.keys)]
    parts += [f"dir{i}=[{d.sort_text}]" for i, d in enumerate(node.directions)]
    if node.offset:
        parts.append(f"offset=[{node.offset}]")
    return ", ".join(parts if node.fetch is None else [*parts, f"fetch=[{node.fetch}]"])


def _sink(node: logical.Sink) -> str:
    target = ""
    if node.target_columns is not None:
        target = f"targetColumns=[{','.join(f'[{i}]' for i in node.target_columns)}], "
    fields = ", ".join(f.name for f in node.schema)
    hints = hints_text(node.table)
    text = f"table=[{'.'.join(node.table.path)}], {target}fields=[{fields}]"
    return text + (f", hints={hints}" if hints else "")
