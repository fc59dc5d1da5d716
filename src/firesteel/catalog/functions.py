"""User-defined functions by name. Rules and texts: Flink's FunctionCatalog.

Names are not case-sensitive. A temporary system function hides a built-in one, and a built-in one hides the
functions of the catalog. In the catalog, a temporary function hides a permanent one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.errors import SourceRange, ValidationError
from firesteel.types.user_function import UserDefined

SYSTEM, TEMPORARY, PERMANENT = "temporary system", "temporary catalog", "catalog"


@dataclass
class FunctionCatalog:
    """User-defined functions by kind (SYSTEM, TEMPORARY or PERMANENT) and name."""

    database: str = "default_catalog.default_database"
    """Catalog and database of the TEMPORARY and PERMANENT functions, separated by a dot."""
    _by_kind: dict[str, dict[str, UserDefined]] = field(
        default_factory=lambda: {kind: {} for kind in (SYSTEM, TEMPORARY, PERMANENT)}
    )

    def create(self, kind: str, name: str, function: UserDefined, range: SourceRange | None = None) -> None:
        """Register a function.

        Raises:
            ValidationError: A function of this kind and name exists.
        """
        if self.has(kind, name):
            raise ValidationError(
                {
                    SYSTEM: f"Could not register temporary system function. A function named '{name}' does "
                    "already exist.",
                    TEMPORARY: "Could not register temporary catalog function. A function "
                    f"'{self.database}.{name}' does already exist.",
                    PERMANENT: f"Function {self._in_catalog(name)} already exists in Catalog "
                    f"{self.database.partition('.')[0]}.",
                }[kind],
                range=range,
                hint="drop it first, or write IF NOT EXISTS",
            )
        self._by_kind[kind][name.lower()] = function

    def drop(self, kind: str, name: str, if_exists: bool = False, range: SourceRange | None = None) -> bool:
        """Drop a function and return whether it existed.

        Raises:
            ValidationError: The function does not exist and `if_exists` is False.
        """
        if self._by_kind[kind].pop(name.lower(), None) is not None:
            return True
        if if_exists:
            return False
        catalog, _, database = self.database.partition(".")
        raise ValidationError(
            {
                SYSTEM: f"Could not drop temporary system function. A function named '{name}' doesn't exist.",
                TEMPORARY: f"Temporary catalog function `{catalog}`.`{database}`.`{name}` doesn't exist",
                PERMANENT: f"Function {self._in_catalog(name)} does not exist in Catalog {catalog}.",
            }[kind],
            range=range,
        )

    def has(self, kind: str, name: str) -> bool:
        """Return whether a function of this kind and name exists."""
        return name.lower() in self._by_kind[kind]

    def system(self, name: str) -> UserDefined | None:
        """Return the temporary system function of that name, or None."""
        return self._by_kind[SYSTEM].get(name.lower())

    def of_catalog(self, name: str) -> UserDefined | None:
        """Return the catalog's function of that name, or None. A temporary one hides a permanent one."""
        key = name.lower()
        return self._by_kind[TEMPORARY].get(key) or self._by_kind[PERMANENT].get(key)

    def names(self) -> list[str]:
        """Return the sorted names of all functions, in lower case.

        A name that both a system and a catalog function have appears twice.
        """
        catalog = {*self._by_kind[TEMPORARY], *self._by_kind[PERMANENT]}
        return sorted([*self._by_kind[SYSTEM], *catalog])

    def _in_catalog(self, name: str) -> str:
        return f"{self.database.partition('.')[2]}.{name}"
