"""SQL types with PyFlink's names: DataTypes.BIGINT(), DataTypes.ARRAY(DataTypes.STRING())."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.types import sql
from firesteel.types.sql import SqlType, TypeRoot


class DataTypes:
    """Constructors of SQL types, nullable by default. A type's SQL text can be used in place of it."""

    @staticmethod
    def FIELD(name: str, data_type: SqlType) -> tuple[str, SqlType]:
        """Return a field for ROW."""
        return name, data_type

    @staticmethod
    def ROW(fields: Sequence[tuple[str, SqlType]], nullable: bool = True) -> SqlType:
        """Return a ROW type of fields made by FIELD."""
        names, children = (tuple(name for name, _ in fields), tuple(kind for _, kind in fields))
        return SqlType(TypeRoot.ROW, nullable, children=children, names=names)

    @staticmethod
    def ARRAY(element: SqlType, nullable: bool = True) -> SqlType:
        return sql.array(element).with_nullable(nullable)

    @staticmethod
    def MAP(key: SqlType, value: SqlType, nullable: bool = True) -> SqlType:
        return sql.map_of(key, value).with_nullable(nullable)

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> SqlType:
        return sql.decimal(precision, scale).with_nullable(nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> SqlType:
        return sql.time(precision).with_nullable(nullable)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> SqlType:
        return sql.timestamp(precision).with_nullable(nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> SqlType:
        return sql.timestamp_ltz(precision).with_nullable(nullable)

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> SqlType:
        return sql.char(length).with_nullable(nullable)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> SqlType:
        return sql.varchar(length).with_nullable(nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> SqlType:
        return sql.STRING.with_nullable(nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> SqlType:
        return sql.BYTES.with_nullable(nullable)

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> SqlType:
        return sql.BOOLEAN.with_nullable(nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> SqlType:
        return sql.TINYINT.with_nullable(nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> SqlType:
        return sql.SMALLINT.with_nullable(nullable)

    @staticmethod
    def INT(nullable: bool = True) -> SqlType:
        return sql.INT.with_nullable(nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> SqlType:
        return sql.BIGINT.with_nullable(nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> SqlType:
        return sql.FLOAT.with_nullable(nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> SqlType:
        return sql.DOUBLE.with_nullable(nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> SqlType:
        return sql.DATE.with_nullable(nullable)
