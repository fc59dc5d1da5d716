"""Columns into which UNNEST splits a collection, and the names that Flink gives them."""

from __future__ import annotations

from firesteel.plan.tree import Field
from firesteel.types.sql import INT, SqlType, TypeRoot

COLLECTIONS = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET)
"""Types that UNNEST can split."""

_ORDINALITY = Field("ORDINALITY", INT.with_nullable(False))


def element_types(collection: SqlType) -> tuple[SqlType, ...]:
    """Return the types of an element's columns: key and value of a MAP, fields of a ROW, or the element."""
    if collection.root is TypeRoot.MAP:
        return collection.children
    (element,) = collection.children
    if element.root is not TypeRoot.ROW:
        return (element,)
    return tuple(kind.with_nullable(kind.nullable or element.nullable) for kind in element.children)


def uncollected_fields(collection: SqlType, ordinality: bool) -> tuple[Field, ...]:
    """Return the columns of a query's UNNEST (Calcite: Uncollect.deriveUncollectRowType)."""
    names = _field_names(collection)
    if names is None:
        names = ("KEY", "VALUE") if collection.root is TypeRoot.MAP else ("EXPR$0",)
    return _named(names, collection, ordinality)


def function_fields(collection: SqlType, ordinality: bool) -> tuple[Field, ...]:
    """Return the columns of the function that takes a collection apart (Flink: UnnestRowsFunction)."""
    names = _field_names(collection)
    if names is None and collection.root is not TypeRoot.MAP:
        names = ("EXPR$0",) if ordinality else ("f0",)
    return _named(names or ("f0", "f1"), collection, ordinality)


def _field_names(collection: SqlType) -> tuple[str, ...] | None:
    """Return the field names of a collection's elements, None if the elements are no rows."""
    element = collection.children[0]
    is_row = collection.root is not TypeRoot.MAP and element.root is TypeRoot.ROW
    return element.names if is_row else None


def _named(names: tuple[str, ...], collection: SqlType, ordinality: bool) -> tuple[Field, ...]:
    fields = tuple(map(Field, names, element_types(collection)))
    return (*fields, _ORDINALITY) if ordinality else fields
