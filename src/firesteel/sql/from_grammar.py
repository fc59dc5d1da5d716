"""FROM: tables, subqueries, joins, table functions, hints."""

from __future__ import annotations

from abc import abstractmethod

from sqlglot import exp

from firesteel.errors import ParseError
from firesteel.sql.call_grammar import CallGrammar
from firesteel.sql.dialect import range_of
from firesteel.sql.lexer import Kind, Token
from firesteel.sql.nodes import Aliased, Hint, LateralTable, SystemTime, TableArgument, TableName
from firesteel.sql.words import RESERVED


class FromGrammar(CallGrammar):
    """Reads what stands after FROM."""

    @abstractmethod
    def order_by(self) -> list[exp.Expression]:
        """The items after ORDER BY."""

    @abstractmethod
    def order_item(self) -> exp.Expression:
        """One of them."""

    def column_names(self) -> list[exp.Identifier]:
        """(a, b), or nothing."""
        return self.in_parentheses(lambda: self.list_of(self.name)) if self.at_symbol("(") else []

    # --- FROM ------------------------------------------------------------------------------------
    def from_clause(self) -> exp.Expression:
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
            columns = self.column_names()
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
        table.set("hints", self.hints())
        if self.accept("FOR"):
            self.expect("SYSTEM_TIME")
            self.expect("AS", "OF")
            return self.place(SystemTime(this=table, moment=self.expression()), start)
        return table

    def _parenthesized_table(self, start: int) -> exp.Expression:
        if self.is_query_ahead():
            return self.subquery()
        self.advance()
        table = self.from_clause()
        if not isinstance(table, exp.Join):
            raise ParseError("Expected query or join", range=range_of(table))
        self.expect_symbol(")")
        return self.place(table, start)

    def _table_function(self) -> exp.Expression:
        return self.reserved_call() if self.token.word in RESERVED else self.call()

    def table_argument(self) -> exp.Expression:
        """In a table function: TABLE t or a query, with PARTITION BY and ORDER BY; or an expression."""
        start = self.token.start
        if not self.at("TABLE"):
            value = self.expression()
            if isinstance(value, exp.Subquery) and self.at_any("PARTITION", "ORDER"):
                return self._divided(TableArgument(this=value), start)
            return value
        self.advance()
        if self.at_symbol("("):
            return self._divided(TableArgument(this=self.subquery()), start)
        table = self.place(TableName(parts=self.path()), self.token.start)
        return self._divided(TableArgument(this=table), start)

    def _divided(self, node: TableArgument, start: int) -> exp.Expression:
        """[PARTITION BY ..] [ORDER BY ..]."""
        if self.accept("PARTITION", "BY"):
            in_parentheses = self.at_symbol("(")
            node.set("partition", self.in_parentheses(self._names) if in_parentheses else [self.expression()])
        if self.accept("ORDER", "BY"):
            in_parentheses = self.at_symbol("(")
            node.set("order", self.in_parentheses(self.order_by) if in_parentheses else [self.order_item()])
        return self.place(node, start)

    def _names(self) -> list[exp.Expression]:
        return self.list_of(self.expression)

    # --- hints -----------------------------------------------------------------------------------
    def hints(self) -> list[exp.Expression]:
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
