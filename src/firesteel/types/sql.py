"""Flink SQL's types as immutable values.

Rules: Flink's `LogicalType` and its subclasses (flink-table-common). `str` of a type is its DDL text:
`DECIMAL(10, 2) NOT NULL`, `ARRAY<INT>`, ``ROW<`a` INT>``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

MAX_LENGTH = 2147483647
"""Length of STRING (VARCHAR) in characters and of BYTES (VARBINARY) in bytes."""


class TypeRoot(Enum):
    """Type without its parameters (Flink: LogicalTypeRoot)."""

    NULL = "NULL"
    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INTEGER = "INT"
    BIGINT = "BIGINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    BINARY = "BINARY"
    VARBINARY = "VARBINARY"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_LTZ = "TIMESTAMP_LTZ"
    INTERVAL_YEAR_MONTH = "INTERVAL YEAR TO MONTH"
    INTERVAL_DAY_TIME = "INTERVAL DAY TO SECOND"
    ARRAY = "ARRAY"
    MAP = "MAP"
    MULTISET = "MULTISET"
    ROW = "ROW"
    RAW = "RAW"
    VARIANT = "VARIANT"
    BITMAP = "BITMAP"


INTEGERS = (TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT)
APPROXIMATE = (TypeRoot.FLOAT, TypeRoot.DOUBLE)
NUMERIC = (*INTEGERS, TypeRoot.DECIMAL, *APPROXIMATE)
CHARACTER = (TypeRoot.CHAR, TypeRoot.VARCHAR)
BYTES_LIKE = (TypeRoot.BINARY, TypeRoot.VARBINARY)
TIMESTAMPS = (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)
DATETIME = (TypeRoot.DATE, TypeRoot.TIME, *TIMESTAMPS)
INTERVALS = (TypeRoot.INTERVAL_YEAR_MONTH, TypeRoot.INTERVAL_DAY_TIME)

INTEGER_BITS = {TypeRoot.TINYINT: 8, TypeRoot.SMALLINT: 16, TypeRoot.INTEGER: 32, TypeRoot.BIGINT: 64}
WHOLE_BITS = {**INTEGER_BITS, TypeRoot.INTERVAL_YEAR_MONTH: 32, TypeRoot.INTERVAL_DAY_TIME: 64}
"""Number of bits of the types held as integers. Intervals are held as months or milliseconds."""

_WITH_LENGTH = (*CHARACTER, *BYTES_LIKE)
_WITH_PRECISION = (TypeRoot.TIME, *TIMESTAMPS)


@dataclass(frozen=True)
class SqlType:
    """SQL type: root, nullability and parameters. Parameters that a root does not have are None or empty."""

    root: TypeRoot
    nullable: bool = True
    """Whether NULL is allowed."""
    length: int | None = None
    """Length of CHAR, VARCHAR, BINARY, VARBINARY."""
    precision: int | None = None
    """Precision of DECIMAL, TIME, TIMESTAMP, TIMESTAMP_LTZ, and of an interval's leading field."""
    scale: int | None = None
    """Scale of DECIMAL."""
    children: tuple[SqlType, ...] = ()
    """Element of ARRAY and MULTISET; key and value of MAP; fields of ROW."""
    names: tuple[str, ...] = ()
    """Field names of ROW. For an interval the words of its qualifier, ("DAY",) or ("HOUR", "MINUTE").

    Plans show the qualifier. `==` compares it, too.
    """
    class_name: str | None = None
    """Class of a structured type, which is otherwise a ROW."""

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            found = (self.root, self.nullable, self.length, self.precision, self.scale, self.children)
            known = self.__dict__["_hash"] = hash(found)
        return known

    def __getstate__(self) -> dict[str, object]:
        """Return the fields without the cached hash, which differs between processes."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def with_nullable(self, nullable: bool) -> SqlType:
        """Return this type with the given nullability."""
        if self.nullable == nullable:
            return self
        twin: SqlType | None = self.__dict__.get("_twin")
        if twin is None:
            twin = self.__dict__["_twin"] = replace(self, nullable=nullable)
        return twin

    def nullable_throughout(self) -> SqlType:
        """Return this type with NULL allowed at every level (Flink: TypeTransformations.toNullable)."""
        children = tuple(child.nullable_throughout() for child in self.children)
        return (
            self
            if self.nullable and children == self.children
            else replace(self, nullable=True, children=children)
        )

    def same_as(self, other: SqlType) -> bool:
        """Return whether both types are equal, apart from the nullability of the outermost level."""
        return self is other or self.with_nullable(True) == other.with_nullable(True)

    @property
    def is_numeric(self) -> bool:
        return self.root in NUMERIC

    @property
    def is_integer(self) -> bool:
        return self.root in INTEGERS

    @property
    def is_character(self) -> bool:
        return self.root in CHARACTER

    @property
    def is_datetime(self) -> bool:
        return self.root in DATETIME

    @property
    def is_interval(self) -> bool:
        return self.root in INTERVALS

    def __str__(self) -> str:
        """Return Flink's `asSummaryString`: STRING for VARCHAR(2147483647), NOT NULL at the end."""
        return self._bare() + ("" if self.nullable else " NOT NULL")

    def _bare(self) -> str:
        root = self.root
        if root is TypeRoot.VARCHAR and self.length == MAX_LENGTH:
            return "STRING"
        if root is TypeRoot.VARBINARY and self.length == MAX_LENGTH:
            return "BYTES"
        if root in _WITH_LENGTH:
            return f"{root.value}({self.length})"
        if root is TypeRoot.DECIMAL:
            return f"DECIMAL({self.precision}, {self.scale})"
        if root in _WITH_PRECISION:
            return f"{root.value}({self.precision})"
        if root is TypeRoot.ROW:
            fields = (f"{quoted_name(n)} {kind}" for n, kind in zip(self.names, self.children, strict=True))
            if self.class_name is not None:
                named = "'" + self.class_name.replace("'", "''") + "'"
                return f"STRUCTURED<{', '.join([named, *fields])}>"
            return f"ROW<{', '.join(fields)}>"
        if self.children:
            return f"{root.value}<{', '.join(map(str, self.children))}>"
        name: str = root.value
        return name


def quoted_name(name: str) -> str:
    """Return an identifier in backticks, as SQL reads it back."""
    return "`" + name.replace("`", "``") + "`"


NULL = SqlType(TypeRoot.NULL)
BOOLEAN = SqlType(TypeRoot.BOOLEAN)
TINYINT = SqlType(TypeRoot.TINYINT)
SMALLINT = SqlType(TypeRoot.SMALLINT)
INT = SqlType(TypeRoot.INTEGER)
BIGINT = SqlType(TypeRoot.BIGINT)
FLOAT = SqlType(TypeRoot.FLOAT)
DOUBLE = SqlType(TypeRoot.DOUBLE)
STRING = SqlType(TypeRoot.VARCHAR, length=MAX_LENGTH)
BYTES = SqlType(TypeRoot.VARBINARY, length=MAX_LENGTH)
DATE = SqlType(TypeRoot.DATE)


def decimal(precision: int, scale: int) -> SqlType:
    """Return DECIMAL(precision, scale). The caller keeps to 1 <= precision <= 38, 0 <= scale <= precision."""
    return SqlType(TypeRoot.DECIMAL, precision=precision, scale=scale)


def char(length: int) -> SqlType:
    """Return CHAR(length)."""
    return SqlType(TypeRoot.CHAR, length=length)


def varchar(length: int) -> SqlType:
    """Return VARCHAR(length)."""
    return SqlType(TypeRoot.VARCHAR, length=length)


def time(precision: int = 0) -> SqlType:
    """Return TIME(precision)."""
    return SqlType(TypeRoot.TIME, precision=precision)


def timestamp(precision: int = 6) -> SqlType:
    """Return TIMESTAMP(precision) WITHOUT TIME ZONE."""
    return SqlType(TypeRoot.TIMESTAMP, precision=precision)


def timestamp_ltz(precision: int = 6) -> SqlType:
    """Return TIMESTAMP(precision) WITH LOCAL TIME ZONE."""
    return SqlType(TypeRoot.TIMESTAMP_LTZ, precision=precision)


def array(element: SqlType) -> SqlType:
    """Return ARRAY<element>."""
    return SqlType(TypeRoot.ARRAY, children=(element,))


def map_of(key: SqlType, value: SqlType) -> SqlType:
    """Return MAP<key, value>."""
    return SqlType(TypeRoot.MAP, children=(key, value))


def structured(class_name: str, names: tuple[str, ...], children: tuple[SqlType, ...]) -> SqlType:
    """Return STRUCTURED<'class_name', name type, ...>, a ROW whose values have a class."""
    return SqlType(TypeRoot.ROW, children=children, names=names, class_name=class_name)


def row(names: tuple[str, ...], children: tuple[SqlType, ...]) -> SqlType:
    """Return ROW<name type, ...>."""
    return SqlType(TypeRoot.ROW, children=children, names=names)
