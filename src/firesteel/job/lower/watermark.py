"""Translate operators that create or read watermarks to specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.catalog.schema import Table
from firesteel.config.option import TypedOptions, parse_duration
from firesteel.connectors.options import EMIT_STRATEGY, IDLE_TIMEOUT, ON_EVENT, WATERMARKS
from firesteel.errors import ValidationError
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.job.lower.aggregate import OperatorOptions, types_of
from firesteel.plan.expressions.operations import expand_search, rewrite, walk
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node
from firesteel.runtime.spec.operators import (
    CurrentWatermarkSpec,
    GeneratedWatermarksSpec,
    WatermarkAssignerSpec,
)
from firesteel.types.user_function import UserFunction


def watermark_assigner(
    node: physical.WatermarkAssigner, options: OperatorOptions
) -> WatermarkAssignerSpec | GeneratedWatermarksSpec:
    """Return the spec of an operator that creates watermarks.

    Raises:
        ValidationError: The watermark is SOURCE_WATERMARK(). No source has its own watermarks.
    """
    if isinstance(node.expression, Call) and node.expression.function == STRATEGY:
        return _generated(node, node.expression, options)
    expression = expand_search(node.expression, lists=True)
    _refuse_marker(replace(expression, range=None) if isinstance(expression, Call) else expression)
    table = _table_below(node)
    given = {} if table is None else dict(table.options)
    own = given.get(IDLE_TIMEOUT)
    return WatermarkAssignerSpec(
        rowtime=node.rowtime,
        watermark=compile_calc((expression,), None, types_of(node.input), None, options.time_zone),
        interval=0 if _emits_on_event(given) else options.watermark_interval,
        name=node.schema[node.rowtime].name,
        table="" if table is None else ".".join(table.path),
        may_fail=not _is_delay(expression),
        idle=options.idle_timeout if own is None else parse_duration(own),
    )


def _emits_on_event(table: Mapping[str, str]) -> bool:
    """Return whether each row may send a watermark, because the table's emit strategy is `on-event`.

    The strategy only counts for a connector that makes watermarks in the source (Flink:
    SupportsWatermarkPushDown). Here, only Kafka does.
    """
    strategy = TypedOptions(WATERMARKS, table)[EMIT_STRATEGY]
    return strategy == ON_EVENT and table["connector"] in _WITH_WATERMARKS


_WITH_WATERMARKS = ("kafka", "upsert-kafka")

STRATEGY = "WATERMARK_STRATEGY"
"""Function name of the call that stands for a user's WatermarkStrategy in a plan.

`Call.options` of this call has three texts: the name of the strategy's generator, the pickled strategy, and
the milliseconds after which a source is idle (0: as table.exec.source.idle-timeout sets).
"""


def _generated(
    node: physical.WatermarkAssigner, call: Call, options: OperatorOptions
) -> GeneratedWatermarksSpec:
    name, strategy, idle = call.options
    table = _table_below(node)
    return GeneratedWatermarksSpec(
        rowtime=node.rowtime,
        strategy=UserFunction(name, strategy),
        names=tuple(field.name for field in node.schema),
        name=node.schema[node.rowtime].name,
        table="" if table is None else ".".join(table.path),
        idle=int(idle) or options.idle_timeout,
        state_id=options.state_id("watermarks"),
    )


def with_current_watermark(
    exprs: list[Expr], condition: Expr | None, node: physical.Calc, options: OperatorOptions, exchanged: bool
) -> CurrentWatermarkSpec | None:
    """Return the spec of a Calc that calls CURRENT_WATERMARK, or None for other Calcs.

    All these calls have the same value in a row, the watermark of the Calc's input. The operator appends it
    to the row as a field, which the expressions read.

    Args:
        exprs: Output columns of the Calc.
        condition: Filter of the Calc, or None.
        node: The Calc.
        options: Options of the translation.
        exchanged: Whether the rows came through an exchange. Some comparisons of arrays depend on it.
    """
    calls = [call for expr in (*exprs, condition) if expr is not None for call in _watermark_calls(expr)]
    if not calls:
        return None
    types = types_of(node.input)
    one = InputRef(len(types), calls[0].type)

    def read(expr: Expr) -> Expr:
        return one if isinstance(expr, Call) and expr.function == "CURRENT_WATERMARK" else expr

    exprs = [rewrite(expr, read) for expr in exprs]
    condition = None if condition is None else rewrite(condition, read)
    calc = compile_calc(exprs, condition, (*types, one.type), None, options.time_zone, exchanged)
    return CurrentWatermarkSpec(calc, len(types), one.type)


def _watermark_calls(expr: Expr) -> list[Call]:
    _refuse_marker(expr)
    return [e for e in walk(expr) if isinstance(e, Call) and e.function == "CURRENT_WATERMARK"]


def _refuse_marker(expr: Expr) -> None:
    for call in walk(expr):
        if isinstance(call, Call) and call.function == "SOURCE_WATERMARK":
            raise ValidationError(
                "SOURCE_WATERMARK() is a declarative marker function and doesn't have concrete runtime "
                "implementation. It can only be used as a single expression in a WATERMARK FOR clause in the "
                "CREATE TABLE DDL. The declaration will be pushed down into a table source that implements "
                "the 'org.apache.flink.table.connector.source.abilities.SupportsSourceWatermark' interface. "
                "The source will emit system-defined watermarks afterwards. Please check the documentation "
                "whether the connector supports source watermarks.",
                range=call.range,
                hint="no connector has watermarks of its own: write WATERMARK FOR ts AS ts - INTERVAL ...",
            )


def _table_below(node: Node) -> Table | None:
    """Return the table that a node reads, on the path of first inputs. None if the path ends at no table."""
    while node.children:
        node = node.children[0]
    return node.table if isinstance(node, physical.TableSourceScan) else None


def _is_delay(watermark: Expr) -> bool:
    """Return whether a watermark's expression is a column, or a column minus a literal.

    Such an expression cannot fail on a row.
    """
    if isinstance(watermark, Call) and watermark.function == "-":
        first, *others = watermark.args
        return isinstance(first, InputRef) and all(isinstance(each, Literal) for each in others)
    return isinstance(watermark, InputRef)
