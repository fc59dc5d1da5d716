"""Grammar of CREATE TABLE, CREATE VIEW, CREATE FUNCTION and DROP."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from firesteel.errors import SourceRange
from firesteel.sql.lexer import Kind
from firesteel.sql.query_grammar import QueryGrammar
from firesteel.sql.statements import (
    ColumnDefinition,
    CreateFunction,
    CreateTable,
    CreateView,
    Drop,
    KeyDefinition,
    LikeClause,
    Name,
    Statement,
    WatermarkDefinition,
)
from firesteel.sql.syntax import Node

_FEATURES = (
    "ALL",
    "CONSTRAINTS",
    "DISTRIBUTION",
    "GENERATED",
    "METADATA",
    "OPTIONS",
    "PARTITIONS",
    "WATERMARKS",
)


class DdlGrammar(QueryGrammar):
    """Grammar of statements that create and drop tables, views and functions."""

    def full_name(self) -> Name:
        """Read a name of one to three parts."""
        start = self.token.start
        parts = self.path()
        name = Name(parts, self.since(start))
        if len(parts) > 3:
            raise self.error(f"'{name}' has too many parts: catalog.database.name at most")
        return name

    def simple_name(self) -> Name:
        start = self.token.start
        return Name((self.name().name,), self.since(start))

    def names_in_parentheses(self) -> tuple[Name, ...]:
        return tuple(self.in_parentheses(lambda: self.list_of(self.simple_name)))

    def create(self) -> Statement:
        """Read a CREATE or REPLACE statement. The next token is this word."""
        must_exist = self.at("REPLACE")
        start = self.advance().start
        replaces = must_exist or self.accept("OR", "REPLACE")
        if self.at("OR", "ALTER"):
            raise self.not_supported("CREATE OR ALTER", self.token)
        temporary = self.accept("TEMPORARY")
        if self.accept("TABLE"):
            return replace(self._create_table(start, temporary), replace=replaces, must_exist=must_exist)
        if must_exist:
            raise self.error()
        if self.accept("VIEW"):
            return self._create_view(start, temporary)
        system = temporary and self.accept("SYSTEM")
        if self.accept("FUNCTION"):
            return self._create_function(start, temporary, system)
        if not temporary and self.at_any("MATERIALIZED", "MODEL", "CONNECTION"):
            raise self.not_supported(f"CREATE {self.token.word}", self.token)
        raise self.error()

    def _if_not_exists(self) -> bool:
        return self.accept("IF", "NOT", "EXISTS")

    # --- tables ----------------------------------------------------------------------------------
    def _create_table(self, start: int, temporary: bool) -> CreateTable:
        parts: dict[str, Any] = {"if_not_exists": self._if_not_exists(), "table": self.full_name()}
        if self.at_symbol("(") and (self.symbol_ahead(",", 2) or self.symbol_ahead(")", 2)):
            parts["column_list"] = self.names_in_parentheses()
        elif self.at_symbol("("):
            self._table_body(parts)
        if self.accept("COMMENT"):
            parts["comment"] = self.string()
        if self.at("DISTRIBUTED"):
            raise self.not_supported("DISTRIBUTED", self.token)
        if self.accept("PARTITIONED", "BY"):
            parts["partition_keys"] = self.names_in_parentheses()
        if self.accept("WITH"):
            parts["options"], parts["option_ranges"] = self.located_properties()
        if self.accept("LIKE"):
            parts["like"] = self._like_clause()
        elif "column_list" in parts:
            self.expect("AS")
            parts["query"] = self.query()
        elif self.accept("AS"):
            parts["query"] = self.query()
        return CreateTable(range=self.since(start), temporary=temporary, **parts)

    def _table_body(self, parts: dict[str, Any]) -> None:
        columns: list[ColumnDefinition] = []
        keys: list[KeyDefinition] = []
        watermarks: list[WatermarkDefinition] = []
        self.expect_symbol("(")
        self.list_of(lambda: self.table_element(columns, keys, watermarks))
        self.expect_symbol(")")
        parts.update(columns=tuple(columns), keys=tuple(keys), watermarks=tuple(watermarks))

    def table_element(
        self,
        columns: list[ColumnDefinition],
        keys: list[KeyDefinition],
        watermarks: list[WatermarkDefinition],
    ) -> None:
        """Read one element of a table definition and add it to the list of its kind."""
        if self.at("WATERMARK"):
            watermarks.append(self._watermark())
        elif self.at_any("CONSTRAINT", "PRIMARY", "UNIQUE"):
            keys.append(self._table_key())
        else:
            columns.append(self._column(keys))

    def _column(self, keys: list[KeyDefinition]) -> ColumnDefinition:
        name = self.simple_name()
        text = name.parts[0]
        if self.accept("AS"):
            expression, sql = self._source_of_expression()
            return ColumnDefinition(
                text, name.range, computed=expression, computed_sql=sql, comment=self._comment()
            )
        kind = self.type_name().sql_type
        kind = kind.with_nullable(self.nullable())
        if self.accept("METADATA"):
            key = self.string() if self.accept("FROM") else text
            virtual = self.accept("VIRTUAL")
            return ColumnDefinition(
                text, name.range, kind, metadata=key, virtual=virtual, comment=self._comment()
            )
        if self.at_any("CONSTRAINT", "PRIMARY", "UNIQUE"):
            keys.append(self._inline_key(name))
        return ColumnDefinition(text, name.range, kind, comment=self._comment())

    def _comment(self) -> str | None:
        return self.string() if self.accept("COMMENT") else None

    def _source_of_expression(self) -> tuple[Node, str]:
        start = self.token.start
        expression = self.expression()
        return expression, self.text[start : self.previous.end]

    def _watermark(self) -> WatermarkDefinition:
        start = self.advance().start
        self.expect("FOR")
        first = self.token.start
        column = Name(self.path(), self.since(first))
        self.expect("AS")
        expression, sql = self._source_of_expression()
        return WatermarkDefinition(column, expression, sql, self.since(start))

    def _table_key(self) -> KeyDefinition:
        start = self.token.start
        name = self.name().name if self.accept("CONSTRAINT") else None
        kind = self._key_kind()
        columns = self.names_in_parentheses()
        return KeyDefinition(kind, columns, self._enforced(), self.since(start), name)

    def _inline_key(self, column: Name) -> KeyDefinition:
        start = self.token.start
        name = self.name().name if self.accept("CONSTRAINT") else None
        kind = self._key_kind()
        return KeyDefinition(kind, (column,), self._enforced(), self.since(start), name)

    def _key_kind(self) -> str:
        if self.accept("UNIQUE"):
            return "UNIQUE"
        self.expect("PRIMARY")
        self.expect("KEY")
        return "PRIMARY KEY"

    def _enforced(self) -> bool | None:
        if self.accept("NOT", "ENFORCED"):
            return False
        return True if self.accept("ENFORCED") else None

    def properties(self) -> tuple[tuple[str, str], ...]:
        """Read ('key' = 'value', ...)."""
        return self.located_properties()[0]

    def located_properties(self) -> tuple[tuple[tuple[str, str], ...], tuple[SourceRange, ...]]:
        """Read ('key' = 'value', ...). Return the pairs and, in the same order, their positions."""
        self.expect_symbol("(")
        found = () if self.at_symbol(")") else self.list_of(self._property)
        self.expect_symbol(")")
        return tuple(pair for pair, _ in found), tuple(range for _, range in found)

    def _property(self) -> tuple[tuple[str, str], SourceRange]:
        start = self.token.range.start
        key = self.string("an option's name between single quotes")
        self.expect_symbol("=")
        value = self.string("an option's value between single quotes")
        return (key, value), self.since(start)

    def _like_clause(self) -> LikeClause:
        table = self.full_name()
        options: list[tuple[str, str]] = []
        if self.accept_symbol("("):
            while not self.at_symbol(")"):
                strategy = self.expect_any("INCLUDING", "EXCLUDING", "OVERWRITING")
                options.append((strategy, self.expect_any(*_FEATURES)))
            self.expect_symbol(")")
        return LikeClause(table, tuple(options))

    # --- views, functions, drop ------------------------------------------------------------------
    def _create_view(self, start: int, temporary: bool) -> CreateView:
        if_not_exists = self._if_not_exists()
        view = self.full_name()
        columns = self.names_in_parentheses() if self.at_symbol("(") else ()
        comment = self._comment()
        self.expect("AS")
        first = self.token.start
        query = self.query()
        sql = self.text[first : self.previous.end]
        return CreateView(self.since(start), view, query, sql, columns, comment, temporary, if_not_exists)

    def _create_function(self, start: int, temporary: bool, system: bool) -> CreateFunction:
        if_not_exists = self._if_not_exists()
        function = self.full_name()
        self.expect("AS")
        first = self.token.start
        class_name = self.string("the class's name between single quotes")
        class_range = self.since(first)
        language = "JAVA"
        if self.accept("LANGUAGE"):
            language = self.expect_any("JAVA", "SCALA", "PYTHON")
        if self.at("USING"):
            raise self.not_supported("CREATE FUNCTION ... USING JAR", self.token)
        return CreateFunction(
            self.since(start), function, class_name, class_range, language, temporary, system, if_not_exists
        )

    def drop(self) -> Statement:
        """Read a DROP statement. The next token is DROP."""
        start = self.advance().start
        temporary = self.accept("TEMPORARY")
        system = temporary and self.accept("SYSTEM")
        if self.at_any("MATERIALIZED", "MODEL", "CONNECTION"):
            raise self.not_supported(f"DROP {self.token.word}", self.token)
        kind = self.expect_any("FUNCTION") if system else self.expect_any("TABLE", "VIEW", "FUNCTION")
        if_exists = self.accept("IF", "EXISTS")
        name = self.full_name()
        return Drop(self.since(start), kind, name, if_exists, temporary, system)

    def option_word(self) -> str:
        """Read a string or an unquoted word."""
        if self.token.kind is Kind.STRING:
            return self.advance().text
        return self.name().name
