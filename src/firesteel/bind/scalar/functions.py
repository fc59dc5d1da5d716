"""Binding of function calls: special forms by their names, all others by the function table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.bind import group_windows
from firesteel.bind.binder import Binder, Rule
from firesteel.bind.scalar import conditional as scalar_conditional
from firesteel.bind.scalar import json as scalar_json
from firesteel.bind.scalar import objects as scalar_objects
from firesteel.bind.scalar import times as scalar_times
from firesteel.bind.scalar import watermark_functions
from firesteel.bind.scalar.operators import arithmetic, nullable, refuse_nulls
from firesteel.bind.scalar.user_functions import call_user, unknown_function, user_function
from firesteel.bind.scalar.wrong_arguments import null_of, wrong_arguments, wrong_count, wrong_types
from firesteel.errors import FiresteelError, NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.signatures.aggregate_functions import AGGREGATES, GROUPING_FUNCTIONS
from firesteel.functions.signatures.function import suggestion
from firesteel.functions.signatures.known_names import REFUSE_FIRST_NULL, REFUSE_NULL
from firesteel.functions.signatures.over_functions import OVER_ONLY
from firesteel.functions.signatures.table import FUNCTIONS, NOT_YET
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.windowing import AUXILIARIES, GROUP_WINDOWS
from firesteel.sql import syntax
from firesteel.types import sql
from firesteel.types.coerce import common_type
from firesteel.types.sql import SqlType, TypeRoot

_PLANNED_AS = {"CHARACTER_LENGTH": "CHAR_LENGTH"}
Special = Callable[[Sequence[Expr], syntax.Call], Expr]


def _function(binder: Binder, node: syntax.Call) -> Expr:
    name = node.name.upper()
    name = "CEIL" if name == "CEILING" else name  # the parser has one name for both
    place = node.range
    if node.over is not None:
        if binder.on_over is None:
            raise ValidationError("OVER is not allowed here", range=place)
        return binder.on_over(node)
    user = user_function(node.name, binder.context.catalog)
    if user is not None and user.is_table:
        raise ValidationError(f"Cannot call table function here: '{node.name}'", range=place)
    if user is not None and not user.is_aggregate:
        return call_user(user, node.name, [binder.bind_typed(arg) for arg in node.args], place)
    if user is not None or name in AGGREGATES or name in GROUPING_FUNCTIONS:
        if binder.on_aggregate is None:
            raise ValidationError(f"Aggregate function {name} is not allowed here", range=place)
        return binder.on_aggregate(node)
    if name in OVER_ONLY:
        raise ValidationError("OVER clause is necessary for window functions", range=place)
    if name in scalar_json.FORMS:
        return scalar_json.FORMS[name](binder, node)
    args = binder.bind_all(node.args)
    if name in REFUSE_NULL:
        refuse_nulls(*node.args)
    elif name in REFUSE_FIRST_NULL:
        refuse_nulls(*node.args[:1])
    if name in ("FLOOR", "CEIL", "CEILING") and node.options:
        return scalar_times.rounded("FLOOR" if name == "FLOOR" else "CEIL", args, node)
    if name == "CURRENT_DATABASE" and not args:
        database = binder.context.catalog.current_database
        return Call(name, (), sql.STRING.with_nullable(False), (database,), range=place)
    if name == "CURRENT_CATALOG":  # Calcite parses it, but Flink has no such function
        raise ValidationError(f"Column '{name}' not found in any table", range=place)
    special = SPECIAL.get(name)
    if special is not None:
        count, build = special
        _check_count(name, args, count, place)
        return build(args, node)
    if name not in FUNCTIONS:
        raise _unknown(node.name, args, place)
    return call_named(name, args, place, node.options)


def call_named(
    name: str, args: Sequence[Expr], place: SourceRange | None, options: tuple[str, ...] = ()
) -> Expr:
    """Return the call of a function of the function table.

    Raises:
        ValidationError: The arguments are wrong.
    """
    rows = FUNCTIONS[name]
    types = [a.type for a in args]
    row = next((row for row in rows if row.accepts(types)), None)
    if row is None:
        raise wrong_arguments(name, rows, types, place)
    typed = tuple(
        _typed(arg, null_of(name, family))
        for arg, family in zip(args, row.families(len(args)) or (), strict=True)
    )
    if row.prepare is not None:
        prepared = row.prepare(args)
        if prepared is None:
            raise ValidationError(wrong_types(), hint=f"the types of {name} do not agree", range=place)
        typed = tuple(prepared)
    return Call(_PLANNED_AS.get(name, name), typed, row.result_type(typed), options, range=place)


def _typed(arg: Expr, kind: SqlType) -> Expr:
    return cast(arg, kind) if arg.type.root is TypeRoot.NULL else arg


def _unknown(written: str, args: Sequence[Expr], place: SourceRange) -> FiresteelError:
    """Return the error for an unknown function: NotSupportedError if Flink has it, else ValidationError."""
    name = written.upper()
    if name in NOT_YET:
        return NotSupportedError(f"Function {name} is not supported yet", range=place)
    return unknown_function(written, args, place, suggestion(name, [*FUNCTIONS, *SPECIAL]))


def _check_count(name: str, args: Sequence[Expr], allowed: tuple[int, int], place: SourceRange) -> None:
    if not allowed[0] <= len(args) <= allowed[1]:
        raise wrong_count(name, allowed[0], [a.type for a in args], place)


def _typeof(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return the call TYPEOF(x [, serializable]), whose result is the type of `x` as text.

    Raises:
        ValidationError: `serializable` is no BOOLEAN literal. Or the type of `x` is NOT NULL, but Flink's
            generated code assumes that `x` may be NULL: there, Flink fails, too.
    """
    kind = args[0].type
    if not kind.nullable and _is_generated_nullable(args[0]):
        raise ValidationError(
            f"Mismatch of function's argument data type '{kind}' and actual argument type "
            f"'{kind.with_nullable(True)}'.",
            range=node.range,
        )
    if len(args) == 2 and not (isinstance(args[1], Literal) and isinstance(args[1].value, bool)):
        raise ValidationError("Invalid input arguments. Literal expected.", range=node.range)
    return Call("TYPEOF", tuple(args), sql.STRING, range=node.range)


def _is_generated_nullable(expr: Expr) -> bool:
    """Return whether Flink's generated code assumes that a value may be NULL whatever its arguments are.

    This holds for PROCTIME(), and for intervals added to a DATE or TIME (ScalarOperatorGens,
    ProctimeMaterialize).
    """
    if not isinstance(expr, Call):
        return False
    moved = expr.function in ("+", "-") and expr.type.root in (TypeRoot.DATE, TypeRoot.TIME)
    return moved or expr.function == "PROCTIME"


def _array(args: Sequence[Expr], node: syntax.Call) -> Expr:
    if not args:
        raise ValidationError("Require at least 1 argument", range=node.range)
    element = _common(args, node)
    return Call(
        "ARRAY", tuple(cast(a, element) for a in args), _not_null(sql.array(element)), range=node.range
    )


def _map(args: Sequence[Expr], node: syntax.Call) -> Expr:
    if not args:
        raise ValidationError("Map requires at least 2 arguments", range=node.range)
    if len(args) % 2:
        raise ValidationError("Map requires an even number of arguments", range=node.range)
    key, value = _common(args[::2], node), _common(args[1::2], node)
    typed = tuple(cast(a, value if i % 2 else key) for i, a in enumerate(args))
    return Call("MAP", typed, _not_null(sql.map_of(key, value)), range=node.range)


def _common(args: Sequence[Expr], node: syntax.Call) -> SqlType:
    kind = common_type([a.type for a in args])
    roots = {a.type.root for a in args}
    mixed = TypeRoot.DATE in roots and not roots.isdisjoint(sql.TIMESTAMPS)
    if kind is None or mixed or (kind.root is TypeRoot.NULL and node.name.upper() == "ARRAY"):
        raise ValidationError("Parameters must be of the same type", range=node.range)
    return kind


def _not_null(kind: SqlType) -> SqlType:
    return kind.with_nullable(False)


def _row(args: Sequence[Expr], node: syntax.Call) -> Expr:
    refuse_nulls(*node.args)
    names = tuple(f"EXPR${i}" for i in range(len(args)))
    kind = sql.row(names, tuple(a.type for a in args))
    return Call("ROW", tuple(args), _not_null(kind), range=node.range)


def _trim(args: Sequence[Expr], node: syntax.Call) -> Expr:
    args = [cast(a, sql.STRING) if a.type.root is TypeRoot.NULL else a for a in args]
    if not all(a.type.is_character for a in args):
        shown = ", ".join(f"<{calcite_name(a.type)}>" for a in args)
        raise ValidationError(
            f"Cannot apply 'TRIM' to arguments of type 'TRIM({shown})'. Supported form(s): "
            "'TRIM([BOTH|LEADING|TRAILING] <STRING1> FROM <STRING2>)'",
            range=node.range,
        )
    kind = SqlType(TypeRoot.VARCHAR, nullable(*args), length=args[-1].type.length or 0)
    return Call("TRIM", tuple(args), kind, node.options or ("BOTH",), range=node.range)


def _mod(args: Sequence[Expr], node: syntax.Call) -> Expr:
    return arithmetic("MOD", args[0], args[1], node.range)


def _part(unit: str) -> Special:
    """Return the binder of a function such as YEAR(x), which is EXTRACT(YEAR FROM x)."""
    return lambda args, node: scalar_times.extracted(unit, args[0], node.range)


_PARTS = {
    **{name: name for name in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")},
    "DAYOFYEAR": "DOY",
    "DAYOFMONTH": "DAY",
    "DAYOFWEEK": "DOW",
}
SPECIAL: dict[str, tuple[tuple[int, int], Special]] = {
    "NULLIF": ((2, 2), lambda args, node: scalar_conditional.nullif(args, node.range)),
    "COALESCE": ((1, 1000), lambda args, node: scalar_conditional.coalesce(args, node.range)),
    "IFNULL": ((2, 2), lambda args, node: scalar_conditional.ifnull(args, node.range)),
    "IF": ((3, 3), lambda args, node: scalar_conditional.if_(args, node.range)),
    "GREATEST": ((1, 1000), lambda args, node: scalar_conditional.extreme("GREATEST", args, node.range)),
    "LEAST": ((1, 1000), lambda args, node: scalar_conditional.extreme("LEAST", args, node.range)),
    "MOD": ((2, 2), _mod),
    "EXTRACT": ((1, 1), scalar_times.extract),
    "TIMESTAMPADD": ((2, 2), scalar_times.add),
    "TIMESTAMPDIFF": ((2, 2), scalar_times.diff),
    **{name: ((1, 1), _part(unit)) for name, unit in _PARTS.items()},
    "TYPEOF": ((1, 2), _typeof),
    "CURRENT_WATERMARK": ((0, 10000), watermark_functions.current_watermark),
    "SOURCE_WATERMARK": ((0, 0), watermark_functions.source_watermark),
    "OBJECT_OF": ((1, 10000), scalar_objects.object_of),
    "OBJECT_UPDATE": ((1, 10000), scalar_objects.object_update),
    "ARRAY": ((0, 10000), _array),
    "MAP": ((0, 10000), _map),
    "ROW": ((1, 10000), _row),
    "TRIM": ((2, 2), _trim),
    **dict.fromkeys(GROUP_WINDOWS, ((0, 10000), group_windows.misplaced)),
    **dict.fromkeys(AUXILIARIES, ((0, 10000), group_windows.auxiliary)),
}
"""Name of each special form -> (least and greatest number of arguments, function that binds it)."""

RULES: dict[type[syntax.Node], Rule] = {syntax.Call: _function}
