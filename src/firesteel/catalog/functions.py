"""The functions of the user's by name. Rules and texts: Flink's FunctionCatalog.

Names are not case-sensitive. A temporary system function hides a built-in one, which hides those of the
catalog, of which a temporary one hides a permanent one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.errors import SourceRange, ValidationError
from firesteel.types.user_function import UserDefined

SYSTEM, TEMPORARY, PERMANENT = "temporary system", "temporary catalog", "catalog"


@dataclass
class FunctionCatalog:
    """Functions by kind (SYSTEM, TEMPORARY, PERMANENT) and name. `database` is where those are that have no
    kind SYSTEM."""

    database: str = "default_catalog.default_database"
    _by_kind: dict[str, dict[str, UserDefined]] = field(
        default_factory=lambda: {kind: {} for kind in (SYSTEM, TEMPORARY, PERMANENT)}
    )

    def create(self, kind: str, name: str, function: UserDefined, range: SourceRange | None = None) -> None:
        """Register a function. Raises ValidationError if the name is taken."""
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
        """Drop a function; whether there was one. Raises ValidationError if not and it must be."""
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
        """Whether there is a function of this kind and name."""
        return name.lower() in self._by_kind[kind]

    def system(self, name: str) -> UserDefined | None:
        """The temporary system function of that name."""
        return self._by_kind[SYSTEM].get(name.lower())

    def of_catalog(self, name: str) -> UserDefined | None:
        """The catalog's function of that name, the temporary one first."""
        key = name.lower()
        return self._by_kind[TEMPORARY].get(key) or self._by_kind[PERMANENT].get(key)

    def names(self) -> list[str]:
        """The names of all, in lower case and in order, a system function beside one of the catalog twice."""
        catalog = {*self._by_kind[TEMPORARY], *self._by_kind[PERMANENT]}
        return sorted([*self._by_kind[SYSTEM], *catalog])

    def _in_catalog(self, name: str) -> str:
        return f"{self.database.partition('.')[2]}.{name}"
