"""Column names of an entry of FROM, with or without a column list after its alias."""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.plan.tree import Node
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Aliased, CommonTable


def validated_names(source: Node) -> tuple[str, ...]:
    """Return the names by which a query's columns can be referenced.

    A column without a name is EXPR$n. In the plan, n is the position of the column. In a reference, n is the
    number of different names before the column (SqlValidatorImpl.addToSelectList):

        SELECT a, a, 1   ->   a, a, EXPR$2 in the plan, but a, a, EXPR$1 in a reference
    """
    names: list[str] = []
    for i, field in enumerate(source.schema):
        names.append(f"EXPR${len(set(names))}" if field.name == f"EXPR${i}" else field.name)
    return tuple(names)


def column_names(node: Aliased | CommonTable, source: Node) -> tuple[str, ...]:
    """Return the names of the column list after an alias, or the names of the source if there is no list."""
    columns = tuple(column.name for column in node.columns)
    if not columns:
        return validated_names(source)
    _check_columns(columns, source, node)
    return columns


def _check_columns(columns: tuple[str, ...], source: Node, node: syntax.Node) -> None:
    names = [field.name for field in source.schema]
    if len(columns) != len(names):
        shown = ", ".join(f"'{name}'" for name in names)
        raise ValidationError(
            f"List of column aliases must have same degree as table; table has {len(names)} columns "
            f"({shown}), whereas alias list has {len(columns)} columns",
            range=node.range,
        )
    for name in columns:
        if columns.count(name) > 1:
            raise ValidationError(f"Duplicate name '{name}' in column alias list", range=node.range)
