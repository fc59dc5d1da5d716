"""Names of a view's query while its text is expanded (expand.py)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from firesteel.plan.nodes.correlate.collections import COLLECTIONS, uncollected_fields
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Unnest
from firesteel.sql.unparse_types import quoted
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Relation:
    """Entry of FROM: its alias, the path of the table, and its columns by name."""

    alias: str
    path: tuple[str, ...]
    columns: dict[str, SqlType | None]

    def is_named(self, path: tuple[str, ...]) -> bool:
        if len(path) == 1:
            return path[0] == self.alias
        return len(path) <= len(self.path) and self.path[-len(path) :] == path


@dataclass
class Scope:
    """Scope of names: the entries of FROM of a query, and the scope of the query around it."""

    relations: list[Relation] = field(default_factory=list)
    outer: Scope | None = None
    outputs: tuple[str, ...] = ()
    """Names of the columns of the query's result. ORDER BY may use them."""

    def written(self, path: tuple[str, ...]) -> str:
        """Return the text of a column, qualified by its table. An unknown name stays as written."""
        if len(path) == 1 and path[0] in self.outputs:
            return quoted(path[0])
        for length in range(min(len(path) - 1, 3), 0, -1):
            found = next((r for r in self.relations if r.is_named(path[:length])), None)
            if found is not None:
                return joined((found.alias, *path[length:]))
        found = next((r for r in self.relations if path[0] in r.columns), None)
        if found is not None:
            return joined((found.alias, *path))
        return joined(path) if self.outer is None else self.outer.written(path)

    def type_of(self, path: tuple[str, ...]) -> SqlType | None:
        """Return the type of a column or of a field of a column.

        Return None if no entry of FROM has the column or the field. Return None also for a column of a
        sub-query or of a table of WITH: their types are not computed here.
        """
        for relation in self.relations:
            rest = path[1:] if len(path) > 1 and relation.is_named(path[:1]) else path
            kind = relation.columns.get(rest[0])
            for name in rest[1:]:
                known = kind is not None and name in kind.names
                kind = kind.children[kind.names.index(name)] if kind is not None and known else None
            if kind is not None:
                return kind
        return None


def joined(parts: Iterable[str]) -> str:
    """Return a qualified name: the quoted parts, with dots between them."""
    return ".".join(map(quoted, parts))


def listed(names: Iterable[str]) -> str:
    """Return quoted names with commas between them."""
    return ", ".join(map(quoted, names))


def element_names(node: Unnest, alias: str | None, scope: Scope) -> tuple[str, ...]:
    """Return the names of the columns of UNNEST. A column without a name takes the alias as its name."""
    collection = node.collections[0]
    kind = scope.type_of(collection.path) if isinstance(collection, syntax.Column) else None
    if kind is None or kind.root not in COLLECTIONS:
        names: tuple[str, ...] = ("EXPR$0", *(("ORDINALITY",) if node.ordinality else ()))
    else:
        names = tuple(field.name for field in uncollected_fields(kind, node.ordinality))
    return tuple(alias if name == "EXPR$0" and alias else name for name in names)
