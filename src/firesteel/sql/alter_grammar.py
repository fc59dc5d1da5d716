"""Grammar of ALTER, ANALYZE TABLE, TRUNCATE, DELETE and UPDATE."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import ValidationError
from firesteel.sql import catalog_statements as sql
from firesteel.sql.catalog_grammar import CatalogGrammar
from firesteel.sql.statements import ColumnDefinition, KeyDefinition, Name, Statement, WatermarkDefinition
from firesteel.types.sql import quoted_name


class AlterGrammar(CatalogGrammar):
    """Grammar of statements that change existing objects."""

    def alter(self) -> Statement:
        """Read an ALTER statement. The next token is ALTER."""
        start = self.advance().start
        if self.at_any("FUNCTION", "TEMPORARY", "MATERIALIZED", "MODEL"):
            raise self.not_supported(f"ALTER {self.token.word}", self.token)
        what = self.expect_any("TABLE", "VIEW", "DATABASE", "CATALOG")
        readers: dict[str, Callable[[int], Statement]] = {
            "TABLE": self._alter_table,
            "VIEW": self._alter_view,
            "DATABASE": self.alter_database,
            "CATALOG": self.alter_catalog,
        }
        return readers[what](start)

    def _alter_view(self, start: int) -> sql.AlterView:
        view = self.full_name()
        if self.accept("RENAME"):
            self.expect("TO")
            name = self.full_name()
            return sql.AlterView(self.since(start), view, name=name)
        self.expect("AS")
        query = self.query()
        return sql.AlterView(self.since(start), view, query=query)

    def _alter_table(self, start: int) -> sql.AlterTable:
        if_exists = self.accept("IF", "EXISTS")
        table = self.full_name()
        readers: dict[str, Callable[[], sql.Change]] = {
            "RENAME": self._rename,
            "SET": lambda: sql.SetOptions(*self.located_properties()),
            "RESET": self._reset_options,
            "ADD": lambda: self._definitions(sql.Add),
            "MODIFY": lambda: self._definitions(sql.Modify),
            "DROP": self._drop_part,
        }
        change = readers[self.expect_any(*readers)]()
        return sql.AlterTable(self.since(start), table, change, if_exists)

    def _rename(self) -> sql.Change:
        if self.accept("TO"):
            return sql.RenameTo(self.full_name())
        column = self.full_name()
        self.expect("TO")
        return sql.RenameColumn(column, self.simple_name())

    def _reset_options(self) -> sql.ResetOptions:
        start = self.token.start
        keys = self.option_keys()
        return sql.ResetOptions(keys, self.since(start))

    def _drop_part(self) -> sql.Change:
        self._refuse_places()
        if self.accept("PRIMARY", "KEY"):
            return sql.DropKey()
        if self.accept("CONSTRAINT"):
            return sql.DropKey(self.simple_name())
        if self.accept("WATERMARK"):
            return sql.DropWatermark()
        if self.at_symbol("("):
            return sql.DropColumns(tuple(self.in_parentheses(lambda: self.list_of(self.full_name))))
        return sql.DropColumns((self.full_name(),))

    def _refuse_places(self) -> None:
        if self.at_any("PARTITION", "DISTRIBUTION"):
            raise self.not_supported(f"ALTER TABLE ... {self.previous.word} {self.token.word}", self.token)

    def _definitions(self, kind: type[sql.Add]) -> sql.Add:
        self._refuse_places()
        columns: list[tuple[ColumnDefinition, sql.Position | None]] = []
        keys: list[KeyDefinition] = []
        watermarks: list[WatermarkDefinition] = []

        def element() -> None:
            found: list[ColumnDefinition] = []
            if self.ahead(1).text == "." and not self.at("WATERMARK"):
                name = self.full_name()
                shown = ".".join(map(quoted_name, name.parts))
                raise ValidationError(
                    f"Failed to execute ALTER TABLE statement.\nAltering the nested row type {shown} is not "
                    "supported yet.",
                    range=name.range,
                )
            self.table_element(found, keys, watermarks)
            columns.extend((column, self._first_or_after()) for column in found)

        if self.at_symbol("("):
            self.in_parentheses(lambda: self.list_of(element))
        else:
            element()
        return kind(tuple(columns), tuple(keys), tuple(watermarks))

    def _first_or_after(self) -> sql.Position | None:
        if self.accept("FIRST"):
            return sql.Position()
        return sql.Position(self.simple_name()) if self.accept("AFTER") else None

    # --- ANALYZE ---------------------------------------------------------------------------------
    def analyze(self) -> sql.AnalyzeTable:
        """Read an ANALYZE statement. The next token is ANALYZE."""
        start = self.advance().start
        self.expect("TABLE")
        table = self.full_name()
        partition: tuple[Name, ...] = ()
        if self.accept("PARTITION"):
            partition = tuple(self.in_parentheses(lambda: self.list_of(self._partition)))
        self.expect("COMPUTE", "STATISTICS")
        columns: tuple[Name, ...] = ()
        if self.accept("FOR"):
            if self.accept("COLUMNS"):
                columns = tuple(self.list_of(self.simple_name))
            else:
                self.expect("ALL", "COLUMNS")
        return sql.AnalyzeTable(self.since(start), table, partition, columns)

    def change_rows(self) -> sql.ChangeRows:
        """Read a TRUNCATE, DELETE or UPDATE statement. The next token is this word.

        Skip the rest of the statement after the table name.
        """
        token = self.advance()
        if token.word != "UPDATE":
            self.expect("TABLE" if token.word == "TRUNCATE" else "FROM")
        table = self.full_name()
        while not self.at_end() and not self.at_symbol(";"):
            self.advance()
        return sql.ChangeRows(self.since(token.start), token.word, table)

    def _partition(self) -> Name:
        name = self.simple_name()
        if self.accept_symbol("="):
            self.expression()
        return name
