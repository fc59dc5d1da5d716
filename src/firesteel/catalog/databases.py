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
    """A database's comment and options; what is in it the catalog knows by path."""

    comment: str = ""
    options: dict[str, str] = field(default_factory=dict)


@dataclass
class CatalogEntry:
    """A catalog: its databases by name. options is None for the catalog that nobody created."""

    default_database: str
    databases: dict[str, Database]
    options: dict[str, str] | None = None
    comment: str | None = None


def _built_in() -> dict[str, CatalogEntry]:
    return {DEFAULT_CATALOG: CatalogEntry(DEFAULT_DATABASE, {DEFAULT_DATABASE: Database()})}


@dataclass
class Databases:
    """All catalogs, and which of them and of its databases is the current one."""

    current_catalog: str = DEFAULT_CATALOG
    current_database: str = DEFAULT_DATABASE
    catalogs: dict[str, CatalogEntry] = field(default_factory=_built_in)

    # --- looking ---------------------------------------------------------------------------------
    def has_catalog(self, name: str) -> bool:
        """Whether there is a catalog of that name."""
        return name in self.catalogs

    def has_database(self, catalog: str, name: str) -> bool:
        """Whether the catalog is there and has the database."""
        return catalog in self.catalogs and name in self.catalogs[catalog].databases

    def catalog_names(self) -> list[str]:
        """The names of all catalogs, in order."""
        return sorted(self.catalogs)

    def database_names(self, catalog: str | None = None, range: SourceRange | None = None) -> list[str]:
        """The names of a catalog's databases, in order. Raises ValidationError for an unknown catalog."""
        found = self.catalogs.get(catalog or self.current_catalog)
        if found is None:
            raise ValidationError(f"Catalog {catalog} does not exist", range=range)
        return sorted(found.databases)

    def database_path(self, name: tuple[str, ...]) -> tuple[str, str]:
        """Catalog and database of a name of one or two parts."""
        return (name[-2] if len(name) > 1 else self.current_catalog), name[-1]

    def check_database(self, catalog: str, database: str, range: SourceRange | None = None) -> None:
        """Raises ValidationError where nothing can be created because the place is not there."""
        if catalog not in self.catalogs:
            raise ValidationError(f"Catalog {catalog} does not exist.", range=range)
        if not self.has_database(catalog, database):
            raise ValidationError(f"Database {database} does not exist in Catalog {catalog}.", range=range)

    # --- USE -------------------------------------------------------------------------------------
    def use_catalog(self, name: str, range: SourceRange | None = None) -> None:
        """USE CATALOG. Raises ValidationError for an unknown one."""
        if name not in self.catalogs:
            raise ValidationError(f"A catalog with name [{name}] does not exist.", range=range)
        if name != self.current_catalog:
            self.current_catalog, self.current_database = name, self.catalogs[name].default_database

    def use_database(self, name: tuple[str, ...], range: SourceRange | None = None) -> None:
        """USE [catalog.]database; the catalog is the current one even where the database is unknown.

        Raises ValidationError for an unknown one."""
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
        """CREATE DATABASE. Raises ValidationError where it is there, or its catalog is not."""
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
        """ALTER DATABASE ... SET. Raises ValidationError for an unknown one."""
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
        """DROP DATABASE; whether there was one. empty: whether nothing is in it. Raises ValidationError where
        it is not there, in use, or not empty and not to be cleared."""
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
        """CREATE CATALOG. Raises ValidationError where it is there, or its options are wrong."""
        if name in self.catalogs:
            if if_not_exists:
                return
            raise ValidationError(f"Catalog {name} already exists.", range=range)
        check_options(options, range)
        first = options.get(DATABASE_OPTION, "default")
        self.catalogs[name] = CatalogEntry(first, {first: Database()}, dict(options), comment)

    def drop_catalog(self, name: str, if_exists: bool, range: SourceRange | None = None) -> bool:
        """DROP CATALOG; whether there was one. Raises ValidationError for none, or one in use."""
        if name not in self.catalogs:
            if if_exists:
                return False
            raise ValidationError(f"Catalog {name} does not exist.", range=range)
        if name == self.current_catalog:
            raise ValidationError("Cannot drop a catalog which is currently in use.", range=range)
        del self.catalogs[name]
        return True

    def created_catalog(self, name: str, range: SourceRange | None = None) -> CatalogEntry:
        """A catalog that CREATE CATALOG made. Raises ValidationError for all others: nothing is known of how
        they came to be."""
        found = self.catalogs.get(name)
        if found is None or found.options is None:
            raise ValidationError(f"Cannot obtain metadata information from Catalog {name}.", range=range)
        return found


def check_options(options: Mapping[str, str], range: SourceRange | None = None) -> None:
    """What CREATE CATALOG's options must be. Raises ValidationError in the words of Flink's FactoryUtil."""
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
