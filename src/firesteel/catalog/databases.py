"""Catalogs and databases, in memory. Rules and texts: Flink's CatalogManager, GenericInMemoryCatalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firesteel.errors import SourceRange, ValidationError

DEFAULT_CATALOG = "default_catalog"
DEFAULT_DATABASE = "default_database"
IN_MEMORY = "generic_in_memory"
DATABASE_OPTION = "default-database"


@dataclass
class Database:
    """Comment and options of a database. Its tables are in Catalog, by path."""

    comment: str = ""
    options: dict[str, str] = field(default_factory=dict)


@dataclass
class CatalogEntry:
    """A catalog with its databases."""

    default_database: str
    """Database that USE CATALOG selects."""
    databases: dict[str, Database]
    """Databases by name."""
    options: dict[str, str] | None = None
    """Options of CREATE CATALOG, or None for the built-in catalog."""
    comment: str | None = None


def _built_in() -> dict[str, CatalogEntry]:
    return {DEFAULT_CATALOG: CatalogEntry(DEFAULT_DATABASE, {DEFAULT_DATABASE: Database()})}


@dataclass
class Databases:
    """All catalogs with their databases, and the current catalog and database."""

    current_catalog: str = DEFAULT_CATALOG
    current_database: str = DEFAULT_DATABASE
    catalogs: dict[str, CatalogEntry] = field(default_factory=_built_in)

    # --- look-ups --------------------------------------------------------------------------------
    def has_catalog(self, name: str) -> bool:
        """Return whether a catalog of that name exists."""
        return name in self.catalogs

    def has_database(self, catalog: str, name: str) -> bool:
        """Return whether the catalog exists and has that database."""
        return catalog in self.catalogs and name in self.catalogs[catalog].databases

    def catalog_names(self) -> list[str]:
        """Return the sorted names of all catalogs."""
        return sorted(self.catalogs)

    def database_names(self, catalog: str | None = None, range: SourceRange | None = None) -> list[str]:
        """Return the sorted names of a catalog's databases.

        Args:
            catalog: Name of the catalog. None: the current one.
            range: Position of the name, for the error.

        Raises:
            ValidationError: The catalog is unknown.
        """
        found = self.catalogs.get(catalog or self.current_catalog)
        if found is None:
            raise ValidationError(f"Catalog {catalog} does not exist", range=range)
        return sorted(found.databases)

    def database_path(self, name: tuple[str, ...]) -> tuple[str, str]:
        """Return the catalog and database of a name of one or two parts."""
        return (name[-2] if len(name) > 1 else self.current_catalog), name[-1]

    def check_database(self, catalog: str, database: str, range: SourceRange | None = None) -> None:
        """Check that objects can be created in the database.

        Raises:
            ValidationError: The catalog or the database does not exist.
        """
        if catalog not in self.catalogs:
            raise ValidationError(f"Catalog {catalog} does not exist.", range=range)
        if not self.has_database(catalog, database):
            raise ValidationError(f"Database {database} does not exist in Catalog {catalog}.", range=range)

    # --- USE -------------------------------------------------------------------------------------
    def use_catalog(self, name: str, range: SourceRange | None = None) -> None:
        """Make a catalog the current one, and its default database the current database.

        If the catalog is the current one already, the current database does not change.

        Raises:
            ValidationError: The catalog is unknown.
        """
        if name not in self.catalogs:
            raise ValidationError(f"A catalog with name [{name}] does not exist.", range=range)
        if name != self.current_catalog:
            self.current_catalog, self.current_database = name, self.catalogs[name].default_database

    def use_database(self, name: tuple[str, ...], range: SourceRange | None = None) -> None:
        """Make a database the current one.

        If the database is unknown, its catalog becomes the current one all the same, as in Flink.

        Raises:
            ValidationError: The catalog or the database is unknown.
        """
        catalog, database = self.database_path(name)
        self.use_catalog(catalog, range)
        if not self.has_database(catalog, database):
            raise ValidationError(
                f"A database with name [{database}] does not exist in the catalog: [{catalog}].", range=range
            )
        self.current_database = database

    # --- databases -------------------------------------------------------------------------------
    def create_database(
        self, name: tuple[str, ...], database: Database, if_not_exists: bool, range: SourceRange | None = None
    ) -> None:
        """Add a database.

        Raises:
            ValidationError: The database exists and `if_not_exists` is False, or its catalog is unknown.
        """
        catalog, last = self.database_path(name)
        if catalog not in self.catalogs:
            raise ValidationError(f"Catalog {catalog} does not exist", range=range)
        databases = self.catalogs[catalog].databases
        if last not in databases:
            databases[last] = database
        elif not if_not_exists:
            raise ValidationError(f"Database {last} already exists in Catalog {catalog}.", range=range)

    def alter_database(
        self, name: tuple[str, ...], options: Mapping[str, str], range: SourceRange | None = None
    ) -> None:
        """Set options of a database. Its other options stay as they are.

        Raises:
            ValidationError: The catalog or the database is unknown.
        """
        catalog, last = self.database_path(name)
        if catalog not in self.catalogs:
            raise ValidationError(f"Catalog {catalog} does not exist", range=range)
        if last not in self.catalogs[catalog].databases:
            raise ValidationError(f"Database {last} does not exist in Catalog {catalog}.", range=range)
        self.catalogs[catalog].databases[last].options.update(options)

    def remove_database(
        self,
        name: tuple[str, ...],
        *,
        if_exists: bool,
        cascade: bool,
        empty: bool,
        range: SourceRange | None = None,
    ) -> bool:
        """Remove a database and return whether it existed.

        Args:
            name: Name of one or two parts.
            if_exists: Return False instead of raising if it does not exist.
            cascade: Remove it even if it is not empty.
            empty: Whether it contains no permanent tables and views.
            range: Position of the name, for the error.

        Raises:
            ValidationError: The database is the current one, or its catalog is unknown. Or it does not exist,
                and `if_exists` is False. Or it is not empty, and `cascade` is False.
        """
        catalog, last = self.database_path(name)
        if catalog not in self.catalogs:
            raise ValidationError(f"Catalog {catalog} does not exist.", range=range)
        if (catalog, last) == (self.current_catalog, self.current_database):
            raise ValidationError("Cannot drop a database which is currently in use.", range=range)
        databases = self.catalogs[catalog].databases
        if last not in databases:
            if if_exists:
                return False
            raise ValidationError(f"Database {last} does not exist in Catalog {catalog}.", range=range)
        if not empty and not cascade:
            raise ValidationError(
                f"Database {last} in catalog {catalog} is not empty.", range=range, hint="DROP ... CASCADE"
            )
        del databases[last]
        return True

    # --- catalogs --------------------------------------------------------------------------------
    def create_catalog(
        self,
        name: str,
        options: Mapping[str, str],
        comment: str | None,
        if_not_exists: bool,
        range: SourceRange | None = None,
    ) -> None:
        """Add a catalog with its default database.

        Raises:
            ValidationError: The catalog exists and `if_not_exists` is False, or `check_options` refuses the
                options.
        """
        if name in self.catalogs:
            if if_not_exists:
                return
            raise ValidationError(f"Catalog {name} already exists.", range=range)
        check_options(options, range)
        first = options.get(DATABASE_OPTION, "default")
        self.catalogs[name] = CatalogEntry(first, {first: Database()}, dict(options), comment)

    def drop_catalog(self, name: str, if_exists: bool, range: SourceRange | None = None) -> bool:
        """Remove a catalog and return whether it existed.

        Raises:
            ValidationError: The catalog is the current one, or does not exist and `if_exists` is False.
        """
        if name not in self.catalogs:
            if if_exists:
                return False
            raise ValidationError(f"Catalog {name} does not exist.", range=range)
        if name == self.current_catalog:
            raise ValidationError("Cannot drop a catalog which is currently in use.", range=range)
        del self.catalogs[name]
        return True

    def created_catalog(self, name: str, range: SourceRange | None = None) -> CatalogEntry:
        """Return a catalog that CREATE CATALOG made.

        Raises:
            ValidationError: The catalog is unknown, or it is built in and has no options to show.
        """
        found = self.catalogs.get(name)
        if found is None or found.options is None:
            raise ValidationError(f"Cannot obtain metadata information from Catalog {name}.", range=range)
        return found


def check_options(options: Mapping[str, str], range: SourceRange | None = None) -> None:
    """Check the options of CREATE CATALOG.

    Raises:
        ValidationError: The option `type` is missing or is not that of the in-memory catalog, or another
            option is unknown. The message is that of Flink's FactoryUtil.
    """
    if "type" not in options:
        raise ValidationError(
            "Catalog options do not contain an option key 'type' for discovering a catalog.", range=range
        )
    if options["type"] != IN_MEMORY:
        raise ValidationError(
            f"Could not find any factory for identifier '{options['type']}' that implements "
            "'org.apache.flink.table.factories.CatalogFactory' in the classpath.\n\n"
            f"Available factory identifiers are:\n\n{IN_MEMORY}",
            range=range,
        )
    known = (DATABASE_OPTION, "property-version")
    wrong = sorted(key for key in options if key not in ("type", *known))
    if wrong:
        listed = "\n".join(wrong)
        supported = "\n".join(known)
        raise ValidationError(
            f"Unsupported options found for '{IN_MEMORY}'.\n\nUnsupported options:\n\n{listed}\n\n"
            f"Supported options:\n\n{supported}",
            range=range,
        )
