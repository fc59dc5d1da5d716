"""Differences between databases: URLs, types and SQL. Flink: MySqlDialect, PostgresDialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firesteel.errors import ValidationError
from firesteel.types.sql import SqlType, TypeRoot

_PLAIN = frozenset(
    (
        *(TypeRoot.CHAR, TypeRoot.VARCHAR, TypeRoot.BOOLEAN, TypeRoot.VARBINARY, TypeRoot.DECIMAL),
        *(TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT, TypeRoot.FLOAT),
        *(TypeRoot.DOUBLE, TypeRoot.DATE, TypeRoot.TIME, TypeRoot.TIMESTAMP),
    )
)
_WHOLE = 2**31 - 1
"""Length of the type BYTES, which is VARBINARY(2147483647). No dialect supports a shorter VARBINARY."""
_MOST_DIGITS = 6
"""Largest precision of a TIMESTAMP: the digits of a fraction of a second."""


@dataclass(frozen=True)
class Dialect:
    """A database's URLs, types and SQL.

    Attributes:
        name: Name of the database.
        schemes: Schemes of its JDBC URLs.
        driver: SQLAlchemy's name of the driver.
        package: Package that installs the driver.
        quote: Quote around names. Flink does not quote PostgreSQL's names.
        types: Supported types.
        digits: Largest precision of a DECIMAL.
        on_duplicate: Whether upserts use MySQL's syntax.
        as_text: Whether columns hold text for times and decimals.
    """

    name: str
    schemes: tuple[str, ...]
    driver: str
    package: str
    quote: str
    types: frozenset[TypeRoot]
    digits: int
    on_duplicate: bool = False
    as_text: bool = False
    keys_as: str = "union"
    """Form of the keys in a lookup query: "union", "values" or "arrays" (connectors/jdbc/lookup.py)."""
    array_types: Mapping[TypeRoot, str] = field(default_factory=dict)
    """The database's name of each type of a key column, if `keys_as` is `arrays`."""

    # --- SQL, with the parameters p0, p1, ... -----------------------------------------------------
    def insert(self, table: str, columns: Sequence[str]) -> str:
        names = ", ".join(map(self.quoted, columns))
        values = ", ".join(f":p{place}" for place in range(len(columns)))
        return f"INSERT INTO {self.quoted(table)}({names}) VALUES ({values})"

    def upsert(self, table: str, columns: Sequence[str], keys: Sequence[str]) -> str:
        """Return a statement that inserts a row or updates the row with the same key."""
        inserted = self.insert(table, columns)
        if self.on_duplicate:
            sets = ", ".join(f"{self.quoted(name)}=VALUES({self.quoted(name)})" for name in columns)
            return f"{inserted} ON DUPLICATE KEY UPDATE {sets}"
        rest = [self.quoted(name) for name in columns if name not in keys]
        sets = ", ".join(f"{name}=EXCLUDED.{name}" for name in rest)
        what = f"DO UPDATE SET {sets}" if sets else "DO NOTHING"
        return f"{inserted} ON CONFLICT ({', '.join(map(self.quoted, keys))}) {what}"

    def delete(self, table: str, keys: Sequence[str]) -> str:
        where = " AND ".join(f"{self.quoted(name)} = :p{place}" for place, name in enumerate(keys))
        return f"DELETE FROM {self.quoted(table)} WHERE {where}"

    def select(self, table: str, columns: Sequence[str], between: str | None) -> str:
        """Return a query of all rows if `between` is None.

        Otherwise `between` is a column: return a query of the rows with its values from p0 to p1, inclusive.
        """
        names = ", ".join(map(self.quoted, columns)) or "1"
        where = "" if between is None else f" WHERE {self.quoted(between)} BETWEEN :p0 AND :p1"
        return f"SELECT {names} FROM {self.quoted(table)}{where}"

    def quoted(self, name: str) -> str:
        """Return a name for SQL: quotes in it are doubled, and colons are escaped.

        Otherwise SQLAlchemy takes a colon and the word after it for a parameter.
        """
        inner = name.replace(self.quote, 2 * self.quote) if self.quote else name
        return f"{self.quote}{inner}{self.quote}".replace(":", r"\:")

    # --- checks ----------------------------------------------------------------------------------
    def check(self, names: Sequence[str], types: Sequence[SqlType]) -> None:
        """Check that the database supports the types of all columns.

        Raises:
            ValidationError: A type, or the precision of a DECIMAL or TIMESTAMP, is not supported. The text is
                Flink's.
        """
        for name, kind in zip(names, types, strict=True):
            short = kind.root is TypeRoot.VARBINARY and kind.length != _WHOLE
            if kind.root not in self.types or short:
                raise ValidationError(f"The {self.name} dialect doesn't support type: {kind}.")
            if kind.root is TypeRoot.DECIMAL and (kind.precision or 0) > self.digits:
                raise _out_of_range(self.name, name, "DECIMAL", self.digits)
            if kind.root is TypeRoot.TIMESTAMP and not 1 <= (kind.precision or 0) <= _MOST_DIGITS:
                raise _out_of_range(self.name, name, "TIMESTAMP", _MOST_DIGITS)


def _out_of_range(dialect: str, column: str, kind: str, most: int) -> ValidationError:
    return ValidationError(
        f"The precision of field '{column}' is out of the {kind} precision range [1, {most}] supported by "
        f"{dialect} dialect."
    )


_POSTGRES: dict[TypeRoot, str] = {
    TypeRoot.BOOLEAN: "boolean",
    TypeRoot.TINYINT: "smallint",
    TypeRoot.SMALLINT: "smallint",
    TypeRoot.INTEGER: "integer",
    TypeRoot.BIGINT: "bigint",
    TypeRoot.FLOAT: "real",
    TypeRoot.DOUBLE: "double precision",
    TypeRoot.DECIMAL: "numeric",
    TypeRoot.CHAR: "text",
    TypeRoot.VARCHAR: "text",
    TypeRoot.VARBINARY: "bytea",
    TypeRoot.DATE: "date",
    TypeRoot.TIME: "time",
    TypeRoot.TIMESTAMP: "timestamp",
    TypeRoot.TIMESTAMP_LTZ: "timestamptz",
}

_DIALECTS = (
    Dialect(
        "PostgreSQL",
        ("postgresql",),
        "postgresql+psycopg",
        "psycopg[binary]",
        quote="",
        types=_PLAIN | {TypeRoot.TIMESTAMP_LTZ, TypeRoot.ARRAY},
        digits=1000,
        keys_as="arrays",
        array_types=_POSTGRES,
    ),
    Dialect(
        "MySQL",
        ("mysql", "mariadb"),
        "mysql+pymysql",
        "pymysql",
        quote="`",
        types=_PLAIN,
        digits=65,
        on_duplicate=True,
    ),
    Dialect("SQLite", ("sqlite",), "sqlite", "sqlalchemy", "`", _PLAIN, 1000, as_text=True, keys_as="values"),
)


def dialect_of(url: str) -> Dialect:
    """Return the dialect of a JDBC URL.

    Raises:
        ValidationError: No dialect fits. The text is Flink's.
    """
    for dialect in _DIALECTS:
        if any(url.startswith(f"jdbc:{scheme}:") for scheme in dialect.schemes):
            return dialect
    listed = "\n".join(dialect.name for dialect in _DIALECTS)
    raise ValidationError(
        f"Could not find any jdbc factory that can handle url '{url.split('?')[0]}' that implements "
        "'org.apache.flink.connector.jdbc.core.database.JdbcFactory' in the classpath.\n\n"
        f"Available factories are:\n\n{listed}",
        option="url",
    )
