"""Argument and result types of aggregate functions. Flink: the `AggFunction` classes of the planner."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.types import sql
from firesteel.types.sql import (
    BYTES_LIKE,
    CHARACTER,
    DATETIME,
    INTEGERS,
    NUMERIC,
    TIMESTAMPS,
    SqlType,
    TypeRoot,
    decimal,
)

_ORDERED = (*NUMERIC, TypeRoot.BOOLEAN, *CHARACTER, *DATETIME)
_NOT_DISTINCT = (TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW, *BYTES_LIKE)
_AS_JSON = (TypeRoot.BOOLEAN, TypeRoot.VARIANT, *NUMERIC, *CHARACTER, *BYTES_LIKE, *TIMESTAMPS)

Rule = Callable[[str, tuple[SqlType, ...]], SqlType | None]
"""Function from name and argument types to the result type, or to None if the arguments are wrong."""


def _sum(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    if len(args) != 1 or not args[0].is_numeric:
        return None
    kind = args[0]
    if kind.root is TypeRoot.DECIMAL:
        kind = decimal(38, kind.scale or 0).with_nullable(kind.nullable)
    return kind.with_nullable(False) if name == "$SUM0" else kind


def _average(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    if len(args) != 1 or not args[0].is_numeric:
        return None
    kind = args[0]
    if kind.root is TypeRoot.DECIMAL:
        return decimal(38, max(6, kind.scale or 0)).with_nullable(kind.nullable)
    return kind


def _extreme(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    if args[0].root not in _ORDERED:
        what = f"{name.title()} aggregate function does not support type: ''{args[0].root.name}''."
        if name == "SINGLE_VALUE":
            what = f"{name} aggregate function doesn't support type '{args[0].root.name}'."
        raise ValidationError(what)
    return args[0]


def _any_one(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    return args[0] if len(args) == 1 else None


def _count(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    return sql.BIGINT.with_nullable(False)


def _listagg(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    if len(args) not in (1, 2) or not all(t.is_character for t in args):
        return None
    return args[0]


def _collect(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    return SqlType(TypeRoot.MULTISET, False, children=args) if len(args) == 1 else None


def _array(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    return sql.array(args[0]) if len(args) == 1 else None


def _json_array(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    check_json(args[0])
    return sql.varchar(2000).with_nullable(False)


def _json_object(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    if not args[0].is_character:
        return None
    check_json(args[1])
    return sql.varchar(2000).with_nullable(False)


def check_json(kind: SqlType) -> None:
    """Check that a type can be converted to JSON.

    Raises:
        ValidationError: The type cannot be converted. The message is Flink's.
    """
    if kind.root is TypeRoot.MAP and not kind.children[0].is_character:
        raise ValidationError(
            f"Type '{kind.children[0]}' is not supported for JSON conversion. "
            "The key type must be a character string."
        )
    if kind.root in (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.ROW):
        for child in kind.children:
            check_json(child)
    elif kind.root not in _AS_JSON:
        raise ValidationError(f"Type '{kind}' is not scalar or cannot be converted into JSON.")


def _percentile(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    """Return the type of PERCENTILE(value, percentage, frequency): DOUBLE, or an ARRAY for an array.

    `percentage` may be an array of percentages. The result is then an array with one DOUBLE for each.

    Raises:
        ValidationError: The value is not a number, a percentage is not DOUBLE NOT NULL, or the optional
            frequency is not an integer.
    """
    share = args[1].children[0] if args[1].root is TypeRoot.ARRAY else args[1]
    fits = args[0].is_numeric and share.root is TypeRoot.DOUBLE and not share.nullable
    if not fits or args[1].nullable or len(args) > 3 or (len(args) == 3 and not args[2].is_integer):
        raise ValidationError("Invalid input arguments.", hint=_PERCENTILE_HINT)
    return sql.DOUBLE if share is args[1] else sql.array(sql.DOUBLE)


_PERCENTILE_HINT = (
    "PERCENTILE takes a number, a percentage between 0 and 1 (or an array of them) that is never NULL, and "
    "perhaps an integer frequency"
)


def _bitmap(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    """Return the type of the BITMAP_*_AGG functions: a bitmap or its cardinality, both nullable."""
    wanted = INTEGERS[:3] if name.startswith("BITMAP_BUILD") else (TypeRoot.BITMAP,)
    if len(args) != 1 or args[0].root not in wanted:
        raise ValidationError("Invalid input arguments.")
    return sql.BIGINT if "CARDINALITY" in name else SqlType(TypeRoot.BITMAP)


_NUMBER = "<NUMERIC>"
_COMPARABLE = "<COMPARABLE_TYPE>"
_RULES: dict[str, tuple[Rule, str]] = {
    "COUNT": (_count, "<ANY>"),
    "SUM": (_sum, _NUMBER),
    "$SUM0": (_sum, _NUMBER),
    **dict.fromkeys(
        ["AVG", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP"], (_average, _NUMBER)
    ),
    **dict.fromkeys(["MIN", "MAX", "SINGLE_VALUE"], (_extreme, _COMPARABLE)),
    **dict.fromkeys(["FIRST_VALUE", "LAST_VALUE"], (_any_one, "<ANY>")),
    "LISTAGG": (_listagg, "<CHARACTER>"),
    "COLLECT": (_collect, "<ANY>"),
    "ARRAY_AGG": (_array, "<ANY>"),
    "JSON_ARRAYAGG": (_json_array, "<ANY>"),
    "JSON_OBJECTAGG": (_json_object, "<CHARACTER>, <ANY>"),
    "PERCENTILE": (_percentile, "<NUMERIC>, <NUMERIC>"),
    **{
        f"BITMAP_{name}{suffix}_AGG": (_bitmap, "<BITMAP>")
        for name in ("BUILD", "AND", "OR", "XOR")
        for suffix in ("", "_CARDINALITY")
    },
}
_BATCH_ONLY = {
    "APPROX_COUNT_DISTINCT": "APPROX_COUNT_DISTINCT aggregate function does not support yet for streaming.",
    **{
        name: f"{name} Function is not supported in stream mode."
        for name in ("LEAD", "NTILE", "CUME_DIST", "PERCENT_RANK")
    },
}

GROUPING_FUNCTIONS = ("GROUPING", "GROUPING_ID", "GROUP_ID")
"""Functions that tell which grouping set a result row belongs to, by the key columns that the set omits.

A query may call them wherever it may call an aggregate function."""

AGGREGATES = frozenset({*_RULES, *_BATCH_ONLY})
"""Names of all aggregate functions, including those that streaming queries cannot use."""


def refuse_batch_only(name: str, range: SourceRange | None = None) -> None:
    """Reject a function that streaming queries cannot use.

    Raises:
        ValidationError: `name` is such a function. The message is Flink's.
    """
    if name in _BATCH_ONLY:
        raise ValidationError(_BATCH_ONLY[name], range=range)


def aggregate_type(
    name: str,
    args: tuple[SqlType, ...],
    distinct: bool = False,
    range: SourceRange | None = None,
) -> SqlType:
    """Return the result type of an aggregate call in a grouped query.

    Args:
        name: Name of the function, in any case.
        args: Argument types, empty for COUNT(*).
        distinct: Whether the call has DISTINCT.
        range: Position of the call, for errors.

    Raises:
        ValidationError: The arguments are wrong. The message is Flink's.
    """
    name = name.upper()
    refuse_batch_only(name, range)
    if name == "COUNT" and len(args) > 1:
        raise ValidationError("We now only support the count of one field.", range=range)
    rule, form = _RULES[name]
    try:
        kind = rule(name, args)
    except (NotSupportedError, ValidationError) as error:
        error.range = error.range or range
        raise
    if distinct and kind is not None and args[0].root in _NOT_DISTINCT:
        raise ValidationError(
            f"Distinct aggregate function does not support type: {args[0].root.name}.", range=range
        )
    if kind is None:
        shown = ", ".join(f"<{calcite_name(t)}>" for t in args)
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type '{name}({shown})'. "
            f"Supported form(s): '{name}({form})'",
            range=range,
        )
    return kind
