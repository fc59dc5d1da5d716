"""Compilation of chains of similar conditions: `v + 1 = b OR v + 2 = b OR ...` is one condition over a list.

DuckDB parses and binds every operand of a chain for every batch. Generated chains often differ in only one
literal between operands. They become one lambda over the list of these literals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.duckdb.compile.text import Compiler
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.types.sql import INTEGER_BITS, INTEGERS

LONG = 200
"""Minimum number of operands that differ in one literal, for which that literal becomes a list.

An AND or OR with fewer operands is not examined.
"""
_PARAMETER = 1_000_000
"""Column number of the placeholder for the literal, above any column of an input."""
_PLAIN = frozenset(
    {"=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "NOT", "AND", "OR", "IS NULL", "IS NOT NULL"}
)
"""Calls that never fail, and whose SQL stays the same, except for the literal, if a literal changes."""

_DEEP = 8
"""Maximum depth of operands that are examined."""

Shape = tuple[object, ...]


def alike(args: Sequence[Expr]) -> tuple[list[Expr], list[tuple[Expr, list[Literal]]]]:
    """Split operands into unchanged ones and groups of similar ones.

    Returns:
        The unchanged operands, and (operand with a placeholder, its values) for each group.
    """
    groups: dict[Shape, list[tuple[Expr, list[Literal]]]] = {}
    kept: list[Expr] = []
    for arg in args:
        literals: list[Literal] = []
        shape = _shape(arg, literals)
        if shape is None or not literals:
            kept.append(arg)
        else:
            groups.setdefault(shape, []).append((arg, literals))
    found: list[tuple[Expr, list[Literal]]] = []
    for group in groups.values():
        place = _varying([literals for _, literals in group]) if len(group) >= LONG else None
        if place is None:
            kept += [arg for arg, _ in group]
        else:
            found.append((_with_parameter(group[0][0], place), [literals[place] for _, literals in group]))
    return kept, found


def _shape(expr: Expr, literals: list[Literal]) -> Shape | None:
    """Return the structure of an operand without its integer literals, equal for similar operands.

    None if it has calls that are not in `_PLAIN`, other literals, or more than `_DEEP` levels. The integer
    literals are appended to `literals` in their order.
    """
    if isinstance(expr, InputRef):
        return (expr.index, expr.type)
    if isinstance(expr, Literal):
        if expr.type.root not in INTEGERS or expr.value is None:
            return None
        literals.append(expr)
        return (expr.type,)
    if expr.depth > _DEEP or not (expr.function in _PLAIN or _widens(expr)):
        return None
    parts = [_shape(arg, literals) for arg in expr.args]
    return None if None in parts else (expr.function, expr.type, *parts)


def _widens(call: Call) -> bool:
    bits = (
        [INTEGER_BITS.get(kind.root, 0) for kind in (call.args[0].type, call.type)] if call.args else [1, 0]
    )
    return call.function == "CAST" and 0 < bits[0] <= bits[1]


def _varying(rows: Sequence[Sequence[Literal]]) -> int | None:
    """Return the only position at which the rows of literals differ, or None if there is not exactly one."""
    columns = list(zip(*rows, strict=True))
    places = [i for i, column in enumerate(columns) if len({literal.value for literal in column}) > 1]
    return places[0] if len(places) == 1 else None


def _with_parameter(expr: Expr, place: int) -> Expr:
    """Return the expression with a placeholder for its literal at position `place`."""
    left = place

    def replaced(part: Expr) -> Expr:
        nonlocal left
        if isinstance(part, Literal):
            left -= 1
            return InputRef(_PARAMETER, part.type) if left == -1 else part
        if isinstance(part, Call):
            return replace(part, args=tuple(map(replaced, part.args)))
        return part

    return replaced(expr)


def over_list(
    compiler: Compiler, function: str, operand: Expr, values: Sequence[Literal], filters: bool
) -> str:
    """Return the SQL of AND or OR of the operand over all values of its placeholder.

    Args:
        compiler: Compiler of the operand.
        function: AND or OR.
        operand: Expression with the placeholder.
        values: Values of the placeholder.
        filters: Whether the result may be FALSE instead of UNKNOWN.
    """
    kind = values[0].type
    items = ", ".join(str(literal.value) for literal in values)
    name = compiler(InputRef(_PARAMETER, kind))
    found = (
        f"list_transform(CAST([{items}] AS {compiler.type_name(kind)}[]), lambda {name}: {compiler(operand)})"
    )
    decided = f"list_bool_{function.lower()}({found})"
    if not operand.type.nullable or (filters and function == "OR"):
        return decided
    decisive, other = ("TRUE", "FALSE") if function == "OR" else ("FALSE", "TRUE")
    unknown = f"list_count({found}) < len({found})"
    return f"(CASE WHEN {decided} = {decisive} THEN {decisive} WHEN {unknown} THEN NULL ELSE {other} END)"
