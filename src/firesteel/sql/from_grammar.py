"""Grammar of FROM: tables, subqueries, joins, table functions and hints."""

from __future__ import annotations

from abc import abstractmethod

from firesteel.errors import ParseError
from firesteel.sql.call_grammar import CallGrammar
from firesteel.sql.lexer import Kind, Token
from firesteel.sql.query_syntax import (
    Aliased,
    Hint,
    Join,
    Lateral,
    LateralTable,
    SystemTime,
    TableArgument,
    TableName,
    Unnest,
)
from firesteel.sql.syntax import Call, Identifier, Node, OrderItem, Subquery
from firesteel.sql.words import RESERVED


class FromGrammar(CallGrammar):
    """Grammar of the FROM clause."""

    @abstractmethod
    def order_item(self) -> OrderItem:
        """Read an item of ORDER BY."""

    def column_names(self) -> tuple[Identifier, ...]:
        """Read column names in parentheses. Return () if no parenthesis follows."""
        return self.in_parentheses(lambda: self.list_of(self.name)) if self.at_symbol("(") else ()

    # --- FROM ------------------------------------------------------------------------------------
    def from_clause(self) -> Node:
        start = self.token.start
        left = self._table()
        while True:
            join = self._join(left)
            if join is None:
                return left
            left = self.place(join, start)

    def _join(self, left: Node) -> Node | None:
        if self.accept_symbol(","):
            return Join(left, self._table(), "COMMA")
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
        right = self._table()
        on: Node | None = None
        using: tuple[Identifier, ...] = ()
        if self.accept("ON"):
            on = self.expression()
        elif self.accept("USING"):
            using = self.in_parentheses(lambda: self.list_of(self.name))
        return Join(left, right, kind or "INNER", natural, on, using)

    def _table(self) -> Node:
        start = self.token.start
        table = self._table_primary(start)
        if self.at("MATCH_RECOGNIZE"):
            raise self.not_supported("MATCH_RECOGNIZE", self.token)
        if self.at_any("PIVOT", "UNPIVOT", "TABLESAMPLE"):
            raise self.not_supported(self.token.word, self.token)
        if self.accept("AS") or self.at_name():
            alias = self.name()
            table = self.place(Aliased(table, alias, self.column_names()), start)
        if self.at("TABLESAMPLE"):
            raise self.not_supported("TABLESAMPLE", self.token)
        return table

    def _table_primary(self, start: int) -> Node:
        lateral = self.accept("LATERAL")
        if self.at("TABLE") and self.symbol_ahead("("):
            self.advance()
            call = self.in_parentheses(self._table_function)
            return self.place(LateralTable(call, lateral), start)
        if self.accept("UNNEST"):
            collections = self.in_parentheses(lambda: self.list_of(self.expression))
            return self.place(Unnest(collections, self.accept("WITH", "ORDINALITY")), start)
        if self.at_symbol("("):
            table = self._parenthesized_table(start)
            if lateral and isinstance(table, Subquery):
                return self.place(Lateral(table), start)
            return table
        if lateral:
            raise self.error()
        if self.token.kind is Kind.WORD and self.symbol_ahead("(") and self.at_name():
            return self.place(LateralTable(self._table_function()), start)
        path = self.path()
        place = self.since(start)  # the range of a TableName ends before its hints
        table = TableName(path, self.hints(), range=place)
        if self.accept("FOR"):
            self.expect("SYSTEM_TIME")
            self.expect("AS", "OF")
            return self.place(SystemTime(table, self.expression()), start)
        return table

    def _parenthesized_table(self, start: int) -> Node:
        if self.is_query_ahead():
            return self.subquery()
        self.advance()
        table = self.from_clause()
        if not isinstance(table, Join):
            raise ParseError("Expected query or join", range=table.range)
        self.expect_symbol(")")
        return self.place(table, start)

    def _table_function(self) -> Call:
        call = self.reserved_call() if self.token.word in RESERVED else self.call()
        if not isinstance(call, Call):  # CAST(..) and TRY_CAST(..) give the node Cast, which is no function
            raise ParseError("a table function is expected", range=call.range)
        return call

    def table_argument(self) -> Node:
        """Read an argument of a table function: TABLE t, a query, or an expression.

        Tables and queries may have PARTITION BY and ORDER BY.
        """
        start = self.token.start
        if not self.at("TABLE"):
            value = self.expression()
            if isinstance(value, Subquery) and self.at_any("PARTITION", "ORDER"):
                return self._divided(value, start)
            return value
        self.advance()
        if self.at_symbol("("):
            return self._divided(self.subquery(), start)
        first = self.token.start
        return self._divided(self.place(TableName(self.path()), first), start)

    def _divided(self, table: Node, start: int) -> TableArgument:
        """Read [PARTITION BY ..] [ORDER BY ..] after a table."""
        partition: tuple[Node, ...] = ()
        order: tuple[OrderItem, ...] = ()
        if self.accept("PARTITION", "BY"):
            several = self.at_symbol("(")
            partition = self.in_parentheses(self._names) if several else (self.expression(),)
        if self.accept("ORDER", "BY"):
            several = self.at_symbol("(")
            order = self.in_parentheses(self.order_by) if several else (self.order_item(),)
        return self.place(TableArgument(table, partition, order), start)

    def _names(self) -> tuple[Node, ...]:
        return self.list_of(self.expression)

    # --- hints -----------------------------------------------------------------------------------
    def hints(self) -> tuple[Hint, ...]:
        """Read the hints `/*+ OPTIONS('k'='v'), ... */`. Return () if there are none."""
        if self.token.kind is not Kind.HINT:
            return ()
        self.advance()
        hints = self.list_of(self._hint_item)
        self.expect_symbol("*/")
        return hints

    def _hint_item(self) -> Hint:
        start = self.token.start
        name = self.name()
        pairs: tuple[tuple[str, str], ...] = ()
        if self.accept_symbol("("):
            pairs = () if self.at_symbol(")") else self.list_of(self._hint_option)
            self.expect_symbol(")")
        return self.place(Hint(name, pairs), start)

    def _hint_option(self) -> tuple[str, str]:
        key = self._hint_word()
        if not self.accept_symbol("="):
            return "", key.text
        return key.text, self._hint_word().text

    def _hint_word(self) -> Token:
        if self.token.kind in (Kind.STRING, Kind.NUMBER) or self.at_name():
            return self.advance()
        raise self.error()
