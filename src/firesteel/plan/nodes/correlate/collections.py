"""Columns into which UNNEST splits a collection, and the names that Flink gives them."""

from __future__ import annotations

from firesteel.plan.tree import Field
from firesteel.types.sql import INT, SqlType, TypeRoot

COLLECTIONS = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET)
"""Types that UNNEST can split."""

_ORDINALITY = Field("ORDINALITY", INT.with_nullable(False))


def element_types(collection: SqlType) -> tuple[SqlType, ...]:
    """Return the types of the columns into which UNNEST splits each element of a collection.

    - MAP<k, v>: k and v.
    - ARRAY or MULTISET of ROW<a, b>: a and b, both nullable if the ROW is nullable.
    - ARRAY or MULTISET of another type e: e.
    """
    if collection.root is TypeRoot.MAP:
        return collection.children
    (element,) = collection.children
    if element.root is not TypeRoot.ROW:
        return (element,)
    return tuple(kind.with_nullable(kind.nullable or element.nullable) for kind in element.children)


def uncollected_fields(collection: SqlType, ordinality: bool) -> tuple[Field, ...]:
    """Return the output columns of an Uncollect node, the form that UNNEST has until rules rewrite it.

    Fields of a ROW keep their names. The columns of a MAP are KEY and VALUE, and any other element is EXPR$0.
    Calcite: Uncollect.deriveUncollectRowType.

    Args:
        collection: An ARRAY, MAP or MULTISET.
        ordinality: Whether a last column ORDINALITY follows (UNNEST .. WITH ORDINALITY).
    """
    names = _field_names(collection)
    if names is None:
        names = ("KEY", "VALUE") if collection.root is TypeRoot.MAP else ("EXPR$0",)
    return _named(names, collection, ordinality)


def function_fields(collection: SqlType, ordinality: bool) -> tuple[Field, ...]:
    """Return the output columns of the table function by which a rule replaces the Uncollect node of UNNEST.

    The types are those of `uncollected_fields`, but some names differ. Fields of a ROW keep their names. The
    columns of a MAP are f0 and f1. Any other element is f0, or EXPR$0 if there is an ordinality.
    Flink: UnnestRowsFunction.

    Args:
        collection: An ARRAY, MAP or MULTISET.
        ordinality: Whether a last column ORDINALITY follows (UNNEST .. WITH ORDINALITY).
    """
    names = _field_names(collection)
    if names is None and collection.root is not TypeRoot.MAP:
        names = ("EXPR$0",) if ordinality else ("f0",)
    return _named(names or ("f0", "f1"), collection, ordinality)


def _field_names(collection: SqlType) -> tuple[str, ...] | None:
    """Return the field names of the elements of an ARRAY or MULTISET of ROWs, None for other collections."""
    element = collection.children[0]
    is_row = collection.root is not TypeRoot.MAP and element.root is TypeRoot.ROW
    return element.names if is_row else None


def _named(names: tuple[str, ...], collection: SqlType, ordinality: bool) -> tuple[Field, ...]:
    fields = tuple(map(Field, names, element_types(collection)))
    return (*fields, _ORDINALITY) if ordinality else fields
