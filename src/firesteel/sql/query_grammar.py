"""Queries: SELECT, VALUES, WITH, set operations, FROM, and what may follow them."""

from __future__ import annotations

from sqlglot import exp

from firesteel.sql import dialect
from firesteel.sql.from_grammar import FromGrammar
from firesteel.sql.lexer import Kind
from firesteel.sql.nodes import (
    Ordered,
    OverWindow,
    Select,
    SetOperation,
    TableName,
    ValuesRows,
    WithQuery,
)

_SETS = ("UNION", "EXCEPT", "MINUS", "INTERSECT")
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "TABLE")


class QueryGrammar(FromGrammar):
    """Reads one query."""

    def is_query_ahead(self) -> bool:
        """Looks past opening parentheses; `((1) + 2)` is no query."""
        count = 0
        while self.symbol_ahead("(", count):
            count += 1
        token = self.ahead(count)
        if token.word == "VALUES" and count == 0:
            return True
        return token.word in ("SELECT", "WITH", "VALUES") or (
            token.word == "TABLE" and not self.symbol_ahead("(", count + 1)
        )

    def query(self) -> exp.Expression:
        """[WITH ...] body [ORDER BY ...] [LIMIT ...]."""
        start = self.token.start
        with_start = self.accept("WITH")
        if with_start:
            if self.at("RECURSIVE"):
                raise self.not_supported("WITH RECURSIVE", self.token)
            tables = self.list_of(self._common_table)
            body = self._ordered(self._set_operation())
            return self.place(WithQuery(tables=tables, this=body), start)
        return self._ordered(self._set_operation())

    def _common_table(self) -> exp.Expression:
        start = self.token.start
        name = self.name()
        columns = self.column_names()
        self.expect("AS")
        return self.place(exp.CTE(this=self.subquery(), alias=name, columns=columns), start)

    def _ordered(self, body: exp.Expression) -> exp.Expression:
        start = int(body.meta["start"])
        order = self.order_by() if self.accept("ORDER", "BY") else []
        offset: exp.Expression | None = None
        fetch: exp.Expression | None = None
        if self.accept("LIMIT"):
            fetch = None if self.accept("ALL") else self._count()
            if self.at_symbol(","):
                raise self.error("'LIMIT start, count' is not allowed", hint="write LIMIT count OFFSET start")
        if self.accept("OFFSET"):
            offset = self._count()
            self.accept_any("ROW", "ROWS")
            if self.at("LIMIT"):
                raise self.error("'OFFSET start LIMIT count' is not allowed", hint="put LIMIT before OFFSET")
        if fetch is None and self.accept("FETCH"):
            self.expect_any("FIRST", "NEXT")
            fetch = self._count()
            self.expect_any("ROW", "ROWS")
            self.expect("ONLY")
        if not order and offset is None and fetch is None:
            return body
        return self.place(Ordered(this=body, order=order, offset=offset, fetch=fetch), start)

    def _count(self) -> exp.Expression:
        start = self.token.start
        return self.place(exp.Literal(this=str(self.integer()), is_string=False), start)

    def order_by(self) -> list[exp.Expression]:
        return self.list_of(self.order_item)

    def order_item(self) -> exp.Expression:
        start = self.token.start
        item = self.expression()
        descending = self.accept_any("ASC", "DESC") == "DESC"
        nulls_first: bool | None = None
        if self.accept("NULLS"):
            nulls_first = self.expect_any("FIRST", "LAST") == "FIRST"
        return self.place(exp.Ordered(this=item, desc=descending, nulls_first=nulls_first), start)

    # --- set operations --------------------------------------------------------------------------
    def _set_operation(self, tight: bool = False) -> exp.Expression:
        """INTERSECT binds more tightly than the others; each is left associative."""
        start = self.token.start
        left = self._leaf() if tight else self._set_operation(tight=True)
        operators = ("INTERSECT",) if tight else ("UNION", "EXCEPT", "MINUS")
        while self.at_any(*operators):
            token = self.advance()
            distinct = self.accept_any("ALL", "DISTINCT") != "ALL"
            right = self._leaf() if tight else self._set_operation(tight=True)
            operator = "EXCEPT" if token.word == "MINUS" else token.word
            left = self.place(
                SetOperation(this=left, expression=right, operator=operator, distinct=distinct), start
            )
        return left

    def _leaf(self) -> exp.Expression:
        start = self.token.start
        if self.at("SELECT"):
            return self._select()
        if self.at("VALUES"):
            return self._values()
        if self.at("TABLE"):
            self.advance()
            table = self.place(TableName(parts=self.path()), start)
            return self.place(
                Select(expressions=[self.place(dialect.Star(path=()), start)], source=table), start
            )
        if self.at_symbol("("):
            self.advance()
            inner = self.query()
            self.expect_symbol(")")
            return self.place(inner, start)
        raise self.error()

    def _values(self) -> exp.Expression:
        start = self.advance().start
        return self.place(ValuesRows(expressions=self.list_of(self._values_row)), start)

    def _values_row(self) -> exp.Expression:
        start = self.token.start
        self.accept("ROW") if self.symbol_ahead("(") else None
        if self.at_symbol("("):
            items = self.in_parentheses(lambda: self.list_of(self.expression))
        else:
            items = [self.expression()]
        return self.place(exp.Tuple(expressions=items), start)

    # --- SELECT ----------------------------------------------------------------------------------
    def _select(self) -> exp.Expression:
        start = self.advance().start
        node = Select(hints=self.hints())
        if self.at("STREAM"):
            raise self.error("SELECT STREAM is not supported")
        node.set("distinct", self.accept_any("ALL", "DISTINCT") == "DISTINCT")
        node.set("expressions", self.list_of(self._select_item))
        if self.accept("FROM"):
            node.set("source", self.from_clause())
            if self.accept("WHERE"):
                node.set("where", self.expression())
            if self.at("GROUP"):
                self._group_by(node)
            if self.accept("HAVING"):
                node.set("having", self.expression())
            if self.accept("WINDOW"):
                node.set("windows", self.list_of(self._named_window))
            if self.at("QUALIFY"):
                raise self.error("Flink has no QUALIFY", hint="filter a subquery with ROW_NUMBER()")
        return self.place(node, start)

    def _select_item(self) -> exp.Expression:
        start = self.token.start
        if self.accept_symbol("*"):
            return self.place(dialect.Star(path=()), start)
        star = self._qualified_star(start)
        if star is not None:
            return star
        item = self.expression()
        if self.accept("AS"):
            return self.place(exp.Alias(this=item, alias=self.name()), start)
        if self.at_name():
            return self.place(exp.Alias(this=item, alias=self.name()), start)
        return item

    def _qualified_star(self, start: int) -> exp.Expression | None:
        length = 0
        while self.ahead(length).kind in (Kind.WORD, Kind.QUOTED) and self.symbol_ahead(".", length + 1):
            length += 2
        if not length or not self.symbol_ahead("*", length):
            return None
        path = []
        for _ in range(length // 2):
            path.append(str(self.name().this))
            self.expect_symbol(".")
        self.expect_symbol("*")
        return self.place(dialect.Star(path=tuple(path)), start)

    def _group_by(self, node: Select) -> None:
        self.advance()
        self.expect("BY")
        node.set("group_distinct", self.accept_any("ALL", "DISTINCT") == "DISTINCT")
        node.set("group", self.list_of(self._grouping))

    def _grouping(self) -> exp.Expression:
        """A group item; GROUPING SETS, ROLLUP and CUBE are exp.GroupingSets, exp.Rollup and exp.Cube."""
        start = self.token.start
        if self.accept("GROUPING", "SETS"):
            return self.place(
                exp.GroupingSets(expressions=self.in_parentheses(lambda: self.list_of(self._grouping))), start
            )
        for word, kind in (("ROLLUP", exp.Rollup), ("CUBE", exp.Cube)):
            if self.accept(word):
                return self.place(
                    kind(expressions=self.in_parentheses(lambda: self.list_of(self.expression))), start
                )
        if self.symbol_ahead("(", 0) and self.symbol_ahead(")"):
            self.advance()
            self.advance()
            return self.place(exp.Tuple(expressions=[]), start)
        return self.expression()

    def _named_window(self) -> exp.Expression:
        start = self.token.start
        name = self.name()
        self.expect("AS")
        return self.place(exp.Alias(this=self._window_body(), alias=name), start)

    def window(self) -> exp.Expression:
        return self._window_body() if self.at_symbol("(") else self.name()

    def _window_body(self) -> exp.Expression:
        start = self.token.start
        self.expect_symbol("(")
        node = OverWindow()
        if self.at_name() and not self.at_any("PARTITION", "ORDER", "ROWS", "RANGE"):
            node.set("base", self.name())
        if self.accept("PARTITION", "BY"):
            node.set("partition", self.list_of(self.expression))
        if self.accept("ORDER", "BY"):
            node.set("order", self.order_by())
        unit = self.accept_any("ROWS", "RANGE")
        if unit:
            node.set("unit", unit)
            if self.accept("BETWEEN"):
                node.set("lower", self._bound())
                self.expect("AND")
                node.set("upper", self._bound())
            else:
                node.set("lower", self._bound())
        self.expect_symbol(")")
        return self.place(node, start)

    def _bound(self) -> exp.Expression:
        start = self.token.start
        if self.accept("CURRENT", "ROW"):
            return self.place(exp.Tuple(expressions=[], side="CURRENT ROW"), start)
        size = None if self.accept("UNBOUNDED") else self.expression()
        side = self.expect_any("PRECEDING", "FOLLOWING")
        return self.place(exp.Tuple(expressions=[size] if size else [], side=side), start)
