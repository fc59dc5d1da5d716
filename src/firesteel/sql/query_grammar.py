"""Grammar of queries: SELECT, VALUES, WITH, set operations, ORDER BY and LIMIT."""

from __future__ import annotations

from firesteel.sql.from_grammar import FromGrammar
from firesteel.sql.lexer import Kind
from firesteel.sql.query_syntax import (
    Aliased,
    CommonTable,
    GroupingSets,
    NamedWindow,
    Ordered,
    Row,
    Select,
    SetOperation,
    TableName,
    ValuesRows,
    WithQuery,
)
from firesteel.sql.syntax import FrameBound, Identifier, Node, NumberLiteral, OrderItem, OverWindow, Star

_SETS = ("UNION", "EXCEPT", "MINUS", "INTERSECT")
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "TABLE")
_AFTER_QUERY = (*_SETS, "ORDER", "LIMIT", "OFFSET", "FETCH")
"""Words that may follow a query in parentheses, as in `(SELECT 1) UNION ..`."""


class QueryGrammar(FromGrammar):
    """Grammar of one query."""

    def is_query_ahead(self) -> bool:
        """Return whether the text that begins at the current token is a query, possibly in parentheses.

        Return True for `((SELECT 1) UNION (SELECT 2))`. Return False for `((1) + 2)`, and for
        `((SELECT 1) + 2)`, which is an expression with a sub-query.
        """
        count = 0
        while self.symbol_ahead("(", count):
            count += 1
        word = self.ahead(count).word
        is_table = word == "TABLE" and not self.symbol_ahead("(", count + 1)
        if word not in ("SELECT", "WITH", "VALUES") and not is_table:
            return False
        return all(map(self._ends_as_query, range(1, count)))

    def _ends_as_query(self, count: int) -> bool:
        """Return whether a query in parentheses may be a whole query or a part of one, not of an expression.

        That is so if `)` or a word such as UNION follows the closing parenthesis.

        Args:
            count: Distance in tokens from the current token to the opening parenthesis.
        """
        after = self._after_parentheses(count)
        return self.symbol_ahead(")", after) or self.ahead(after).word in _AFTER_QUERY

    def _after_parentheses(self, count: int) -> int:
        """Return the distance to the token after a closing parenthesis, in tokens from the current token.

        Args:
            count: Distance from the current token to the opening parenthesis.
        """
        depth = 0
        while self.ahead(count).kind is not Kind.END:
            depth += self.symbol_ahead("(", count) - self.symbol_ahead(")", count)
            count += 1
            if not depth:
                break
        return count

    def query(self) -> Node:
        """Read [WITH ...] body [ORDER BY ...] [LIMIT ...]."""
        start = self.token.start
        with_start = self.accept("WITH")
        if with_start:
            if self.at("RECURSIVE"):
                raise self.not_supported("WITH RECURSIVE", self.token)
            tables = self.list_of(self._common_table)
            body = self._ordered(self._set_operation())
            return self.place(WithQuery(tables, body), start)
        return self._ordered(self._set_operation())

    def _common_table(self) -> CommonTable:
        start = self.token.start
        name = self.name()
        columns = self.column_names()
        self.expect("AS")
        return self.place(CommonTable(name, self.subquery(), columns), start)

    def _ordered(self, body: Node) -> Node:
        start = body.range.start
        order = self.order_by() if self.accept("ORDER", "BY") else ()
        offset: Node | None = None
        fetch: Node | None = None
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
        return self.place(Ordered(body, order, offset, fetch), start)

    def _count(self) -> Node:
        start = self.token.start
        return self.place(NumberLiteral(str(self.integer())), start)

    def order_by(self) -> tuple[OrderItem, ...]:
        return self.list_of(self.order_item)

    def order_item(self) -> OrderItem:
        start = self.token.start
        item = self.expression()
        descending = self.accept_any("ASC", "DESC") == "DESC"
        nulls_first: bool | None = None
        if self.accept("NULLS"):
            nulls_first = self.expect_any("FIRST", "LAST") == "FIRST"
        return self.place(OrderItem(item, descending, nulls_first), start)

    # --- set operations --------------------------------------------------------------------------
    def _set_operation(self, tight: bool = False) -> Node:
        """Read a query body: SELECTs and similar, combined by set operations, which are left associative.

        INTERSECT binds more tightly than UNION and EXCEPT. If `tight`, read one operand of UNION or EXCEPT:
        outside of parentheses, it has no set operation but INTERSECT.
        """
        start = self.token.start
        left = self._leaf() if tight else self._set_operation(tight=True)
        operators = ("INTERSECT",) if tight else ("UNION", "EXCEPT", "MINUS")
        while self.at_any(*operators):
            if self.at("MINUS"):
                raise self.error(
                    "MINUS is not allowed under the current SQL conformance level", hint="write EXCEPT"
                )
            token = self.advance()
            distinct = self.accept_any("ALL", "DISTINCT") != "ALL"
            right = self._leaf() if tight else self._set_operation(tight=True)
            left = self.place(SetOperation(token.word, left, right, distinct), start)
        return left

    def _leaf(self) -> Node:
        start = self.token.start
        if self.at("SELECT"):
            return self._select()
        if self.at("VALUES"):
            return self._values()
        if self.at("TABLE"):
            self.advance()
            table = self.place(TableName(self.path()), start)
            return self.place(Select((self.place(Star(), start),), table), start)
        if self.at_symbol("("):
            self.advance()
            inner = self.query()
            self.expect_symbol(")")
            return self.place(inner, start)
        raise self.error()

    def _values(self) -> Node:
        start = self.advance().start
        return self.place(ValuesRows(self.list_of(self._values_row)), start)

    def _values_row(self) -> Row:
        start = self.token.start
        self.accept("ROW") if self.symbol_ahead("(") else None
        if self.at_symbol("("):
            items = self.in_parentheses(lambda: self.list_of(self.expression))
        else:
            items = (self.expression(),)
        return self.place(Row(items), start)

    # --- SELECT ----------------------------------------------------------------------------------
    def _select(self) -> Node:
        start = self.advance().start
        hints = self.hints()
        if self.at("STREAM"):
            raise self.error("SELECT STREAM is not supported")
        distinct = self.accept_any("ALL", "DISTINCT") == "DISTINCT"
        items = self.list_of(self._select_item)
        if not self.accept("FROM"):
            return self.place(Select(items, hints=hints, distinct=distinct), start)
        source = self.from_clause()
        where = self.expression() if self.accept("WHERE") else None
        group_distinct, group = self._group_by()
        having = self.expression() if self.accept("HAVING") else None
        windows = self.list_of(self._named_window) if self.accept("WINDOW") else ()
        qualify = self.expression() if self.accept("QUALIFY") else None
        select = Select(
            items, source, hints, distinct, where, group, group_distinct, having, windows, qualify
        )
        return self.place(select, start)

    def _select_item(self) -> Node:
        start = self.token.start
        if self.accept_symbol("*"):
            return self.place(Star(), start)
        star = self._qualified_star(start)
        if star is not None:
            return star
        item = self.expression()
        if self.accept("AS"):
            return self.place(Aliased(item, self.name()), start)
        if self.at_name():
            return self.place(Aliased(item, self.name()), start)
        return item

    def _qualified_star(self, start: int) -> Node | None:
        length = 0
        while self.ahead(length).kind in (Kind.WORD, Kind.QUOTED) and self.symbol_ahead(".", length + 1):
            length += 2
        if not length or not self.symbol_ahead("*", length):
            return None
        path = []
        for _ in range(length // 2):
            path.append(self.name().name)
            self.expect_symbol(".")
        self.expect_symbol("*")
        return self.place(Star(tuple(path)), start)

    def _group_by(self) -> tuple[bool, tuple[Node, ...]]:
        """Read GROUP BY. Return whether it is GROUP BY DISTINCT, and its items.

        Return False and () if there is no GROUP BY.
        """
        if not self.accept("GROUP"):
            return False, ()
        self.expect("BY")
        return self.accept_any("ALL", "DISTINCT") == "DISTINCT", self.list_of(self._grouping)

    def _grouping(self) -> Node:
        """Read an item of GROUP BY: GROUPING SETS, ROLLUP, CUBE, `()` or an expression."""
        start = self.token.start
        if self.accept("GROUPING", "SETS"):
            items = self.in_parentheses(lambda: self.list_of(self._grouping))
            return self.place(GroupingSets("GROUPING SETS", items), start)
        kind = self.accept_any("ROLLUP", "CUBE")
        if kind is not None:
            items = self.in_parentheses(lambda: self.list_of(self.expression))
            return self.place(GroupingSets(kind, items), start)
        if self.symbol_ahead("(", 0) and self.symbol_ahead(")"):
            self.advance()
            self.advance()
            return self.place(Row(()), start)
        return self.expression()

    def _named_window(self) -> NamedWindow:
        start = self.token.start
        name = self.name()
        self.expect("AS")
        return self.place(NamedWindow(name, self._window_body()), start)

    def window(self) -> OverWindow | Identifier:
        return self._window_body() if self.at_symbol("(") else self.name()

    def _window_body(self) -> OverWindow:
        start = self.token.start
        self.expect_symbol("(")
        named = self.at_name() and not self.at_any("PARTITION", "ORDER", "ROWS", "RANGE")
        base = self.name() if named else None
        partition = self.list_of(self.expression) if self.accept("PARTITION", "BY") else ()
        order = self.order_by() if self.accept("ORDER", "BY") else ()
        unit = self.accept_any("ROWS", "RANGE")
        lower: FrameBound | None = None
        upper: FrameBound | None = None
        if unit:
            between = self.accept("BETWEEN")
            lower = self._bound()
            if between:
                self.expect("AND")
                upper = self._bound()
        self.expect_symbol(")")
        return self.place(OverWindow(base, partition, order, unit, lower, upper), start)

    def _bound(self) -> FrameBound:
        start = self.token.start
        if self.accept("CURRENT", "ROW"):
            return self.place(FrameBound("CURRENT ROW"), start)
        size = None if self.accept("UNBOUNDED") else self.expression()
        return self.place(FrameBound(self.expect_any("PRECEDING", "FOLLOWING"), size), start)
