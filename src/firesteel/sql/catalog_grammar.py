"""Grammar of CREATE, ALTER, DROP and DESCRIBE for catalogs and databases."""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.sql.catalog_statements import (
    AlterCatalog,
    AlterDatabase,
    CreateCatalog,
    CreateDatabase,
    DescribeCatalog,
    DropCatalog,
    DropDatabase,
)
from firesteel.sql.ddl_grammar import DdlGrammar
from firesteel.sql.statements import Name, Statement


class CatalogGrammar(DdlGrammar):
    """Grammar of statements about catalogs and databases."""

    def create(self) -> Statement:
        """Read a CREATE or REPLACE statement. The next token is this word."""
        if self.ahead(1).word not in ("CATALOG", "DATABASE"):
            return super().create()
        start = self.advance().start
        is_catalog = self.expect_any("CATALOG", "DATABASE") == "CATALOG"
        if_not_exists = self.accept("IF", "NOT", "EXISTS")
        name = self.simple_name() if is_catalog else self.database_name()
        comment = self.string() if self.accept("COMMENT") else None
        options = self.properties() if self.accept("WITH") else ()
        kind = CreateCatalog if is_catalog else CreateDatabase
        return kind(self.since(start), name, comment, options, if_not_exists)

    def drop(self) -> Statement:
        """Read a DROP statement. The next token is DROP."""
        if self.ahead(1).word not in ("CATALOG", "DATABASE"):
            return super().drop()
        start = self.advance().start
        is_catalog = self.expect_any("CATALOG", "DATABASE") == "CATALOG"
        if_exists = self.accept("IF", "EXISTS")
        if is_catalog:
            name = self.simple_name()
            return DropCatalog(self.since(start), name, if_exists)
        name = self.database_name()
        cascade = self.accept_any("RESTRICT", "CASCADE") == "CASCADE"
        return DropDatabase(self.since(start), name, if_exists, cascade)

    def alter_database(self, start: int) -> AlterDatabase:
        """Read the rest of a statement after ALTER DATABASE. The statement begins at character `start`."""
        name = self.database_name()
        self.expect("SET")
        options = self.properties()
        return AlterDatabase(self.since(start), name, options)

    def alter_catalog(self, start: int) -> AlterCatalog:
        """Read the rest of a statement after ALTER CATALOG. The statement begins at character `start`."""
        name = self.simple_name()
        options = reset = comment = None
        what = self.expect_any("SET", "RESET", "COMMENT")
        if what == "SET":
            options = self.properties()
        elif what == "RESET":
            reset = self.option_keys()
        else:
            comment = self.string()
        return AlterCatalog(self.since(start), name, options, reset, comment)

    def describe_catalog(self, start: int) -> DescribeCatalog:
        """Read the rest of a statement after DESCRIBE CATALOG. The statement begins at character `start`."""
        extended = self.accept("EXTENDED")
        name = self.simple_name()
        return DescribeCatalog(self.since(start), name, extended)

    def described_database(self) -> ValidationError:
        """Return the error for DESCRIBE DATABASE, which Flink's parser reads as DESCRIBE of a column."""
        self.advance()
        self.accept("EXTENDED")
        name = self.full_name()
        first = name.parts[0]
        message = (
            f"Table '{first}' not found" if name.parts[1:] else f"Column '{first}' not found in any table"
        )
        return ValidationError(message, range=name.range, hint="see SHOW DATABASES")

    def database_name(self) -> Name:
        """Read a name of one or two parts."""
        name = self.full_name()
        if len(name.parts) > 2:
            raise self.error(f"'{name}' has too many parts: catalog.database at most")
        return name

    def option_keys(self) -> tuple[str, ...]:
        """Read ('key', ...), possibly empty."""
        self.expect_symbol("(")
        keys = [] if self.at_symbol(")") else self.list_of(self.string)
        self.expect_symbol(")")
        return tuple(keys)
