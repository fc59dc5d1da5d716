"""Resolution of names to columns, as in Calcite's validator (case-sensitive)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from operator import itemgetter

from firesteel.bind.common_column import CommonColumn
from firesteel.bind.naming import Names
from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Table
from firesteel.errors import InternalError, NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.expressions.sub_query import correlated_column
from firesteel.plan.tree import Field, Node, unique_columns
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Hint
from firesteel.types.sql import SqlType, TypeRoot


@dataclass(frozen=True)
class BindContext:
    """Context in which a query is bound: catalog, options, time zone and SQL text."""

    catalog: Catalog
    options: Mapping[str, str] = field(default_factory=dict)
    time_zone: str = "UTC"
    sql: str = ""
    common_tables: Mapping[str, tuple[Node, Relation]] = field(default_factory=dict)
    views: tuple[tuple[str, str, str], ...] = ()
    validate: Callable[[Table], Table] | None = None
    """Function that returns a table with the properties of its connector in `Table.traits`.

    It raises ValidationError for wrong options.
    """
    query_binder: Callable[[syntax.Subquery, BindContext], Node] | None = None
    """Function that binds a sub-query. bind/query.py sets it.

    Expressions and queries contain each other, so this module cannot import it.
    """
    hints: tuple[Hint, ...] = ()
    """Hints of the SELECT whose FROM is bound."""
    state_ttl: str = ""
    """How long the aggregates of the current SELECT keep a key: the text of STATE_TTL. "" for the default."""
    outer: Correlation | None = None
    """Outer query, None if there is none."""
    correlations: Iterator[int] = field(default_factory=count)
    """Numbers for the names `$cor0`, `$cor1`, ..."""
    clause: Clause = field(default_factory=lambda: Clause())
    """Clause that is bound now. Its sub-queries share the name of the outer row."""

    def in_clause(self) -> BindContext:
        """Return the context of a new clause, whose sub-queries read the outer row by a name of their own."""
        return replace(self, clause=Clause())

    def bind_inner(self, node: syntax.Subquery, scope: Names) -> tuple[Node, str]:
        """Bind a sub-query of an expression.

        Args:
            node: The sub-query.
            scope: Names that the expression around it may use.

        Returns:
            Its plan, and the name by which it reads columns of the outer query, "" if it reads none.
        """
        if self.query_binder is None:
            raise NotSupportedError("a sub-query is not supported here", range=node.range)
        around = Correlation(scope, self.correlations, clause=self.clause)
        return self.query_binder(node, replace(self.in_clause(), outer=around, state_ttl="")), around.name

    def with_table(self, name: str, node: Node, columns: tuple[str, ...]) -> BindContext:
        """Return the context with one more table of a WITH clause."""
        fields = tuple(replace(f, name=c) for f, c in zip(node.schema, columns, strict=True))
        return replace(self, common_tables={**self.common_tables, name: (node, Relation((name,), fields))})

    def in_view(self, path: tuple[str, str, str], sql: str) -> BindContext:
        """Return the context in which a view's query is bound: no outer query, no tables of WITH."""
        return replace(self, sql=sql, common_tables={}, views=(*self.views, path), outer=None)


@dataclass
class Clause:
    """One clause of a SELECT: all its sub-queries read the outer row by the same name.

    Calcite: SqlToRelConverter.getCorrelationUse, DeduplicateCorrelateVariables.

    Attributes:
        name: Name of the outer row, such as `$cor0`; "" as long as no sub-query reads the row.
    """

    name: str = ""


@dataclass
class Correlation:
    """Outer query of a sub-query, as the sub-query reads it.

    Attributes:
        scope: Names of the outer query.
        numbers: Counter for names. As in Calcite, each read of a column takes the next number. `name` has
            the number of the first read in the clause. The numbers of later reads are not used.
        name: Name of the outer row, such as `$cor0`; "" as long as the sub-query reads no column of it.
        clause: Clause of the outer query that contains the sub-query. Its sub-queries share the name.
    """

    scope: Names
    numbers: Iterator[int]
    name: str = ""
    clause: Clause = field(default_factory=Clause)

    def resolve(self, path: tuple[str, ...], range: SourceRange | None) -> Expr:
        """Return a column of the outer query, or a field of one.

        Raises:
            ValidationError: The outer query has no such column.
        """
        found = self.scope.resolve(path, range)
        return rewrite(found, lambda part: self._column(part, path))

    def _column(self, part: Expr, path: tuple[str, ...]) -> Expr:
        if not isinstance(part, InputRef):
            return part
        number = next(self.numbers)
        self.clause.name = self.clause.name or f"$cor{number}"
        self.name = self.clause.name
        return correlated_column(self.name, path[-1], part)


@dataclass(frozen=True)
class Relation:
    """Entry of FROM: alias or path, columns, and position of its first column among those of all entries."""

    name: tuple[str, ...]
    columns: tuple[Field, ...]
    offset: int = 0

    def is_named(self, path: tuple[str, ...]) -> bool:
        """Return whether a path names the entry: its alias, or the last parts of its table's path."""
        return bool(path) and len(path) <= len(self.name) and self.name[-len(path) :] == path

    def refuse_repeated_names(self, range: SourceRange | None) -> None:
        """Raise ValidationError if `*` would show two columns of one name."""
        seen: set[str] = set()
        for column in self.columns:
            if column.name in seen:
                raise ValidationError(f"Column '{column.name}' is ambiguous", range=range)
            seen.add(column.name)


@dataclass(frozen=True)
class Scope:
    """Names that an expression may use.

    Attributes:
        relations: Entries of FROM, in order.
        times: Positions of time attributes among all columns of the entries.
        common: Columns of USING or NATURAL joins. `*` shows each once, before all other columns of its join.
        outer: Outer query, None if there is none.
    """

    relations: tuple[Relation, ...] = ()
    times: frozenset[int] = frozenset()
    common: tuple[CommonColumn, ...] = ()
    outer: Correlation | None = None

    @classmethod
    def of(cls, node: Node, name: tuple[str, ...] = ()) -> Scope:
        """Return the scope of the columns of one input, whose alias or path is `name`."""
        return cls((Relation(name, node.schema),))

    @property
    def columns(self) -> tuple[Field, ...]:
        return tuple(column for relation in self.relations for column in relation.columns)

    def at(self, index: int) -> InputRef:
        """Return the column at a position of the input."""
        for relation in self.relations:
            if 0 <= index - relation.offset < len(relation.columns):
                return InputRef(index, relation.columns[index - relation.offset].type)
        raise InternalError(f"the scope has no column {index}")

    def of_name(self, name: str) -> list[InputRef]:
        """Return all columns with a name, from left to right."""
        return [self.at(i) for i, column in enumerate(self.columns) if column.name == name]

    def resolve(self, path: tuple[str, ...], range: SourceRange | None) -> Expr:
        """Return the column, or the field of a column, that a path names. The outer query is searched last.

        Raises:
            ValidationError: No column or several columns have the name. The error's hint, if any, says
                what to write, such as a similar name.
        """
        try:
            return self._own(path, range)
        except ValidationError as error:
            if self.outer is None or "is ambiguous" in str(error):
                raise
            try:
                return self.outer.resolve(path, range)
            except ValidationError:
                raise error from None

    def _own(self, path: tuple[str, ...], range: SourceRange | None) -> Expr:
        if len(path) == 1:
            shared = next((c for c in self.common if c.name == path[0] and c.is_named), None)
            return shared.named_value if shared else self._column(path[0], self.relations, range)
        for length in _descending(len(path) - 1):
            found = [r for r in self.relations if r.is_named(path[:length])]
            if found:
                table = ".".join(path[:length])
                column = self._column(path[length], found, range, table)
                return fields_of(column, path[length + 1 :], range, ".".join(path[length:]), table)
        if any(path[0] == column.name for column in self.columns):
            column = self._column(path[0], self.relations, range)
            return fields_of(column, path[1:], range, ".".join(path), self._table_of(path[0]))
        shown = ".".join(path[:-1])
        raise ValidationError(f"Table '{shown}' not found", range=range, hint=self._table_hint(path[0]))

    def star(self, path: tuple[str, ...], range: SourceRange | None) -> list[tuple[str, Expr]]:
        """Return the names and columns of `*` (an empty path), `t.*` or `column.*`."""
        relations = [r for r in self.relations if not path or r.is_named(path)]
        if relations:
            for relation in relations:
                relation.refuse_repeated_names(range)
            common = () if path else self.common
            merged = {ref.index for column in common for ref in column.columns}
            names = [column.name for column in self.columns]
            if common:
                # Columns of one name become k, k0, k1. A column that USING merges is not shown, but takes a
                # name, too: `*` of a JOIN b USING (k) CROSS JOIN c shows k (of a and b), then k1 (of c).
                names = list(unique_columns(names))
            found = [(column.place, names[column.columns[0].index], column.value) for column in common]
            found += [
                (relation.offset + i, names[relation.offset + i], InputRef(relation.offset + i, kind, range))
                for relation in relations
                for i, kind in enumerate(column.type for column in relation.columns)
                if relation.offset + i not in merged
            ]
            return [(name, shown) for _, name, shown in sorted(found, key=itemgetter(0))]
        if not any(path[0] == column.name for column in self.columns) and len(path) == 1:
            raise ValidationError(
                f"Unknown identifier '{path[0]}'", range=range, hint=self._table_hint(path[0])
            )
        row = self.resolve(path, range)
        if row.type.root is not TypeRoot.ROW:
            raise ValidationError(f"'{'.'.join(path)}' is no row: it has no fields", range=range)
        return [(name, fields_of(row, (name,), range)) for name in row.type.names]

    def _column(
        self,
        name: str,
        relations: Iterable[Relation],
        range: SourceRange | None,
        table: str | None = None,
    ) -> Expr:
        relations = list(relations)
        found = [
            InputRef(relation.offset + i, column.type, range)
            for relation in relations
            for i, column in enumerate(relation.columns)
            if column.name == name
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise ValidationError(
                f"Column '{name}' is ambiguous", range=range, hint="put the table's name before it"
            )
        inner = list(_fields_named(name, relations, range))
        if len(inner) > 1:
            raise ValidationError(f"Column '{name}' is ambiguous", range=range, hint="name the ROW before it")
        if inner:
            return inner[0]
        place = "any table" if table is None else f"table '{table}'"
        names = [column.name for relation in relations for column in relation.columns]
        raise not_found(name, place, names, range)

    def _table_of(self, column: str) -> str:
        """Return the name of the table that has a column, "" if none has."""
        found = [r for r in self.relations if any(c.name == column for c in r.columns)]
        return found[0].name[-1] if found and found[0].name else ""

    def _table_hint(self, name: str) -> str | None:
        return did_you_mean(name, [relation.name[-1] for relation in self.relations if relation.name])


def _fields_named(name: str, relations: Iterable[Relation], range: SourceRange | None) -> Iterator[Expr]:
    """Yield the field `name` of each ROW column that has one (Calcite: StructKind.PEEK_FIELDS_NO_EXPAND)."""
    for relation in relations:
        for i, column in enumerate(relation.columns):
            if column.type.root is TypeRoot.ROW and name in column.type.names:
                yield fields_of(InputRef(relation.offset + i, column.type, range), (name,), range)


def _descending(count: int) -> range:
    """Return the range count, count - 1, ..., 1, for methods with a parameter named `range`."""
    return range(count, 0, -1)


def fields_of(
    value: Expr,
    path: tuple[str, ...],
    range: SourceRange | None,
    written: str = "",
    table: str = "",
) -> Expr:
    """Return the field of a ROW `value` that a path of field names leads to.

    Args:
        value: The ROW.
        path: Names of nested fields, the outermost one first.
        range: Position in the statement.
        written: Path for the error message; "" to show only the missing name.
        table: Table for the error message; "" to show the type of the value instead.

    Raises:
        ValidationError: A ROW has no such field.
    """
    for name in path:
        names = value.type.names if value.type.root is TypeRoot.ROW else ()
        if name not in names:
            place = f"table '{table}'" if table else f"a value of type {value.type}"
            raise not_found(written or name, place, names, range)
        value = Call("ITEM_FIELD", (value,), field_type(value.type, name), (name,), range)
    return value


def not_found(name: str, place: str, names: Iterable[str], range: SourceRange | None) -> ValidationError:
    """Return the error for an unknown column, with Calcite's message and a similar name if there is one."""
    known = list(names)
    last = name.rsplit(".", 1)[-1]
    same = [other for other in known if other.lower() == last.lower()]
    if same:
        return ValidationError(
            f"Column '{name}' not found in {place}; did you mean '{same[0]}'?",
            range=range,
            hint="names are case-sensitive",
        )
    return ValidationError(
        f"Column '{name}' not found in {place}", range=range, hint=did_you_mean(last, known)
    )


def field_type(row: SqlType, name: str) -> SqlType:
    """Return the type of a ROW's field. It is nullable if the ROW is."""
    kind = row.children[row.names.index(name)]
    return kind.with_nullable(kind.nullable or row.nullable)


def did_you_mean(name: str, names: Iterable[str]) -> str | None:
    """Return a hint with the most similar name, else with all names if there are 1 to 8, else None.

    A name that differs only in case is preferred.
    """
    known = list(dict.fromkeys(names))
    same = [other for other in known if other.lower() == name.lower()]
    near = same or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"there is {', '.join(known)}" if 0 < len(known) <= 8 else None
