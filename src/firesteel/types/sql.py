"""Flink SQL's type system: one frozen value a type.

Rules: Flink `LogicalType` and its sub-classes (flink-table-common), which print themselves
as they are written in DDL: `DECIMAL(10, 2) NOT NULL`, `ARRAY<INT>`, ``ROW<`a` INT>``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

MAX_LENGTH = 2147483647
"""The length of STRING (VARCHAR) and BYTES (VARBINARY), in characters and bytes."""


class TypeRoot(Enum):
    """What a type is, without its parameters."""

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
"""The width of what is held as a whole number: integers and, as months and milliseconds, intervals."""

_WITH_LENGTH = (*CHARACTER, *BYTES_LIKE)
_WITH_PRECISION = (TypeRoot.TIME, *TIMESTAMPS)


@dataclass(frozen=True)
class SqlType:
    """A SQL type: its root, whether NULL is allowed, and the parameters its root has.

    length: CHAR, VARCHAR, BINARY, VARBINARY. precision: DECIMAL, TIME, TIMESTAMP, TIMESTAMP_LTZ,
    intervals (of the leading field). scale: DECIMAL. children: ARRAY and MULTISET (element), MAP
    (key, value), ROW (fields, named by `names`). names: of an interval the words of its qualifier as it
    was written, ("DAY",) or ("HOUR", "MINUTE"), for plans show them; they make no other type. class_name:
    makes a ROW a structured type.
    """

    root: TypeRoot
    nullable: bool = True
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    children: tuple[SqlType, ...] = ()
    names: tuple[str, ...] = ()
    class_name: str | None = None

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            found = (self.root, self.nullable, self.length, self.precision, self.scale, self.children)
            known = self.__dict__["_hash"] = hash(found)
        return known

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: a hash is another one in another process."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def with_nullable(self, nullable: bool) -> SqlType:
        """The same type, allowing NULL or not."""
        if self.nullable == nullable:
            return self
        twin: SqlType | None = self.__dict__.get("_twin")
        if twin is None:
            twin = self.__dict__["_twin"] = replace(self, nullable=nullable)
        return twin

    def nullable_throughout(self) -> SqlType:
        """The same type, NULL allowed at every level (Flink: TypeTransformations.toNullable)."""
        children = tuple(child.nullable_throughout() for child in self.children)
        return (
            self
            if self.nullable and children == self.children
            else replace(self, nullable=True, children=children)
        )

    def same_as(self, other: SqlType) -> bool:
        """Whether both are the same type, nullability of the outermost level aside."""
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
        """As Flink's `asSummaryString`: STRING for VARCHAR(2147483647), NOT NULL at the end."""
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
    """DECIMAL(precision, scale), 1 <= precision <= 38, 0 <= scale <= precision."""
    return SqlType(TypeRoot.DECIMAL, precision=precision, scale=scale)


def char(length: int) -> SqlType:
    """CHAR(length)."""
    return SqlType(TypeRoot.CHAR, length=length)


def varchar(length: int) -> SqlType:
    """VARCHAR(length)."""
    return SqlType(TypeRoot.VARCHAR, length=length)


def time(precision: int = 0) -> SqlType:
    """TIME(precision)."""
    return SqlType(TypeRoot.TIME, precision=precision)


def timestamp(precision: int = 6) -> SqlType:
    """TIMESTAMP(precision) WITHOUT TIME ZONE."""
    return SqlType(TypeRoot.TIMESTAMP, precision=precision)


def timestamp_ltz(precision: int = 6) -> SqlType:
    """TIMESTAMP(precision) WITH LOCAL TIME ZONE."""
    return SqlType(TypeRoot.TIMESTAMP_LTZ, precision=precision)


def array(element: SqlType) -> SqlType:
    """ARRAY<element>."""
    return SqlType(TypeRoot.ARRAY, children=(element,))


def map_of(key: SqlType, value: SqlType) -> SqlType:
    """MAP<key, value>."""
    return SqlType(TypeRoot.MAP, children=(key, value))


def structured(class_name: str, names: tuple[str, ...], children: tuple[SqlType, ...]) -> SqlType:
    """STRUCTURED<'class_name', name type, ...>: a row that knows the class of its values."""
    return SqlType(TypeRoot.ROW, children=children, names=names, class_name=class_name)


def row(names: tuple[str, ...], children: tuple[SqlType, ...]) -> SqlType:
    """ROW<name type, ...>."""
    return SqlType(TypeRoot.ROW, children=children, names=names)
