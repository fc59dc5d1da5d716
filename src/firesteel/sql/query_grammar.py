"""Queries: SELECT, VALUES, WITH, set operations, FROM, and what may follow them."""

from __future__ import annotations

from sqlglot import exp

from firesteel.sql import dialect
from firesteel.sql.call_grammar import CallGrammar
from firesteel.sql.lexer import Kind, Token
from firesteel.sql.nodes import (
    Aliased,
    Hint,
    LateralTable,
    Ordered,
    OverWindow,
    Select,
    SetOperation,
    SystemTime,
    TableArgument,
    TableName,
    ValuesRows,
    WithQuery,
)

_SETS = ("UNION", "EXCEPT", "MINUS", "INTERSECT")
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "TABLE")


class QueryGrammar(CallGrammar):
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
        columns = self._column_names()
        self.expect("AS")
        return self.place(exp.CTE(this=self.subquery(), alias=name, columns=columns), start)

    def _column_names(self) -> list[exp.Identifier]:
        return self.in_parentheses(lambda: self.list_of(self.name)) if self.at_symbol("(") else []

    def _ordered(self, body: exp.Expression) -> exp.Expression:
        start = int(body.meta["start"])
        order = self.order_by() if self.accept("ORDER", "BY") else []
        offset: exp.Expression | None = None
        fetch: exp.Expression | None = None
        while self.at_any("LIMIT", "OFFSET", "FETCH"):
            word = self.advance().word
            if word == "LIMIT" and fetch is None:
                fetch = None if self.accept("ALL") else self._count()
                if self.accept_symbol(","):
                    offset, fetch = fetch, self._count()
            elif word == "OFFSET" and offset is None:
                offset = self._count()
                self.accept_any("ROW", "ROWS")
            elif word == "FETCH" and fetch is None:
                self.expect_any("FIRST", "NEXT")
                fetch = self._count()
                self.expect_any("ROW", "ROWS")
                self.expect("ONLY")
            else:
                self.index -= 1
                raise self.error()
        if not order and offset is None and fetch is None:
            return body
        return self.place(Ordered(this=body, order=order, offset=offset, fetch=fetch), start)

    def _count(self) -> exp.Expression:
        start = self.token.start
        return self.place(exp.Literal(this=str(self.integer()), is_string=False), start)

    def order_by(self) -> list[exp.Expression]:
        return self.list_of(self._order_item)

    def _order_item(self) -> exp.Expression:
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
        node = Select(hints=self._hints())
        if self.at("STREAM"):
            raise self.error("SELECT STREAM is not supported")
        node.set("distinct", self.accept_any("ALL", "DISTINCT") == "DISTINCT")
        node.set("expressions", self.list_of(self._select_item))
        if self.accept("FROM"):
            node.set("source", self._from())
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
        if self.at_any("ALL", "DISTINCT"):
            self.advance()
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
                    kind(expressions=self.in_parentheses(lambda: self.list_of(self._grouping))), start
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

    # --- FROM ------------------------------------------------------------------------------------
    def _from(self) -> exp.Expression:
        start = self.token.start
        left = self._table()
        while True:
            join = self._join(left)
            if join is None:
                return left
            left = self.place(join, start)

    def _join(self, left: exp.Expression) -> exp.Expression | None:
        if self.accept_symbol(","):
            return exp.Join(this=self._table(), left=left, kind="COMMA")
        natural = self.accept("NATURAL")
        kind = self.accept_any("INNER", "LEFT", "RIGHT", "FULL", "CROSS")
        if kind in ("LEFT", "RIGHT", "FULL"):
            self.accept("OUTER")
        if kind == "CROSS" and self.at("APPLY"):
            raise self.not_supported("CROSS APPLY", self.token)
        if not self.accept("JOIN"):
            if natural or kind:
                raise self.error()
            return None
        join = exp.Join(this=self._table(), left=left, kind=kind or "INNER", natural=natural)
        if self.accept("ON"):
            join.set("on", self.expression())
        elif self.accept("USING"):
            join.set("using", self.in_parentheses(lambda: self.list_of(self.name)))
        return join

    def _table(self) -> exp.Expression:
        start = self.token.start
        table = self._table_primary(start)
        if self.at("MATCH_RECOGNIZE"):
            raise self.not_supported("MATCH_RECOGNIZE", self.token)
        if self.at_any("PIVOT", "UNPIVOT", "TABLESAMPLE"):
            raise self.not_supported(self.token.word, self.token)
        if self.accept("AS") or self.at_name():
            alias = self.name()
            columns = self._column_names()
            table = self.place(Aliased(this=table, alias=alias, columns=columns), start)
        if self.at("TABLESAMPLE"):
            raise self.not_supported("TABLESAMPLE", self.token)
        return table

    def _table_primary(self, start: int) -> exp.Expression:
        lateral = self.accept("LATERAL")
        if self.at("TABLE") and self.symbol_ahead("("):
            self.advance()
            call = self.in_parentheses(self._table_function)
            return self.place(LateralTable(this=call, lateral=lateral), start)
        if self.at("UNNEST"):
            raise self.not_supported("UNNEST", self.token)
        if self.at_symbol("("):
            return self._parenthesized_table(start)
        if lateral:
            raise self.error()
        if self.token.kind is Kind.WORD and self.symbol_ahead("(") and self.at_name():
            return self.place(LateralTable(this=self._table_function(), lateral=False), start)
        table = self.place(TableName(parts=self.path()), start)
        table.set("hints", self._hints())
        if self.accept("FOR"):
            self.expect("SYSTEM_TIME")
            self.expect("AS", "OF")
            return self.place(SystemTime(this=table, moment=self.expression()), start)
        return table

    def _parenthesized_table(self, start: int) -> exp.Expression:
        if self.is_query_ahead():
            return self.subquery()
        self.advance()
        table = self._from()
        self.expect_symbol(")")
        return self.place(table, start)

    def _table_function(self) -> exp.Expression:
        return self.call()

    def table_argument(self) -> exp.Expression:
        """In a table function: TABLE t [PARTITION BY ..] [ORDER BY ..], DESCRIPTOR(c), or an expression."""
        start = self.token.start
        if self.at("TABLE"):
            self.advance()
            table: exp.Expression
            if self.at_symbol("("):
                table = self.subquery()
            else:
                table = self.place(TableName(parts=self.path()), self.token.start)
            node = TableArgument(this=table)
            if self.accept("PARTITION", "BY"):
                in_parentheses = self.at_symbol("(")
                node.set(
                    "partition", self.in_parentheses(self._names) if in_parentheses else self._partition()
                )
            if self.accept("ORDER", "BY"):
                node.set("order", self.order_by())
            return self.place(node, start)
        return self.expression()

    def _names(self) -> list[exp.Expression]:
        return self.list_of(self.expression)

    def _partition(self) -> list[exp.Expression]:
        """Columns after PARTITION BY; the next argument starts with DESCRIPTOR or a name before =>."""
        columns = [self.expression()]
        while self.at_symbol(",") and self.ahead(1).word != "DESCRIPTOR" and not self.symbol_ahead("=>", 2):
            self.advance()
            columns.append(self.expression())
        return columns

    # --- hints -----------------------------------------------------------------------------------
    def _hints(self) -> list[exp.Expression]:
        """`/*+ OPTIONS('k'='v'), ... */`."""
        if self.token.kind is not Kind.HINT:
            return []
        self.advance()
        hints = self.list_of(self._hint_item)
        self.expect_symbol("*/")
        return hints

    def _hint_item(self) -> exp.Expression:
        start = self.token.start
        name = self.name()
        pairs: list[tuple[str, str]] = []
        if self.accept_symbol("("):
            pairs = [] if self.at_symbol(")") else self.list_of(self._hint_option)
            self.expect_symbol(")")
        return self.place(Hint(this=name, options=tuple(pairs)), start)

    def _hint_option(self) -> tuple[str, str]:
        key = self._hint_word()
        if not self.accept_symbol("="):
            return "", key.text
        return key.text, self._hint_word().text

    def _hint_word(self) -> Token:
        if self.token.kind in (Kind.STRING, Kind.NUMBER) or self.at_name():
            return self.advance()
        raise self.error()
