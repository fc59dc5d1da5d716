"""Group windows: GROUP BY TUMBLE(ts, INTERVAL '1' HOUR), and auxiliary functions such as TUMBLE_START(..).

In a bound query a window is the call `$TUMBLE` in the projection below its aggregate, and TUMBLE_START is a
call over the aggregate's column. Flink: SqlGroupedWindowFunction, StreamLogicalWindowAggregateRule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.expressions.operations import walk
from firesteel.plan.metadata import has_type_of_row_time, processing_times
from firesteel.plan.properties.time_attributes import is_time
from firesteel.plan.tree import Node
from firesteel.plan.windowing import AUXILIARIES, GROUP_WINDOWS
from firesteel.sql import syntax
from firesteel.types.sql import SqlType, TypeRoot, timestamp, timestamp_ltz


def group_window(name: str, args: Sequence[Expr], place: SourceRange, below: Node) -> Call:
    """Return the call for a window of GROUP BY.

    Args:
        name: TUMBLE, HOP or SESSION.
        args: The time attribute, then the lengths.
        place: Position of the call in the statement.
        below: Plan of the rows that are grouped.

    Raises:
        ValidationError: The first argument is no time attribute, or a length is wrong.
    """
    call = _window(name, args, place)
    time = args[0]
    has_time = has_type_of_row_time(time, below) or is_time(time, processing_times(below), rowtime=False)
    if not has_time:
        raise ValidationError(
            "Window aggregate can only be defined over a time attribute column, but "
            f"{time.type.with_nullable(True)} encountered.",
            range=place,
            hint="the table needs a WATERMARK for the column, or take a column AS PROCTIME()",
        )
    for length in args[1:]:
        _check_length(name, length, place)
    return call


def auxiliary(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return a call such as TUMBLE_START(ts, size) as TUMBLE_START($TUMBLE(ts, size))."""
    name = node.name.upper()
    function, _, what = name.partition("_")
    _check_count(name, len(args), function, node.range)
    window = _window(function, args, node.range)
    return Call(name, (window,), _auxiliary_type(what, window.type), range=node.range)


def misplaced(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Raise ValidationError for a group window outside of GROUP BY."""
    raise ValidationError(
        f"Group function '${node.name.upper()}' can only appear in GROUP BY clause", range=node.range
    )


def unmatched(call: Call) -> ValidationError:
    """Return the error for an auxiliary function without a window of the same arguments."""
    name, window = call.function, call.function.partition("_")[0]
    return ValidationError(
        f"Call to auxiliary group function '{name}' must have matching call to group function '${window}' in "
        "GROUP BY clause",
        range=call.range,
        hint=f"GROUP BY {window}(..) of the same arguments",
    )


def misplaced_auxiliary(call: Call) -> ValidationError:
    """Return the error for an auxiliary function in a forbidden place, such as TUMBLE_START(..) in WHERE.

    The message is that of Flink's code generator.
    """
    name, window = call.function, call.function.partition("_")[0]
    return ValidationError(
        f"Unsupported call: {name}",
        range=call.range,
        hint=f"it can stand in SELECT, HAVING and ORDER BY of a query with GROUP BY {window}(..)",
    )


def refuse_auxiliaries(expr: Expr, error: Callable[[Call], ValidationError] = unmatched) -> None:
    """Raise an error if the expression contains an auxiliary function such as TUMBLE_START.

    Args:
        expr: The expression.
        error: Makes the error from the call.
    """
    for part in walk(expr):
        if isinstance(part, Call) and part.function in AUXILIARIES:
            raise error(part)


def _window(function: str, args: Sequence[Expr], place: SourceRange) -> Call:
    _check_count(f"${function}", len(args), function, place)
    if not args[0].type.is_datetime or not all(
        a.type.is_interval for a in args[1 : GROUP_WINDOWS[function] + 1]
    ):
        shown = ", ".join(f"<{calcite_name(a.type)}>" for a in args)
        forms = ", ".join("<DATETIME_INTERVAL>" for _ in range(GROUP_WINDOWS[function]))
        raise ValidationError(
            f"Cannot apply '${function}' to arguments of type '${function}({shown})'. Supported form(s): "
            f"'${function}(<DATETIME>, {forms})'",
            range=place,
        )
    return Call(f"${function}", tuple(args), args[0].type, range=place)


def _check_count(shown: str, given: int, function: str, place: SourceRange) -> None:
    expected = 1 + GROUP_WINDOWS[function]
    if given == expected + 1:
        raise ValidationError(f"{function} window with alignment is not supported yet.", range=place)
    if given != expected:
        raise ValidationError(
            f"Invalid number of arguments to function '{shown}'. Was expecting {expected} arguments",
            range=place,
        )


def _check_length(name: str, length: Expr, place: SourceRange) -> None:
    if not isinstance(length, Literal) or not isinstance(length.value, int):
        raise ValidationError("Only constant window descriptors are supported.", range=length.range or place)
    if length.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
        raise ValidationError(
            "Window aggregate only support SECOND, MINUTE, HOUR, DAY as the time unit. MONTH and YEAR time "
            "unit are not supported yet.",
            range=length.range or place,
        )
    if length.value <= 0:
        raise ValidationError(_NOT_POSITIVE[name], range=length.range or place)


_NOT_POSITIVE = {
    "TUMBLE": "TumblingWindowAssigner parameters must satisfy size > 0",
    "HOP": "SlidingWindowAssigner parameters must satisfy slide > 0 and size > 0",
    "SESSION": "SessionWindowAssigner parameters must satisfy 0 < size",
}
"""Messages of Flink's window assigners for lengths that are not positive."""


def _auxiliary_type(what: str, time: SqlType) -> SqlType:
    if what in ("START", "END"):
        return timestamp(3).with_nullable(time.nullable)
    is_local = time.root is TypeRoot.TIMESTAMP_LTZ
    return (timestamp_ltz(3) if is_local else timestamp(3)).with_nullable(time.nullable)
