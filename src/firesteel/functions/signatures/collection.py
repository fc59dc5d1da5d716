"""Functions of arrays and maps. Flink: BuiltInFunctionDefinitions (ARRAY_*, MAP_*)."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Expr
from firesteel.functions.signatures.function import Function, same_as_first
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.coerce import common_type
from firesteel.types.duckdb import quote
from firesteel.types.sql import BOOLEAN, INT, STRING, SqlType, TypeRoot, array, map_of, row


def _element(args: Sequence[Expr]) -> SqlType:
    return args[0].type.children[0].with_nullable(True)


def _with_element(args: Sequence[Expr]) -> Sequence[Expr] | None:
    """Return an array and a value, both cast to the array's element type.

    The element type becomes nullable if the value is nullable. None if the array is an untyped NULL, or if
    the value does not fit the element type: a BIGINT does not fit an array of INT.
    """
    collection, value = args
    if not collection.type.children:  # The array is an untyped NULL.
        return None
    element = collection.type.children[0]
    common = common_type([element, value.type], widest=True)
    kinds = (element, value.type)
    if _casts_implicitly(value.type, element):
        common = element.with_nullable(any(k.nullable for k in kinds))
    if common is None or not common.same_as(element):
        return None
    return cast(collection, array(common)), cast(value, common.with_nullable(True))


def _casts_implicitly(kind: SqlType, element: SqlType) -> bool:
    """Return whether a value is cast to the element type even if the cast shortens it or drops digits.

    True for a number in an array of DECIMAL, a text in an array of texts, and bytes in an array of bytes.
    One exception is False: a type of varying length in an array of a fixed length, such as VARCHAR in an
    array of CHAR (LogicalTypeCasts.supportsImplicitCast).

    Args:
        kind: Type of the value.
        element: Element type of the array.
    """
    if element.root is TypeRoot.DECIMAL:
        return kind.is_numeric
    if kind.root is element.root:
        return kind.root in (*_TEXTS, *_BYTES)
    return (kind.root, element.root) in (_TEXTS, _BYTES)


_TEXTS = (TypeRoot.CHAR, TypeRoot.VARCHAR)
_BYTES = (TypeRoot.BINARY, TypeRoot.VARBINARY)


def _of_texts(args: Sequence[Expr]) -> Sequence[Expr] | None:
    """Return the arguments unchanged if the first is an array of texts, else None."""
    elements = args[0].type.children  # An untyped NULL has no element type.
    return None if elements and not elements[0].is_character else args


def _ordered_elements(args: Sequence[Expr]) -> Sequence[Expr] | None:
    """Return the arguments, or None if Flink has no order for values of the array's element type.

    In the result, each untyped NULL among the arguments after the array is cast to BOOLEAN.

    Raises:
        ValidationError: The array is an untyped NULL.
    """
    if args[0].type.root is TypeRoot.NULL:
        raise ValidationError("Illegal use of 'NULL'", range=args[0].range)
    element = args[0].type.children[0]
    if element.root in _UNORDERED or element.children:
        return None
    return [args[0], *(cast(a, BOOLEAN) if a.type.root is TypeRoot.NULL else a for a in args[1:])]


_UNORDERED = (TypeRoot.BOOLEAN, TypeRoot.VARIANT, TypeRoot.BITMAP)


def _same_arrays(args: Sequence[Expr]) -> Sequence[Expr] | None:
    common = common_type([a.type for a in args], widest=True)
    if common is None:
        return None
    return [a if _is_alike(a.type, common) else cast(a, common) for a in args]


def _common(args: Sequence[Expr]) -> SqlType:
    """Return the common type of all arguments, nullable if one of them is."""
    kind = common_type([a.type for a in args], widest=True) or args[0].type
    return kind.with_nullable(any(a.type.nullable for a in args))


def _is_alike(kind: SqlType, common: SqlType) -> bool:
    """Return whether two types differ only in text lengths and nullability.

    Plans show no cast between them.
    """
    if kind.is_character and common.is_character:
        return True
    if kind.root is not common.root or len(kind.children) != len(common.children):
        return False
    if not kind.children:
        return kind.same_as(common)
    return all(map(_is_alike, kind.children, common.children))


def _only_element(args: Sequence[Expr]) -> SqlType:
    """Return the element type with its own nullability, even if the array is nullable.

    Flink: ReturnTypes.TO_COLLECTION_ELEMENT.
    """
    return args[0].type.children[0]


def _if_array(args: Sequence[Expr]) -> SqlType:
    """Return BOOLEAN, nullable only if the array is."""
    return BOOLEAN.with_nullable(args[0].type.nullable)


def _keys(args: Sequence[Expr]) -> SqlType:
    return array(args[0].type.children[0]).with_nullable(args[0].type.nullable)


def _values(args: Sequence[Expr]) -> SqlType:
    return array(args[0].type.children[1]).with_nullable(args[0].type.nullable)


def _entries(args: Sequence[Expr]) -> SqlType:
    kind = row(("key", "value"), args[0].type.children)
    return array(kind).with_nullable(args[0].type.nullable)


def _from_arrays(args: Sequence[Expr]) -> SqlType:
    kind = map_of(args[0].type.children[0], args[1].type.children[0])
    return kind.with_nullable(any(a.type.nullable for a in args))


_KEY, _VALUE = quote(KEY), quote(VALUE)

COLLECTION_FUNCTIONS: tuple[Function, ...] = (
    Function("CARDINALITY", "a", INT, "len({0})::INTEGER"),
    Function("CARDINALITY", "m", INT, "len({0})::INTEGER"),
    Function("ELEMENT", "a", _only_element, "@collections.element"),
    Function("ARRAY_CONTAINS", "a z", _if_array, "@collections.contains", prepare=_with_element),
    Function("ARRAY_POSITION", "a z", INT, "@collections.position", prepare=_with_element),
    Function("ARRAY_REMOVE", "a z", same_as_first, "@collections.remove", prepare=_with_element),
    Function("ARRAY_APPEND", "a z", same_as_first, "@collections.append", prepare=_with_element),
    Function("ARRAY_PREPEND", "a z", same_as_first, "@collections.prepend", prepare=_with_element),
    Function("ARRAY_DISTINCT", "a", same_as_first, "@collections.distinct"),
    Function("ARRAY_REVERSE", "a", same_as_first, "list_reverse({0})"),
    Function("ARRAY_MAX", "a", _element, "@collections.greatest", prepare=_ordered_elements),
    Function("ARRAY_MIN", "a", _element, "@collections.least", prepare=_ordered_elements),
    Function("ARRAY_SORT", "a b? b?", same_as_first, "@collections.sort", prepare=_ordered_elements),
    Function("ARRAY_SLICE", "a j j?", same_as_first, "@collections.slice_of"),
    Function("ARRAY_UNION", "a a", _common, "@collections.union", prepare=_same_arrays),
    Function("ARRAY_EXCEPT", "a a", _common, "@collections.difference", prepare=_same_arrays),
    Function("ARRAY_INTERSECT", "a a", _common, "@collections.intersection", prepare=_same_arrays),
    Function("ARRAY_CONCAT", "a a*", _common, "@collections.concat", prepare=_same_arrays),
    Function("ARRAY_JOIN", "a s s?", STRING, "@collections.join", prepare=_of_texts),
    Function("MAP_KEYS", "m", _keys, f"list_transform({{0}}, lambda entry: entry.{_KEY})"),
    Function("MAP_VALUES", "m", _values, f"list_transform({{0}}, lambda entry: entry.{_VALUE})"),
    Function(
        "MAP_ENTRIES",
        "m",
        _entries,
        f"list_transform({{0}}, lambda entry: struct_pack(key := entry.{_KEY}, value := entry.{_VALUE}))",
    ),
    Function("MAP_FROM_ARRAYS", "a a", _from_arrays, "@maps.from_arrays"),
    Function("MAP_UNION", "m m*", _common, "@maps.union", prepare=_same_arrays),
)
