"""A view's query as Flink keeps it: names qualified, stars expanded, subqueries named.

Source: SqlValidatorImpl (registerFrom, expandStar, expandOrderExpr) and SqlSelectOperator.unparse of Calcite;
Flink's SqlNodeConvertUtils.toCatalogView.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

from firesteel.bind.user_functions import user_function
from firesteel.bind.windows import WINDOW_FUNCTIONS
from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Table, View
from firesteel.sql import nodes
from firesteel.sql.dialect import Path, Star, path_of
from firesteel.sql.unparse_calls import CallWriter, hint
from firesteel.sql.unparse_types import quoted
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class _Relation:
    """An entry of FROM: the name that it is known by, the table's path, its columns by name."""

    alias: str
    path: tuple[str, ...]
    columns: dict[str, SqlType | None]

    def is_named(self, path: tuple[str, ...]) -> bool:
        if len(path) == 1:
            return path[0] == self.alias
        return len(path) <= len(self.path) and self.path[-len(path) :] == path


@dataclass
class _Scope:
    """What names stand for: the entries of FROM, then those of the query around it."""

    relations: list[_Relation] = field(default_factory=list)
    outer: _Scope | None = None
    outputs: tuple[str, ...] = ()
    """In ORDER BY: the names of the columns that the query gives."""

    def written(self, path: tuple[str, ...]) -> str:
        """A column with its table; as written where nothing has that name."""
        if len(path) == 1 and path[0] in self.outputs:
            return quoted(path[0])
        for length in range(min(len(path) - 1, 3), 0, -1):
            found = next((r for r in self.relations if r.is_named(path[:length])), None)
            if found is not None:
                return _joined((found.alias, *path[length:]))
        found = next((r for r in self.relations if path[0] in r.columns), None)
        if found is not None:
            return _joined((found.alias, *path))
        return _joined(path) if self.outer is None else self.outer.written(path)


def expanded(query: exp.Expression, text: str, catalog: Catalog) -> tuple[str, tuple[str, ...]]:
    """The text of a query that was bound before, and its columns' names. text: what it was read from."""
    return _QueryWriter(text, catalog).query_with_names(query)


class _QueryWriter(CallWriter):
    def __init__(self, text: str, catalog: Catalog) -> None:
        super().__init__(text)
        self._catalog = catalog
        self._scope = _Scope()
        self._common: dict[str, tuple[str, ...]] = {}
        self._generated = 0

    # --- hooks -----------------------------------------------------------------------------------
    def column(self, path: tuple[str, ...]) -> str:
        return self._scope.written(path)

    def user_function(self, name: str) -> str | None:
        if user_function(name, self._catalog) is None:
            return None
        if self._catalog.functions.system(name) is not None:
            return quoted(name)
        last = name.rpartition(".")[2]
        return _joined((self._catalog.current_catalog, self._catalog.current_database, last))

    def query(self, node: exp.Expression) -> str:
        return self.query_with_names(node)[0]

    def window(self, node: exp.Expression) -> str:
        if not isinstance(node, nodes.OverWindow):
            return quoted(node.name)
        parts = [quoted(node.args["base"].name)] if node.args.get("base") is not None else []
        if node.args.get("partition"):
            parts.append(f"PARTITION BY {self.expressions(node.args['partition'])}")
        if node.args.get("order"):
            parts.append(f"ORDER BY {self.order(node.args['order'])}")
        if node.args.get("unit"):
            low, high = node.args.get("lower"), node.args.get("upper")
            bounds = (
                self._bound(low) if high is None else f"BETWEEN {self._bound(low)} AND {self._bound(high)}"
            )
            parts.append(f"{node.args['unit']} {bounds}")
        return f"({' '.join(parts)})"

    def _bound(self, node: exp.Expression) -> str:
        side = str(node.args["side"])
        if side == "CURRENT ROW":
            return side
        return f"{self.expression(node.expressions[0]) if node.expressions else 'UNBOUNDED'} {side}"

    # --- queries ---------------------------------------------------------------------------------
    def query_with_names(
        self, node: exp.Expression, left: int = 0, right: int = 0, apart: bool = False
    ) -> tuple[str, tuple[str, ...]]:
        """A query's text and its columns' names. left, right: how strongly set operators around it pull;
        apart: it stands in parentheses if it is ordered or limited."""
        if isinstance(node, nodes.Ordered):
            text, names = self._ordered(node)
            return (f"({text})" if apart else text), names
        if isinstance(node, nodes.Select):
            return self._select(node)
        if isinstance(node, nodes.SetOperation):
            return self._set_operation(node, left, right)
        if isinstance(node, nodes.ValuesRows):
            rows = [f"ROW({self.expressions(row.expressions)})" for row in node.expressions]
            names = tuple(f"EXPR${i}" for i in range(len(node.expressions[0].expressions)))
            return "VALUES " + ",\n".join(rows), names
        assert isinstance(node, nodes.WithQuery)
        return self._with(node)

    def _set_operation(self, node: nodes.SetOperation, left: int, right: int) -> tuple[str, tuple[str, ...]]:
        pull = 14 if node.args["operator"] == "INTERSECT" else 12
        around = left > pull or (pull + 1 <= right and right != 0)
        first, names = self.query_with_names(node.this, 0 if around else left, pull, apart=True)
        word = node.args["operator"] + ("" if node.args["distinct"] else " ALL")
        second = self.query_with_names(node.expression, pull + 1, 0 if around else right, apart=True)[0]
        text = f"{first}\n{word}\n{second}"
        return (f"({text})" if around else text), names

    def _with(self, node: nodes.WithQuery) -> tuple[str, tuple[str, ...]]:
        before, tables = self._common, []
        self._common = dict(before)
        for table in node.args["tables"]:
            text, names = self.query_with_names(table.this.this)
            columns = tuple(column.name for column in table.args.get("columns") or [])
            shown = f" ({_listed(columns)})" if columns else ""
            tables.append(f"{quoted(table.args['alias'].name)}{shown} AS ({text})")
            self._common[table.args["alias"].name] = columns or names
        body, names = self.query_with_names(node.this, apart=True)
        self._common = before
        return f"WITH {', '.join(tables)} {body}", names

    def _ordered(self, node: nodes.Ordered) -> tuple[str, tuple[str, ...]]:
        outer = self._scope
        if isinstance(node.this, nodes.Select):
            text, names = self._select(node.this, close=False)
        else:  # Calcite puts a SELECT * around it
            alias = self._generated_alias()
            inner, names = self.query_with_names(node.this)
            items = ", ".join(_joined((alias, name)) for name in names)
            text = f"SELECT {items}\nFROM ({inner}) AS {quoted(alias)}"
            self._scope = _Scope([_Relation(alias, (alias,), dict.fromkeys(names))], outer)
        self._scope.outputs = names
        if node.args.get("order"):
            text += f"\nORDER BY {self.order(node.args['order'])}"
        self._scope = outer
        if node.args.get("offset") is not None:
            text += f"\nOFFSET {node.args['offset'].this} ROWS"
        if node.args.get("fetch") is not None:
            text += f"\nFETCH NEXT {node.args['fetch'].this} ROWS ONLY"
        return text, names

    def _select(self, node: nodes.Select, close: bool = True) -> tuple[str, tuple[str, ...]]:
        """close: leave the scope of the query at its end."""
        outer = self._scope
        self._scope = _Scope(outer=outer)
        source = node.args.get("source")
        tables = self._from(source) if source is not None else ""
        items, names = self._items(node.expressions)
        distinct = "DISTINCT " if node.args.get("distinct") else ""
        hints = "".join(f"\n{_hint(h)}" for h in node.args.get("hints") or [])
        text = f"SELECT{hints}{chr(10) if hints else ' '}{distinct}{', '.join(items)}"
        if tables:
            text += f"\nFROM {tables}"
        if node.args.get("where") is not None:
            text += f"\nWHERE {self.expression(node.args['where'])}"
        if node.args.get("group") is not None:
            text += f"\nGROUP BY {self._group(node)}"
        if node.args.get("having") is not None:
            text += f"\nHAVING {self.expression(node.args['having'])}"
        if node.args.get("windows"):
            named = [f"{quoted(w.args['alias'].name)} AS {self.window(w.this)}" for w in node.args["windows"]]
            text += "\nWINDOW " + ",\n".join(named)
        if close:
            self._scope = outer
        return text, names

    def _items(self, items: Iterable[exp.Expression]) -> tuple[list[str], tuple[str, ...]]:
        texts: list[str] = []
        names: list[str] = []
        for item in items:
            if isinstance(item, Star):
                for path, name in self._star(item.args["path"]):
                    unique = _unique(name, names)
                    texts.append(_joined(path) + ("" if unique == name else f" AS {quoted(unique)}"))
                    names.append(unique)
                continue
            text, name = self._item(item, len(names))
            texts.append(text)
            names.append(name)
        return texts, tuple(names)

    def _item(self, item: exp.Expression, position: int) -> tuple[str, str]:
        if isinstance(item, exp.Alias):
            return f"{self.expression(item.this, 0, 20)} AS {quoted(item.alias)}", item.alias
        text = self.expression(item, 3, 2)
        if isinstance(item, Path):
            return text, path_of(item)[-1]
        if isinstance(item, exp.Anonymous) and item.args.get("bare"):
            return f"{text} AS {text}", text
        return text, f"EXPR${position}"

    def _star(self, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
        """The columns that a star stands for: how each is written, and its name."""
        relations = [r for r in self._scope.relations if not path or r.is_named(path)]
        if relations:
            return [((r.alias, name), name) for r in relations for name in r.columns]
        for relation in self._scope.relations:
            rest = path[1:] if relation.is_named(path[:1]) and len(path) > 1 else path
            kind = relation.columns.get(rest[0])
            for name in rest[1:]:
                kind = kind.children[kind.names.index(name)] if kind is not None else None
            if kind is not None:
                return [((relation.alias, *rest, name), name) for name in kind.names]
        return []

    def _group(self, node: nodes.Select) -> str:
        items = ", ".join(self._group_item(item) for item in node.args["group"])
        return f"DISTINCT {items}" if node.args.get("group_distinct") else items

    def _group_item(self, item: exp.Expression, inside: bool = False) -> str:
        kinds = {exp.GroupingSets: "GROUPING SETS", exp.Rollup: "ROLLUP", exp.Cube: "CUBE"}
        if type(item) in kinds:
            inner = ", ".join(self._group_item(part, inside=True) for part in item.expressions)
            return f"{kinds[type(item)]}({inner})"
        if isinstance(item, exp.Tuple):
            return "()"
        if inside and isinstance(item, exp.Anonymous) and item.this == "ROW":
            return f"({self.expressions(item.expressions)})"
        return self.expression(item, 3, 2)

    # --- FROM ------------------------------------------------------------------------------------
    def _from(self, node: exp.Expression, nested: bool = False) -> str:
        if isinstance(node, exp.Join):
            return self._join(node, nested)
        if isinstance(node, nodes.Aliased):
            columns = tuple(column.name for column in node.args.get("columns") or [])
            return self._table(node.this, node.args["alias"].name, columns)
        return self._table(node, None, ())

    def _join(self, node: exp.Join, nested: bool) -> str:
        left = self._from(node.args["left"], nested)
        right = self._from(node.this, nested=True)
        if isinstance(node.this, exp.Join):
            right = f"({right})"
        if node.args["kind"] == "COMMA":
            return f"{left},\n{right}"
        natural = "NATURAL " if node.args.get("natural") else ""
        text = f"{left}{' ' if nested else chr(10)}{natural}{node.args['kind']} JOIN {right}"
        if node.args.get("on") is not None:
            text += f" ON {self.expression(node.args['on'])}"
        if node.args.get("using"):
            text += f" USING ({_listed(name.name for name in node.args['using'])})"
        return text

    def _table(self, node: exp.Expression, alias: str | None, columns: tuple[str, ...]) -> str:
        """A table that is no join; it is added to the scope under its alias or its own name."""
        if isinstance(node, (nodes.TableName, nodes.SystemTime)):
            return self._named(node, alias, columns)
        alias = alias or self._generated_alias()
        if isinstance(node, nodes.LateralTable):
            text, found = self._table_function(node)
        else:
            text, names = self._apart(node.this)
            text, found = f"({text})", dict.fromkeys(names)
        return f"{text} AS {self._add(alias, (alias,), found, columns)}"

    def _named(
        self, node: nodes.TableName | nodes.SystemTime, alias: str | None, columns: tuple[str, ...]
    ) -> str:
        table = node.this if isinstance(node, nodes.SystemTime) else node
        hints = "".join(f"\n{_hint(h)}" for h in table.args.get("hints") or [])
        text, path, found = self._columns_of(table.path)
        text += hints
        if isinstance(node, nodes.SystemTime):
            text += f" FOR SYSTEM_TIME AS OF {self.expression(node.args['moment'])}"
        shown = self._add(alias or path[-1], (alias,) if alias else path, found, columns)
        return text if hints and alias is None else f"{text} AS {shown}"

    def _columns_of(self, name: tuple[str, ...]) -> tuple[str, tuple[str, ...], dict[str, SqlType | None]]:
        """A table's name in full, its path and its columns."""
        if len(name) == 1 and name[0] in self._common:
            return quoted(name[0]), name, dict.fromkeys(self._common[name[0]])
        path = self._catalog.path(name)
        entry = self._catalog.find(name)
        columns: dict[str, SqlType | None] = {}
        if isinstance(entry, Table):
            columns = {column.name: column.type for column in entry.columns}
        elif isinstance(entry, View):
            columns = dict(zip(entry.columns, entry.column_types, strict=True))
        return _joined(path), path, columns

    def _add(
        self, alias: str, path: tuple[str, ...], found: dict[str, SqlType | None], columns: tuple[str, ...]
    ) -> str:
        kinds = dict(zip(columns, found.values(), strict=False)) if columns else found
        self._scope.relations.append(_Relation(alias, path, kinds))
        return quoted(alias) + (f" ({_listed(columns)})" if columns else "")

    def _apart(self, query: exp.Expression) -> tuple[str, tuple[str, ...]]:
        """A subquery of FROM: it does not see the tables beside it."""
        outer = self._scope
        self._scope = _Scope(outer=outer.outer)
        found = self.query_with_names(query)
        self._scope = outer
        return found

    # --- table functions -------------------------------------------------------------------------
    def _table_function(self, node: nodes.LateralTable) -> tuple[str, dict[str, SqlType | None]]:
        found: dict[str, SqlType | None] = {}
        arguments = []
        for argument in node.this.expressions:
            name, value = "", argument
            if isinstance(argument, exp.Kwarg):
                name, value = f"{quoted(argument.this.name)} => ", argument.expression
            arguments.append(name + self._argument(value, found))
        function = node.this.this.upper()
        if function in WINDOW_FUNCTIONS:
            found.update(dict.fromkeys(("window_start", "window_end", "window_time")))
        return f"TABLE({function}({', '.join(arguments)}))", found

    def _argument(self, node: exp.Expression, found: dict[str, SqlType | None]) -> str:
        if isinstance(node, exp.Anonymous) and node.this.upper() == "DESCRIPTOR":
            return f"DESCRIPTOR({_listed(path_of(column)[-1] for column in node.expressions)})"
        if not isinstance(node, nodes.TableArgument):
            return self.expression(node, 3, 2)
        if isinstance(node.this, nodes.TableName):
            path, _, columns = self._columns_of(node.this.path)
            alias = node.this.path[-1]
            items = ", ".join(_joined((alias, name)) for name in columns)
            text = f"SELECT {items}\nFROM {path} AS {quoted(alias)}"
        else:
            text, names = self._apart(node.this.this)
            columns = dict.fromkeys(names)
        found.update(columns)
        text = f"({text})"
        for word, items_ in (("PARTITION", node.args.get("partition")), ("ORDER", node.args.get("order"))):
            if items_:
                text += f" {word} BY {', '.join(quoted(_last(item)) for item in items_)}"
        return text

    def _generated_alias(self) -> str:
        self._generated += 1
        return f"EXPR${self._generated - 1}"


def _unique(name: str, taken: list[str]) -> str:
    attempt, found = 0, name
    while found in taken:
        found = f"{name}{attempt}"
        attempt += 1
    return found


def _last(node: exp.Expression) -> str:
    column = node.this if isinstance(node, exp.Ordered) else node
    return path_of(column)[-1]


def _hint(node: exp.Expression) -> str:
    return hint(node.this.name, tuple(node.args.get("options") or ()))


def _joined(parts: Iterable[str]) -> str:
    return ".".join(map(quoted, parts))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))
