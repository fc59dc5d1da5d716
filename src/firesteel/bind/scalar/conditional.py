"""Binding of CASE, NULLIF, COALESCE, IFNULL, IF, GREATEST and LEAST, and of CAST."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.bind.binder import Binder, Rule
from firesteel.bind.names import Scope
from firesteel.bind.scalar.comparison import check_assignable, compare
from firesteel.bind.scalar.operators import junction
from firesteel.bind.scalar.wrong_arguments import incomparable, wrong_types
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.moment_casting import recast_moment
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.sql import syntax
from firesteel.types import sql
from firesteel.types.coerce import can_cast, common_type
from firesteel.types.sql import BYTES_LIKE, CHARACTER, NUMERIC, TIMESTAMPS, SqlType, TypeRoot


def _case(binder: Binder, node: syntax.Case) -> Expr:
    place = node.range
    subject = binder.bind(node.subject) if node.subject is not None else None
    conditions, results = [], []
    for branch in node.branches:
        conditions.append(_condition(binder, subject, branch.tests, place))
        results.append(binder.bind(branch.result))
    results.append(binder.bind(node.default) if node.default is not None else Literal(None, sql.NULL))
    return case(conditions, results, place)


def _condition(
    binder: Binder, subject: Expr | None, tests: Sequence[syntax.Node], place: SourceRange
) -> Expr:
    """Return the condition of a branch of CASE.

    With a subject, it holds if the subject equals one of the tests. Without one, the only test is the
    condition.
    """
    if subject is None:
        return binder.bind(tests[0])
    return junction("OR", [compare("=", subject, binder.bind(value), place) for value in tests], place)


def case(conditions: Sequence[Expr], results: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return a CASE. All results are cast to their common type.

    Args:
        conditions: One for each WHEN.
        results: One for each condition, and the last for ELSE.
        place: Position in the statement.

    Raises:
        ValidationError: A condition is no BOOLEAN, the results have no common type, or all results are NULL.
    """
    roots = {r.type.root for r in results}
    if TypeRoot.DATE in roots and roots & set(TIMESTAMPS):
        raise _mixed(place)
    kind = _unified(results, place)
    check_assignable([kind, *(r.type for r in results if r.type.root is not TypeRoot.NULL)], place)
    args: list[Expr] = []
    for condition, result in zip(conditions, results, strict=False):
        if condition.type.root is TypeRoot.NULL:
            condition = cast(condition, sql.BOOLEAN)
        if condition.type.root is not TypeRoot.BOOLEAN:
            raise ValidationError("Expected a boolean type", range=condition.range or place)
        args += [condition, cast(result, kind)]
    args.append(cast(results[-1], kind))
    return Call("CASE", tuple(args), kind, range=place)


def _unified(args: Sequence[Expr], place: SourceRange | None, widest: bool = False) -> SqlType:
    kind = common_type([a.type for a in args], widest)
    if kind is None:
        raise _mixed(place)
    if kind.root is TypeRoot.NULL:
        raise _without_type(place)
    return kind


def _without_type(place: SourceRange | None) -> ValidationError:
    return ValidationError("ELSE clause or at least one THEN clause must be non-NULL", range=place)


def _mixed(place: SourceRange | None) -> ValidationError:
    return ValidationError("Illegal mixing of types in CASE or COALESCE statement", range=place)


def _of_new_stack(args: Sequence[Expr], place: SourceRange | None) -> SqlType:
    """Return the common type of the arguments of COALESCE or IFNULL, by Flink's LogicalTypeMerging.

    The common type of a DATE and a TIMESTAMP is DATE.

    Raises:
        ValidationError: The arguments have no common type.
    """
    if common_type([a.type for a in args], widest=True) is None:
        raise ValidationError(wrong_types(), range=place)
    kind = _unified(args, place, widest=True)
    dates = [a.type for a in args if a.type.root is TypeRoot.DATE]
    return dates[0] if dates and kind.root in TIMESTAMPS else kind


def nullif(args: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return NULLIF(a, b) as `CASE WHEN a = b THEN NULL ELSE a END`."""
    value, other = args
    if value.type.root is TypeRoot.NULL:
        raise _without_type(place)
    kind = value.type.with_nullable(True)
    condition = compare("=", value, other, place)
    null = Literal(None, kind)
    if _differ(value, other):  # Calcite simplifies NULLIF(1, 2) to 1, which is NOT NULL
        kind = value.type
    return Call("CASE", (condition, null, value), kind, range=place)


def _differ(value: Expr, other: Expr) -> bool:
    if not isinstance(value, Literal) or not isinstance(other, Literal):
        return False
    return value.type.is_integer and other.type.is_integer and value.value != other.value


def coalesce(args: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return COALESCE. The type of its result is the common type of its arguments.

    The arguments are cast to this type. But if it is a string type, only NULL literals are cast. The result
    is NOT NULL if any argument is.
    """
    kind = _of_new_stack(args, place).with_nullable(all(a.type.nullable for a in args))
    return Call("COALESCE", _as_written(args, kind, kind.is_character), kind, range=place)


def ifnull(args: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return IFNULL(a, b). The arguments are cast as those of COALESCE (Flink: IfNullTypeStrategy).

    If `a` is NOT NULL, the result has the type of `a` after this cast. Otherwise, the result has the common
    type of `a` and `b`, and is nullable if `b` is.
    """
    kind = _of_new_stack(args, place)
    kind = kind.with_nullable(all(a.type.nullable for a in args))
    written = _as_written(args, kind, kind.is_character)
    return Call("IFNULL", written, kind if args[0].type.nullable else written[0].type, range=place)


def _as_written(args: Sequence[Expr], kind: SqlType, kept: bool) -> tuple[Expr, ...]:
    """Return the arguments of COALESCE, IFNULL or IF, cast to their common type or with their own types.

    Args:
        args: The arguments.
        kind: The common type.
        kept: False to cast all arguments. True to cast only NULL literals without a type; all other arguments
            are returned as they are.
    """
    return tuple(a if kept and a.type.root is not TypeRoot.NULL else cast(a, kind) for a in args)


_LEAST_RESTRICTIVE = (NUMERIC, CHARACTER, BYTES_LIKE)
_IF_FAMILIES = (*_LEAST_RESTRICTIVE, (TypeRoot.BOOLEAN,), (TypeRoot.DATE,), (TypeRoot.TIME,), TIMESTAMPS)


def if_(args: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return IF(condition, a, b), which is nullable if any of the three is (FlinkReturnTypes.IF_NULLABLE).

    If `a` and `b` are two numbers, two strings or two byte strings, the result has their common type. If both
    are BOOLEAN, both DATE, both TIME, or both timestamps, the result has the type of `a`.

    Raises:
        ValidationError: The condition is no BOOLEAN, or `a` and `b` have other types, such as two arrays.
    """
    condition, *results = args
    roots = {a.type.root for a in results}
    family = next((family for family in _IF_FAMILIES if roots <= set(family)), None)
    if condition.type.root is not TypeRoot.BOOLEAN or family is None:
        shown = ", ".join(f"<{calcite_name(a.type)}>" for a in args)
        raise ValidationError(
            f"Cannot apply 'IF' to arguments of type 'IF({shown})'. Supported form(s): "
            "'IF(<ANY_TYPE>, <NUMERIC_TYPE>, <NUMERIC_TYPE>)'",
            range=place,
        )
    kind = _unified(results, place) if family in _LEAST_RESTRICTIVE else results[0].type
    kind = kind.with_nullable(any(a.type.nullable for a in args))
    return Call("IF", (condition, *_as_written(results, kind, True)), kind, range=place)


_INCOMPARABLE = (
    *(TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW, *BYTES_LIKE),
    *(TypeRoot.VARIANT, TypeRoot.BITMAP),
)


def extreme(name: str, args: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return GREATEST or LEAST. The result is NULL if any argument is NULL.

    Raises:
        ValidationError: An argument is a NULL without a type or has a type without an order, such as ARRAY.
            Or the arguments have no common type, or are a DATE and a TIMESTAMP.
    """
    for arg in args:
        if arg.type.root in _INCOMPARABLE:
            raise incomparable([a.type for a in args], arg.range or place)
        if arg.type.root is TypeRoot.NULL:
            raise ValidationError(f"{name} of a NULL without a type", hint="CAST(NULL AS ...)", range=place)
    if len({a.type.root for a in args} & {TypeRoot.DATE, *TIMESTAMPS}) > 1:
        raise ValidationError(f"{name} of a DATE and a TIMESTAMP: cast them to one type", range=place)
    common = common_type([a.type for a in args], widest=True)
    if common is None:
        raise incomparable([a.type for a in args], place)
    return Call(name, tuple(args), common.with_nullable(any(a.type.nullable for a in args)), range=place)


def _cast(binder: Binder, node: syntax.Cast) -> Expr:
    operand = binder.bind(node.operand)
    target = node.type.sql_type
    place = node.range
    check_cast(operand.type, target, place)
    if node.safe:
        if operand.type.root is TypeRoot.NULL:
            return cast(operand, target, place)
        if isinstance(operand, Literal):
            recast_moment(operand.value, operand.type, target)
        if operand.type == target.with_nullable(True):
            return operand
        return Call("TRY_CAST", (operand,), target.with_nullable(True), range=place)
    if _is_time(binder, operand) and operand.type.same_as(target.with_nullable(operand.type.nullable)):
        return Call("CAST", (operand,), operand.type, ("TIMESTAMP",), place)
    if not isinstance(operand, Literal) and operand.type.same_as(target):
        # `cast` would drop a cast to the operand's own type. In conditions such as WHERE, Flink's plans keep
        # such a cast.
        return Call("CAST", (operand,), operand.type, range=place)
    return cast(operand, target, place)


def _is_time(binder: Binder, expr: Expr) -> bool:
    """Return whether an expression is a time attribute.

    A cast of a time attribute to its own type must stay in the plan: its result is a plain timestamp, no time
    attribute.
    """
    scope = binder.scope
    return isinstance(expr, InputRef) and isinstance(scope, Scope) and expr.index in scope.times


def check_cast(source: SqlType, target: SqlType, place: SourceRange | None) -> None:
    """Raise ValidationError, with Flink's message, if Flink has no such cast."""
    if source.is_integer and target.root is TypeRoot.TIMESTAMP_LTZ:  # Flink: NumericToTimestampCastRule
        raise ValidationError(
            "The cast from NUMERIC type to TIMESTAMP_LTZ type is not allowed.",
            hint="use TO_TIMESTAMP_LTZ(numeric_col, precision) instead",
            range=place,
        )
    if can_cast(source, target):
        return
    if source.root in TIMESTAMPS and target.root in NUMERIC:
        raise ValidationError(
            f"The cast from {source.root.value} type to NUMERIC type is not allowed.",
            hint="use UNIX_TIMESTAMP(CAST(timestamp_col AS STRING)) instead",
            range=place,
        )
    first, second = calcite_name(source), calcite_name(target)
    raise ValidationError(f"Cast function cannot convert value of type {first} to type {second}", range=place)


RULES: dict[type[syntax.Node], Rule] = {syntax.Case: _case, syntax.Cast: _cast}
