"""Aggregate functions: their arguments and result types. Flink: the `AggFunction`s of the planner."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import SourceRange, ValidationError
from firesteel.expr.type_names import calcite_name
from firesteel.types import sql
from firesteel.types.sql import BYTES_LIKE, CHARACTER, DATETIME, INTEGERS, NUMERIC, SqlType, TypeRoot, decimal

_ORDERED = (*NUMERIC, TypeRoot.BOOLEAN, *CHARACTER, *DATETIME)
_HASHED = (TypeRoot.MAP, TypeRoot.ROW, *BYTES_LIKE)

Rule = Callable[[str, tuple[SqlType, ...]], SqlType | None]
"""From the name and the argument types to the result, or None where the arguments are wrong."""


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
    return args[0] if len(args) == 1 and args[0].root in _ORDERED else None


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
    refused = (TypeRoot.DATE, TypeRoot.TIME)
    return sql.varchar(2000).with_nullable(False) if len(args) == 1 and args[0].root not in refused else None


def _json_object(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    fits = len(args) == 2 and args[0].is_character
    return sql.varchar(2000).with_nullable(False) if fits else None


def _percentile(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    if len(args) not in (2, 3) or not args[0].is_numeric:
        return None
    if args[1].root is TypeRoot.ARRAY:
        return sql.array(sql.DOUBLE) if args[1].children[0].is_numeric else None
    return sql.DOUBLE if args[1].is_numeric else None


def _bitmap(name: str, args: tuple[SqlType, ...]) -> SqlType | None:
    wanted = INTEGERS[:3] if name == "BITMAP_BUILD_AGG" else (TypeRoot.BITMAP,)
    return SqlType(TypeRoot.BITMAP) if len(args) == 1 and args[0].root in wanted else None


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
    **dict.fromkeys(
        ["BITMAP_BUILD_AGG", "BITMAP_AND_AGG", "BITMAP_OR_AGG", "BITMAP_XOR_AGG"], (_bitmap, "<BITMAP>")
    ),
}
_BATCH_ONLY = {
    "APPROX_COUNT_DISTINCT": "APPROX_COUNT_DISTINCT aggregate function does not support yet for streaming.",
    **{
        name: f"{name} Function is not supported in stream mode."
        for name in ("LEAD", "NTILE", "CUME_DIST", "PERCENT_RANK")
    },
}

AGGREGATES = frozenset({*_RULES, *_BATCH_ONLY})
"""Names of aggregate functions, those included that streaming queries cannot use."""


def aggregate_type(
    name: str,
    args: tuple[SqlType, ...],
    distinct: bool = False,
    range: SourceRange | None = None,
) -> SqlType:
    """The result type of an aggregate call over a group; COUNT(*) has no arguments.

    Raises ValidationError for wrong arguments, in Flink's words.
    """
    name = name.upper()
    if name in _BATCH_ONLY:
        raise ValidationError(_BATCH_ONLY[name], range=range)
    if name == "COUNT" and len(args) > 1:
        raise ValidationError("We now only support the count of one field.", range=range)
    if name == "COUNT" and distinct and args and args[0].root in _HASHED:
        raise ValidationError(f"COUNT(DISTINCT x) is not possible for {args[0]}", range=range)
    rule, form = _RULES[name]
    kind = rule(name, args)
    if kind is None:
        shown = ", ".join(f"<{calcite_name(t)}>" for t in args)
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type '{name}({shown})'. "
            f"Supported form(s): '{name}({form})'",
            range=range,
        )
    return kind
