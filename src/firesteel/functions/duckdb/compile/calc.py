"""Compilation of typed expressions to the DuckDB statement of a Calc, with Flink's results."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.changelog import field
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile import arithmetic as duckdb_arithmetic
from firesteel.functions.duckdb.compile import casts as duckdb_casts
from firesteel.functions.duckdb.compile import extremes as duckdb_extremes
from firesteel.functions.duckdb.compile import hashes as duckdb_hashes
from firesteel.functions.duckdb.compile import json as duckdb_json
from firesteel.functions.duckdb.compile import known as duckdb_known
from firesteel.functions.duckdb.compile import logic as duckdb_logic
from firesteel.functions.duckdb.compile import nested as duckdb_nested
from firesteel.functions.duckdb.compile import strings as duckdb_strings
from firesteel.functions.duckdb.compile.calls import table_emitters
from firesteel.functions.duckdb.compile.long_sums import shortened
from firesteel.functions.duckdb.compile.nested_parts import NestedParts
from firesteel.functions.duckdb.compile.outputs import output
from firesteel.functions.duckdb.compile.steps import Steps
from firesteel.functions.duckdb.compile.text import Compiler, Emit
from firesteel.functions.duckdb.compile.times import arithmetic as duckdb_times
from firesteel.functions.duckdb.compile.times import extract as duckdb_extract
from firesteel.functions.duckdb.compile.times import floor as duckdb_floor
from firesteel.functions.expression.nodes import Expr
from firesteel.types.sql import SqlType


def emitters() -> dict[str, Emit]:
    """Return, by function name, the functions that compile a call of the function to SQL."""
    return {
        **table_emitters(),
        **duckdb_arithmetic.EMIT,
        **duckdb_logic.EMIT,
        **duckdb_extremes.EMIT,
        **duckdb_casts.EMIT,
        **duckdb_nested.EMIT,
        **duckdb_times.EMIT,
        **duckdb_extract.EMIT,
        **duckdb_floor.EMIT,
        **duckdb_strings.EMIT,
        **duckdb_json.EMIT,
        **duckdb_hashes.EMIT,
        **duckdb_known.EMIT,
    }


_LONG_FILTER = 10_000
"""Length of a condition's SQL, in characters, above which it is hidden from DuckDB's optimizer."""
_EMITTERS: dict[str, Emit] = {}


def compiler_for(time_zone: str = "UTC", exchanged: bool = True) -> Compiler:
    """Return a compiler with the whole function table.

    Args:
        time_zone: Time zone of the session.
        exchanged: Whether the rows have passed an exchange. Some comparisons of arrays depend on it.
    """
    if not _EMITTERS:
        _EMITTERS.update(emitters())
    return Compiler(_EMITTERS, duckdb_casts.cast, time_zone, exchanged)


def compile_calc(
    exprs: Sequence[Expr],
    condition: Expr | None,
    input_types: Sequence[SqlType],
    types: Sequence[SqlType] | None = None,
    time_zone: str = "UTC",
    exchanged: bool = True,
) -> CalcSpec:
    """Return the spec of a Calc.

    Args:
        exprs: Output columns.
        condition: Filter, or None.
        input_types: Types of the input columns.
        types: Types of the output columns. If None, they are the types of the expressions.
        time_zone: Time zone of the session.
        exchanged: Whether the rows have passed an exchange. Some comparisons of arrays depend on it.

    Raises:
        NotSupportedError: A function is not supported.
    """
    compiler = compiler_for(time_zone, exchanged)
    parts = NestedParts(len(input_types))
    if any(kind.children for kind in input_types):
        condition = None if condition is None else parts.cut(condition)
        exprs = [parts.cut(expr) for expr in exprs]
    width = len(input_types) + len(parts.taken)
    before, steps = Steps(width), Steps(width)
    condition = None if condition is None else before.cut(shortened(condition))
    steps.width += sum(map(len, before.columns))
    exprs = [steps.cut(shortened(expr)) for expr in exprs]
    wanted = tuple(types) if types is not None else tuple(e.type for e in exprs)
    texts = []
    for expr, kind in zip(exprs, wanted, strict=True):
        text = output(compiler, expr)
        texts.append(text if expr.type.same_as(kind) else compiler.cast(text, expr.type, kind))
    where = _filter(duckdb_logic.condition(compiler, condition)) if condition is not None else None
    first, then = _step_texts(before, compiler), _step_texts(steps, compiler)
    functions, user = tuple(compiler.functions), tuple(compiler.user.items())
    sets = tuple(compiler.sets.items())
    return CalcSpec(tuple(texts), wanted, where, functions, user, first, then, sets, parts.taken)


def _filter(text: str) -> str:
    """Return the SQL of a filter's condition. A long one is hidden in a CASE from DuckDB's optimizer.

    The optimizer compares all operands of a filter's OR with each other.
    """
    return text if len(text) < _LONG_FILTER else f"(CASE WHEN {text} THEN TRUE END)"


def _step_texts(steps: Steps, compiler: Compiler) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(f"{compiler(expr)} AS {field(position)}" for position, expr in columns)
        for columns in steps.columns
    )
