"""The registered tables and views, in memory.

Catalogs and databases are in databases.py, functions in functions.py. Rules and texts: Flink's
CatalogManager. Names are case-sensitive. A temporary object hides a permanent one of the same name.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, replace

from firesteel.catalog.databases import Databases
from firesteel.catalog.functions import FunctionCatalog
from firesteel.catalog.schema import Table, View
from firesteel.errors import SourceRange, ValidationError
from firesteel.types.sql import quoted_name

Path = tuple[str, str, str]


@dataclass
class Catalog(Databases):
    """Tables, views and functions of a session. Methods take names as written, of one to three parts."""

    _objects: dict[Path, Table | View] = field(default_factory=dict)
    _temporary: dict[Path, Table | View] = field(default_factory=dict)
    functions: FunctionCatalog = field(default_factory=FunctionCatalog)

    def path(self, name: tuple[str, ...]) -> Path:
        """Return the full path of a name of one to three parts."""
        database = name[-2] if len(name) > 1 else self.current_database
        return name[-3] if len(name) > 2 else self.current_catalog, database, name[-1]

    # --- tables and views ------------------------------------------------------------------------
    def find(self, name: tuple[str, ...]) -> Table | View | None:
        """Return the table or view of that name, or None."""
        path = self.path(name)
        return self._temporary.get(path) or self._objects.get(path)

    def get(self, name: tuple[str, ...], range: SourceRange | None = None) -> Table | View:
        """Return the table or view of that name.

        Raises:
            ValidationError: No table or view has that name. If there is a similar name, the hint shows it.
        """
        found = self.find(name)
        if found is not None:
            return found
        near = difflib.get_close_matches(name[-1], self.names(), n=1, cutoff=0.6)
        hint = f"did you mean '{near[0]}'?" if near else "create it first, or see SHOW TABLES"
        raise ValidationError(self._not_found(name), range=range, hint=hint)

    def _not_found(self, name: tuple[str, ...]) -> str:
        """Return Calcite's message: the first part of the name that does not exist, and where."""
        catalog, database, last = self.path(name)
        if len(name) == 1 or len(name) > 3:
            return f"Object '{name[0]}' not found"
        if self.has_database(catalog, database):
            return f"Object '{last}' not found within '{catalog}.{database}'"
        if len(name) == 3 and self.has_catalog(catalog):
            return f"Object '{database}' not found within '{catalog}'"
        if len(name) == 2 and self.has_catalog(name[0]):
            return f"Object '{last}' not found within '{name[0]}'"
        return f"Object '{name[0]}' not found"

    def create(
        self, entry: Table | View, if_not_exists: bool = False, range: SourceRange | None = None
    ) -> None:
        """Register a table or view under its path.

        Raises:
            ValidationError: The name is taken and `if_not_exists` is False, or the database of a permanent
                table or view is unknown.
        """
        path = entry.path
        if not entry.temporary:
            self.check_database(path[0], path[1], range)
        store = self._temporary if entry.temporary else self._objects
        if path not in store:
            store[path] = entry
        elif not if_not_exists:
            message = f"Table (or view) {path[1]}.{path[2]} already exists in Catalog {path[0]}."
            if entry.temporary:
                message = f"Temporary table '{_quoted(path)}' already exists"
            raise ValidationError(
                message,
                range=range,
                hint="drop it first, or write IF NOT EXISTS",
            )

    def replace(self, entry: Table | View) -> None:
        """Replace the registered table or view that has the path of `entry`.

        For example, the registered table has no `traits` (properties of the connector), and `entry` is the
        same table with them.
        """
        store = self._temporary if entry.temporary else self._objects
        store[entry.path] = entry

    def rename(self, entry: Table | View, name: str, range: SourceRange | None = None) -> None:
        """Rename a permanent table or view within its database.

        Raises:
            ValidationError: The new name is taken.
        """
        renamed = replace(entry, name=name)
        if renamed.path in self._objects:
            raise ValidationError(
                f"Table (or view) {entry.database}.{name} already exists in Catalog {entry.catalog}.",
                range=range,
            )
        del self._objects[entry.path]
        self._objects[renamed.path] = renamed

    def permanent(self, name: tuple[str, ...]) -> Table | View | None:
        """Return the permanent table or view of that name, which ALTER can change.

        Return None if it does not exist, or if a temporary table or view of the same name hides it.
        """
        path = self.path(name)
        return None if path in self._temporary else self._objects.get(path)

    def drop(
        self,
        kind: str,
        name: tuple[str, ...],
        *,
        if_exists: bool = False,
        temporary: bool = False,
        range: SourceRange | None = None,
    ) -> bool:
        """Drop a table or view and return whether it existed.

        Args:
            kind: TABLE or VIEW. A view does not count as a table, and a table does not count as a view.
            name: Name as written.
            if_exists: Return False instead of raising if it does not exist.
            temporary: Drop a temporary object instead of a permanent one.
            range: Position of the name, for the error.

        Raises:
            ValidationError: The object does not exist and `if_exists` is False. Or `temporary` is False, and
                a temporary object of this kind and name exists. `if_exists` does not suppress this error.
        """
        path = self.path(name)
        shown = ".".join(path)
        wanted = Table if kind == "TABLE" else View
        store = self._temporary if temporary else self._objects
        entry = store.get(path)
        if not temporary and isinstance(self._temporary.get(path), wanted):
            raise ValidationError(
                f"Temporary {kind.lower()} with identifier '{_quoted(path)}' exists. Drop it first before "
                f"removing the permanent {kind.lower()}.",
                range=range,
                hint=f"DROP TEMPORARY {kind} {path[2]}",
            )
        if isinstance(entry, wanted):
            del store[path]
            return True
        if if_exists:
            return False
        prefix = "Temporary table or view" if temporary else kind.capitalize()
        hint = self._drop_hint(kind, path, entry)
        raise ValidationError(f"{prefix} with identifier '{shown}' does not exist.", range=range, hint=hint)

    def _drop_hint(self, kind: str, path: Path, entry: Table | View | None) -> str | None:
        if entry is not None:
            return f"it is a {'view' if kind == 'TABLE' else 'table'}"
        near = difflib.get_close_matches(path[2], self.names(), n=1, cutoff=0.6)
        return f"did you mean '{near[0]}'?" if near else None

    def names(self, place: tuple[str, str] | None = None) -> list[str]:
        """Return the sorted names of the tables and views of a database.

        Args:
            place: Catalog and database. None: the current ones.
        """
        return self._names((Table, View), place)

    def tables(self) -> list[Table]:
        """Return the tables of all catalogs and databases, without those that a temporary one hides."""
        merged = {**self._objects, **self._temporary}
        return [entry for entry in merged.values() if isinstance(entry, Table)]

    def has_views(self) -> bool:
        """Return whether any database has a view."""
        return any(isinstance(entry, View) for entry in (*self._objects.values(), *self._temporary.values()))

    def view_names(self, place: tuple[str, str] | None = None) -> list[str]:
        """Return the sorted names of the views of a database.

        Args:
            place: Catalog and database. None: the current ones.
        """
        return self._names((View,), place)

    def _names(self, kinds: tuple[type, ...], place: tuple[str, str] | None) -> list[str]:
        here = place or (self.current_catalog, self.current_database)
        merged = {**self._objects, **self._temporary}
        return sorted(
            path[2] for path, entry in merged.items() if path[:2] == here and isinstance(entry, kinds)
        )

    # --- dropping databases and catalogs -----------------------------------------------------------
    def drop_database(
        self, name: tuple[str, ...], *, if_exists: bool, cascade: bool, range: SourceRange | None = None
    ) -> bool:
        """Drop a database and return whether it existed.

        With `cascade`, its permanent tables and views are dropped too. Temporary ones stay.

        Raises:
            ValidationError: The database is the current one, or its catalog is unknown. Or it does not exist,
                and `if_exists` is False. Or it has permanent tables or views, and `cascade` is False.
        """
        place = self.database_path(name)
        inside = [path for path in self._objects if path[:2] == place]
        done = self.remove_database(name, if_exists=if_exists, cascade=cascade, empty=not inside, range=range)
        for path in inside if done else ():
            del self._objects[path]
        return done

    def drop_catalog(self, name: str, if_exists: bool, range: SourceRange | None = None) -> bool:
        """Drop a catalog with all its permanent tables and views, and return whether it existed.

        Raises:
            ValidationError: The catalog is the current one, or does not exist and `if_exists` is False.
        """
        done = super().drop_catalog(name, if_exists, range)
        for path in [path for path in self._objects if done and path[0] == name]:
            del self._objects[path]
        return done


def _quoted(path: Path) -> str:
    return ".".join(map(quoted_name, path))


def table_of(entry: Table | View, range: SourceRange | None = None) -> Table:
    """Return the entry as a table.

    Raises:
        ValidationError: The entry is a view, which cannot be written to.
    """
    if isinstance(entry, View):
        raise ValidationError(
            f"Sink '{'.'.join(entry.path)}' does not exists",
            range=range,
            hint="it is a view: nothing can be written to it",
        )
    return entry
