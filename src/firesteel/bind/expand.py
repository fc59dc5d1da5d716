"""The text of a view's query as Flink stores it: names qualified, stars expanded, sub-queries named.

Source: SqlValidatorImpl (registerFrom, expandStar, expandOrderExpr) and SqlSelectOperator.unparse of Calcite;
Flink's SqlNodeConvertUtils.toCatalogView.
"""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.bind.aggregate.windows import WINDOW_FUNCTIONS
from firesteel.bind.expand_scope import Relation, Scope, element_names, joined, listed
from firesteel.bind.scalar.user_functions import user_function
from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Table, View
from firesteel.sql import syntax
from firesteel.sql.query_syntax import (
    Aliased,
    GroupingSets,
    Hint,
    Join,
    Lateral,
    LateralTable,
    Ordered,
    Row,
    Select,
    SetOperation,
    SystemTime,
    TableArgument,
    TableName,
    Unnest,
    ValuesRows,
    WithQuery,
)
from firesteel.sql.syntax import Star
from firesteel.sql.unparse_calls import CallWriter, hint
from firesteel.sql.unparse_types import quoted
from firesteel.types.sql import SqlType


def expanded(query: syntax.Node, text: str, catalog: Catalog) -> tuple[str, tuple[str, ...]]:
    """Return the expanded text of a query and its column names. The query must be free of errors."""
    return _QueryWriter(text, catalog).query_with_names(query)


class _QueryWriter(CallWriter):
    def __init__(self, text: str, catalog: Catalog) -> None:
        super().__init__(text)
        self._catalog = catalog
        self._scope = Scope()
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
        return joined((self._catalog.current_catalog, self._catalog.current_database, last))

    def query(self, node: syntax.Node) -> str:
        return self.query_with_names(node)[0]

    def window(self, node: syntax.OverWindow | syntax.Identifier) -> str:
        if isinstance(node, syntax.Identifier):
            return quoted(node.name)
        parts = [quoted(node.base.name)] if node.base is not None else []
        if node.partition:
            parts.append(f"PARTITION BY {self.expressions(node.partition)}")
        if node.order:
            parts.append(f"ORDER BY {self.order(node.order)}")
        if node.unit and node.lower is not None:
            bounds = self._bound(node.lower)
            if node.upper is not None:
                bounds = f"BETWEEN {bounds} AND {self._bound(node.upper)}"
            parts.append(f"{node.unit} {bounds}")
        return f"({' '.join(parts)})"

    def _bound(self, node: syntax.FrameBound) -> str:
        if node.side == "CURRENT ROW":
            return node.side
        return f"{'UNBOUNDED' if node.size is None else self.expression(node.size)} {node.side}"

    # --- queries ---------------------------------------------------------------------------------
    def query_with_names(
        self, node: syntax.Node, left: int = 0, right: int = 0, apart: bool = False
    ) -> tuple[str, tuple[str, ...]]:
        """Return the text of a query and the names of its columns.

        `left` and `right` are the precedences of the set operators on each side, 0 if there is none. `apart`:
        whether a query with ORDER BY or LIMIT gets parentheses.
        """
        if isinstance(node, Ordered):
            text, names = self._ordered(node)
            return (f"({text})" if apart else text), names
        if isinstance(node, Select):
            return self._select(node)
        if isinstance(node, SetOperation):
            return self._set_operation(node, left, right)
        if isinstance(node, ValuesRows):
            rows = [f"ROW({self.expressions(row.items)})" for row in node.rows]
            names = tuple(f"EXPR${i}" for i in range(len(node.rows[0].items)))
            return "VALUES " + ",\n".join(rows), names
        assert isinstance(node, WithQuery)
        return self._with(node)

    def _set_operation(self, node: SetOperation, left: int, right: int) -> tuple[str, tuple[str, ...]]:
        pull = 14 if node.operator == "INTERSECT" else 12
        around = left > pull or (pull + 1 <= right and right != 0)
        first, names = self.query_with_names(node.left, 0 if around else left, pull, apart=True)
        word = node.operator + ("" if node.distinct else " ALL")
        second = self.query_with_names(node.right, pull + 1, 0 if around else right, apart=True)[0]
        text = f"{first}\n{word}\n{second}"
        return (f"({text})" if around else text), names

    def _with(self, node: WithQuery) -> tuple[str, tuple[str, ...]]:
        before, tables = self._common, []
        self._common = dict(before)
        for table in node.tables:
            text, names = self.query_with_names(table.subquery.query)
            columns = tuple(column.name for column in table.columns)
            shown = f" ({listed(columns)})" if columns else ""
            tables.append(f"{quoted(table.name.name)}{shown} AS ({text})")
            self._common[table.name.name] = columns or names
        body, names = self.query_with_names(node.query, apart=True)
        self._common = before
        return f"WITH {', '.join(tables)} {body}", names

    def _ordered(self, node: Ordered) -> tuple[str, tuple[str, ...]]:
        outer = self._scope
        if isinstance(node.query, Select):
            text, names = self._select(node.query, close=False)
        else:  # Around any other query, such as a UNION, Calcite writes SELECT <its columns> FROM (...).
            alias = self._generated_alias()
            inner, names = self.query_with_names(node.query)
            items = ", ".join(joined((alias, name)) for name in names)
            text = f"SELECT {items}\nFROM ({inner}) AS {quoted(alias)}"
            self._scope = Scope([Relation(alias, (alias,), dict.fromkeys(names))], outer)
        self._scope.outputs = names
        if node.order:
            text += f"\nORDER BY {self.order(node.order)}"
        self._scope = outer
        if node.offset is not None:
            text += f"\nOFFSET {self.expression(node.offset)} ROWS"
        if node.fetch is not None:
            text += f"\nFETCH NEXT {self.expression(node.fetch)} ROWS ONLY"
        return text, names

    def _select(self, node: Select, close: bool = True) -> tuple[str, tuple[str, ...]]:
        """Return the text and column names of a SELECT. Unless `close`, keep its scope open for ORDER BY."""
        outer = self._scope
        self._scope = Scope(outer=outer)
        tables = self._from(node.source) if node.source is not None else ""
        items, names = self._items(node.items)
        distinct = "DISTINCT " if node.distinct else ""
        hints = "".join(f"\n{_hint(h)}" for h in node.hints)
        text = f"SELECT{hints}{chr(10) if hints else ' '}{distinct}{', '.join(items)}"
        if tables:
            text += f"\nFROM {tables}"
        if node.where is not None:
            text += f"\nWHERE {self.expression(node.where)}"
        if node.group:
            text += f"\nGROUP BY {self._group(node)}"
        if node.having is not None:
            text += f"\nHAVING {self.expression(node.having)}"
        if node.windows:
            named = [f"{quoted(w.name.name)} AS {self.window(w.window)}" for w in node.windows]
            text += "\nWINDOW " + ",\n".join(named)
        if node.qualify is not None:
            text += f"\nQUALIFY {self.expression(node.qualify)}"
        if close:  # Otherwise, _ordered writes ORDER BY in this scope, and then closes it.
            self._scope = outer
        return text, names

    def _items(self, items: Iterable[syntax.Node]) -> tuple[list[str], tuple[str, ...]]:
        texts: list[str] = []
        names: list[str] = []
        for item in items:
            if isinstance(item, Star):
                for path, name in self._star(item.path):
                    unique = _unique(name, names)
                    texts.append(joined(path) + ("" if unique == name else f" AS {quoted(unique)}"))
                    names.append(unique)
                continue
            text, name = self._item(item, len(names))
            texts.append(text)
            names.append(name)
        return texts, tuple(names)

    def _item(self, item: syntax.Node, position: int) -> tuple[str, str]:
        if isinstance(item, Aliased):
            return f"{self.expression(item.value, 0, 20)} AS {quoted(item.alias.name)}", item.alias.name
        text = self.expression(item, 3, 2)
        if isinstance(item, syntax.Column):
            return text, item.path[-1]
        if isinstance(item, syntax.Call) and item.bare:
            return f"{text} AS {text}", text
        return text, f"EXPR${position}"

    def _star(self, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
        """Return the columns that a star stands for: the qualified path of each, and its name."""
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

    def _group(self, node: Select) -> str:
        items = ", ".join(self._group_item(item) for item in node.group)
        return f"DISTINCT {items}" if node.group_distinct else items

    def _group_item(self, item: syntax.Node, inside: bool = False) -> str:
        if isinstance(item, GroupingSets):
            inner = ", ".join(self._group_item(part, inside=True) for part in item.items)
            return f"{item.kind}({inner})"
        if isinstance(item, Row):
            return "()"
        if inside and isinstance(item, syntax.Call) and item.name == "ROW":
            return f"({self.expressions(item.args)})"
        return self.expression(item, 3, 2)

    # --- FROM ------------------------------------------------------------------------------------
    def _from(self, node: syntax.Node, nested: bool = False) -> str:
        if isinstance(node, Join):
            return self._join(node, nested)
        if isinstance(node, Aliased):
            columns = tuple(column.name for column in node.columns)
            return self._table(node.value, node.alias.name, columns)
        return self._table(node, None, ())

    def _join(self, node: Join, nested: bool) -> str:
        left = self._from(node.left, nested)
        right = self._from(node.right, nested=True)
        if isinstance(node.right, Join):
            right = f"({right})"
        if node.kind == "COMMA":
            return f"{left},\n{right}"
        natural = "NATURAL " if node.natural else ""
        text = f"{left}{' ' if nested else chr(10)}{natural}{node.kind} JOIN {right}"
        if node.on is not None:
            text += f" ON {self.expression(node.on)}"
        if node.using:
            text += f" USING ({listed(name.name for name in node.using)})"
        return text

    def _table(self, node: syntax.Node, alias: str | None, columns: tuple[str, ...]) -> str:
        """Return the text of an entry of FROM that is no join, and add the entry to the scope."""
        if isinstance(node, (TableName, SystemTime)):
            return self._named(node, alias, columns)
        if isinstance(node, Unnest):
            return self._unnest(node, alias, columns)
        alias = alias or self._generated_alias()
        if isinstance(node, LateralTable) and node.call.name.upper() not in WINDOW_FUNCTIONS:
            return self._user_table(node, alias, columns)
        if isinstance(node, LateralTable):
            text, found = self._table_function(node)
        elif isinstance(node, Lateral):
            text, found = self._lateral(node)
        else:
            text, names = self._apart(node.query if isinstance(node, syntax.Subquery) else node)
            text, found = f"({text})", dict.fromkeys(names)
        return f"{text} AS {self._add(alias, (alias,), found, columns)}"

    def _user_table(self, node: LateralTable, alias: str, columns: tuple[str, ...]) -> str:
        """Return the text of a user-defined table function. Columns in its arguments stay as written."""
        scope, self._scope = self._scope, Scope()
        text = self.expression(node.call)
        self._scope = scope
        user = user_function(node.call.name, self._catalog)
        names = () if user is None else user.result.names
        found: dict[str, SqlType | None] = dict.fromkeys(names)
        lateral = "LATERAL " * node.lateral
        return f"{lateral}TABLE({text}) AS {self._add(alias, (alias,), found, columns)}"

    def _unnest(self, node: Unnest, alias: str | None, columns: tuple[str, ...]) -> str:
        """Return the text of UNNEST. Unlike other entries of FROM, it shows no generated alias."""
        text = f"UNNEST({self.expressions(node.collections)})" + " WITH ORDINALITY" * node.ordinality
        found: dict[str, SqlType | None] = dict.fromkeys(element_names(node, alias, self._scope))
        shown = self._add(alias or self._generated_alias(), (alias,) if alias else (), found, columns)
        return text if alias is None else f"{text} AS {shown}"

    def _named(
        self,
        node: TableName | SystemTime,
        alias: str | None,
        columns: tuple[str, ...],
    ) -> str:
        table = node.table if isinstance(node, SystemTime) else node
        hints = "".join(f"\n{_hint(h)}" for h in table.hints)
        text, path, found = self._columns_of(table.path)
        text += hints
        if isinstance(node, SystemTime):
            text += f" FOR SYSTEM_TIME AS OF {self.expression(node.moment)}"
        shown = self._add(alias or path[-1], (alias,) if alias else path, found, columns)
        return text if hints and alias is None else f"{text} AS {shown}"

    def _columns_of(self, name: tuple[str, ...]) -> tuple[str, tuple[str, ...], dict[str, SqlType | None]]:
        """Return a table's qualified name, its parts, and the column types by name (None for WITH tables)."""
        if len(name) == 1 and name[0] in self._common:
            return quoted(name[0]), name, dict.fromkeys(self._common[name[0]])
        path = self._catalog.path(name)
        entry = self._catalog.find(name)
        columns: dict[str, SqlType | None] = {}
        if isinstance(entry, Table):
            columns = {column.name: column.type for column in entry.columns}
        elif isinstance(entry, View):
            columns = dict(zip(entry.columns, entry.column_types, strict=True))
        return joined(path), path, columns

    def _add(
        self, alias: str, path: tuple[str, ...], found: dict[str, SqlType | None], columns: tuple[str, ...]
    ) -> str:
        kinds = dict(zip(columns, found.values(), strict=False)) if columns else found
        self._scope.relations.append(Relation(alias, path, kinds))
        return quoted(alias) + (f" ({listed(columns)})" if columns else "")

    def _lateral(self, node: Lateral) -> tuple[str, dict[str, SqlType | None]]:
        """Return the text of LATERAL (query), and its column names with None in place of their types."""
        outer, query = self._scope, node.subquery.query
        self._scope = Scope(outer=outer)
        text, names = self.query_with_names(query)
        self._scope = outer
        space = " " * isinstance(query, (Select, Ordered))  # Calcite: LATERAL (SELECT 1), LATERAL(VALUES 1)
        return f"LATERAL{space}({text})", dict.fromkeys(names)

    def _apart(self, query: syntax.Node) -> tuple[str, tuple[str, ...]]:
        """Return the text of a sub-query, which cannot read other entries of FROM, and its column names."""
        outer = self._scope
        self._scope = Scope(outer=outer.outer)
        found = self.query_with_names(query)
        self._scope = outer
        return found

    # --- table functions -------------------------------------------------------------------------
    def _table_function(self, node: LateralTable) -> tuple[str, dict[str, SqlType | None]]:
        found: dict[str, SqlType | None] = {}
        arguments = []
        for argument in node.call.args:
            name, value = "", argument
            if isinstance(argument, syntax.NamedArgument):
                name, value = f"{quoted(argument.name.name)} => ", argument.value
            arguments.append(name + self._argument(value, found))
        function = node.call.name.upper()
        if function in WINDOW_FUNCTIONS:
            found.update(dict.fromkeys(("window_start", "window_end", "window_time")))
        return f"TABLE({function}({', '.join(arguments)}))", found

    def _argument(self, node: syntax.Node, found: dict[str, SqlType | None]) -> str:
        if isinstance(node, syntax.Call) and node.name.upper() == "DESCRIPTOR":
            return f"DESCRIPTOR({listed(_last(column) for column in node.args)})"
        if not isinstance(node, TableArgument):
            return self.expression(node, 3, 2)
        if isinstance(node.table, TableName):
            path, _, columns = self._columns_of(node.table.path)
            alias = node.table.path[-1]
            items = ", ".join(joined((alias, name)) for name in columns)
            text = f"SELECT {items}\nFROM {path} AS {quoted(alias)}"
        else:
            assert isinstance(node.table, syntax.Subquery)
            text, names = self._apart(node.table.query)
            columns = dict.fromkeys(names)
        found.update(columns)
        text = f"({text})"
        for word, items_ in (("PARTITION", node.partition), ("ORDER", node.order)):
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


def _last(node: syntax.Node) -> str:
    column = node.value if isinstance(node, syntax.OrderItem) else node
    assert isinstance(column, syntax.Column)
    return column.path[-1]


def _hint(node: Hint) -> str:
    return hint(node.name.name, node.options)
