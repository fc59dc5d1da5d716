"""Grammar of types in DDL and CAST."""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import ParseError
from firesteel.sql.cursor import Cursor
from firesteel.sql.lexer import Kind
from firesteel.sql.syntax import TypeName
from firesteel.types import sql as types
from firesteel.types.sql import MAX_LENGTH, SqlType, TypeRoot

_PLAIN = {
    "BOOLEAN": types.BOOLEAN,
    "TINYINT": types.TINYINT,
    "SMALLINT": types.SMALLINT,
    "INT": types.INT,
    "INTEGER": types.INT,
    "BIGINT": types.BIGINT,
    "FLOAT": types.FLOAT,
    "REAL": types.FLOAT,
    "DATE": types.DATE,
    "STRING": types.STRING,
    "BYTES": types.BYTES,
    "VARIANT": SqlType(TypeRoot.VARIANT),
    "BITMAP": SqlType(TypeRoot.BITMAP),
    "NULL": types.NULL,
}
_LENGTHS = {
    "CHAR": (TypeRoot.CHAR, 1),
    "VARCHAR": (TypeRoot.VARCHAR, MAX_LENGTH),
    "BINARY": (TypeRoot.BINARY, 1),
    "VARBINARY": (TypeRoot.VARBINARY, MAX_LENGTH),
}
YEAR_MONTH_UNITS = ("YEAR", "QUARTER", "MONTH")
DAY_TIME_UNITS = ("WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_SPANS = {
    "YEAR": ("MONTH",),
    "DAY": ("HOUR", "MINUTE", "SECOND"),
    "HOUR": ("MINUTE", "SECOND"),
    "MINUTE": ("SECOND",),
}


class TypeGrammar(Cursor):
    """Grammar of one type. A type is nullable unless NOT NULL is part of it."""

    def type_name(self) -> TypeName:
        """Read the type of a column or of RETURNING, without the NOT NULL that may follow a column's type."""
        start = self.token.start
        return self.place(TypeName(self._type()), start)

    intervals_anywhere = False
    """Whether interval types are allowed outside of CAST.

    Flink SQL does not allow them. `parse_type` does, for the types of user-defined functions.
    """

    def cast_target(self) -> TypeName:
        """Read the type of a CAST, which may be an interval."""
        start = self.token.start
        kind = self._interval() if self.at("INTERVAL") else self._type()
        return self.place(TypeName(kind), start)

    def _type(self) -> SqlType:
        start = self.token.start
        kind = self._base_type(start)
        while True:
            if self.accept("ARRAY"):
                kind = types.array(kind)
            elif self.accept("MULTISET"):
                kind = SqlType(TypeRoot.MULTISET, children=(kind,))
            else:
                return kind

    def element_type(self) -> SqlType:
        """Read a type inside another type, with its NULL or NOT NULL."""
        kind = self._type()
        return kind.with_nullable(self.nullable())

    def nullable(self) -> bool:
        """Read the NULL or NOT NULL that may follow a type. Return False for NOT NULL, else True."""
        if self.accept("NOT", "NULL"):
            return False
        self.accept("NULL")
        return True

    def _base_type(self, start: int) -> SqlType:
        word = self.token.word
        if self.token.kind is Kind.QUOTED or not word:
            raise self.error(f"a type is expected, found {self._found()}")
        if word in _PLAIN:
            self.advance()
            return _PLAIN[word]
        if word == "INTERVAL" and not self.intervals_anywhere:
            raise self.error(
                "Incorrect syntax near the keyword 'INTERVAL'",
                hint="columns, fields and elements cannot be intervals: keep milliseconds or months",
            )
        if word in _LENGTHS or word == "CHARACTER":
            return self._with_length(start)
        reader = {
            "DOUBLE": self._double,
            "DECIMAL": self._decimal,
            "DEC": self._decimal,
            "NUMERIC": self._decimal,
            "TIME": self._time,
            "TIMESTAMP": self._timestamp,
            "TIMESTAMP_LTZ": self._timestamp_ltz,
            "INTERVAL": self._interval,
            "ARRAY": self._one_element,
            "MULTISET": self._one_element,
            "MAP": self._map,
            "ROW": self._row,
            "STRUCTURED": self._structured,
        }.get(word)
        if reader is not None:
            return reader()
        if word == "RAW":
            raise self.not_supported(f"the type {word}", self.token)
        raise self.error(f"unknown type {self._found()}", hint=self._type_hint(word))

    def _found(self) -> str:
        token = self.token
        return f"'{self.text[token.start : token.end]}'" if token.kind is not Kind.END else "the end"

    @staticmethod
    def _type_hint(word: str) -> str | None:
        names = {
            "TEXT": "STRING",
            "LONG": "BIGINT",
            "BOOL": "BOOLEAN",
            "DATETIME": "TIMESTAMP(3)",
            "BLOB": "BYTES",
        }
        return f"Flink's name is {names[word]}" if word in names else None

    def _with_length(self, start: int) -> SqlType:
        word = self.advance().word
        if word in ("CHAR", "CHARACTER"):
            word = "VARCHAR" if self.accept("VARYING") else "CHAR"
        root, default = _LENGTHS[word]
        length = self.in_parentheses(self.integer) if self.at_symbol("(") else default
        if length > MAX_LENGTH:
            raise ParseError(f"{word} length must be at most {MAX_LENGTH}", range=self.since(start))
        return SqlType(root, length=length)

    def _double(self) -> SqlType:
        self.advance()
        self.accept("PRECISION")
        return types.DOUBLE

    def _decimal(self) -> SqlType:
        start = self.advance().start
        precision, scale = 10, 0
        if self.accept_symbol("("):
            precision = self.integer()
            if self.accept_symbol(","):
                scale = self.integer()
            self.expect_symbol(")")
        precision = min(precision, 38)  # Calcite's maximum
        if precision < 1:
            raise ParseError("DECIMAL precision must be at least 1", range=self.since(start))
        if scale > precision:
            raise ParseError(
                f"Decimal scale must be between 0 and the precision {precision} (both inclusive).",
                range=self.since(start),
            )
        return types.decimal(precision, scale)

    def _precision(self, default: int) -> int:
        precision = self.in_parentheses(self.integer) if self.at_symbol("(") else default
        return min(precision, 9)  # Calcite's maximum

    def _time(self) -> SqlType:
        self.advance()
        precision = self._precision(0)
        if self.at("WITH"):
            raise self.not_supported("TIME WITH TIME ZONE", self.token)
        if self.accept("WITHOUT"):
            self.expect("TIME", "ZONE")
        return types.time(precision)

    def _timestamp(self) -> SqlType:
        self.advance()
        precision = self._precision(6)
        if self.accept("WITHOUT"):
            self.expect("TIME", "ZONE")
        elif self.at("WITH"):
            token = self.advance()
            if not self.accept("LOCAL"):
                self.expect("TIME", "ZONE")
                raise self.not_supported("TIMESTAMP WITH TIME ZONE (with its own zone)", token)
            self.expect("TIME", "ZONE")
            return types.timestamp_ltz(precision)
        return types.timestamp(precision)

    def _timestamp_ltz(self) -> SqlType:
        self.advance()
        return types.timestamp_ltz(self._precision(6))

    def _interval(self) -> SqlType:
        self.advance()
        unit = self.interval_unit()
        if unit.split("(")[0].split()[0] in YEAR_MONTH_UNITS:
            return SqlType(TypeRoot.INTERVAL_YEAR_MONTH)
        return SqlType(TypeRoot.INTERVAL_DAY_TIME)

    def interval_unit(self) -> str:
        """Read a unit such as `DAY` or `DAY(3) TO SECOND(2)`, and return it in upper case and singular."""
        unit = self._one_unit()
        text = unit + self._unit_precision()
        # only a smaller unit: in FLOOR(ts + INTERVAL '1' MINUTE TO HOUR), TO HOUR belongs to FLOOR
        if any(self.at("TO", word) for last in _SPANS.get(unit, ()) for word in (last, f"{last}S")):
            self.advance()
            last = self._one_unit()
            text += f" TO {last}" + (self._unit_precision() if last == "SECOND" else "")
        return text

    def _one_unit(self) -> str:
        word = self.token.word
        single = word[:-1] if word.endswith("S") else word
        if single not in (*YEAR_MONTH_UNITS, *DAY_TIME_UNITS):
            self._looked_for += ["DAY", "HOUR", "MINUTE", "SECOND", "MONTH", "YEAR"]
            raise self.error()
        self.advance()
        return single

    def _unit_precision(self) -> str:
        if not self.accept_symbol("("):
            return ""
        digits = [self.integer()]
        if self.accept_symbol(","):
            digits.append(self.integer())
        self.expect_symbol(")")
        return f"({', '.join(map(str, digits))})"

    def _one_element(self) -> SqlType:
        root = TypeRoot[self.advance().word]
        self.expect_symbol("<")
        element = self.element_type()
        self._close()
        return SqlType(root, children=(element,))

    def _map(self) -> SqlType:
        self.advance()
        self.expect_symbol("<")
        key = self.element_type()
        self.expect_symbol(",")
        value = self.element_type()
        self._close()
        return types.map_of(key, value)

    def _close(self) -> None:
        self.expect_symbol(">")

    def _row(self) -> SqlType:
        start = self.advance().start
        if self.at_symbol("<>"):
            self.advance()
            return types.row((), ())
        closer = ")" if self.accept_symbol("(") else ">"
        if closer == ">":
            self.expect_symbol("<")
        if self.accept_symbol(closer):
            return types.row((), ())
        fields = self.list_of(self._field)
        self.expect_symbol(closer)
        names = tuple(name for name, _ in fields)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ParseError(
                f"Field names must be unique. Found duplicates: [{', '.join(twice)}]", range=self.since(start)
            )
        return types.row(names, tuple(kind for _, kind in fields))

    def _structured(self) -> SqlType:
        self.advance()
        self.expect_symbol("<")
        class_name = self.string()
        fields = self.list_of(self._field) if self.accept_symbol(",") else []
        self._close()
        return types.structured(class_name, tuple(n for n, _ in fields), tuple(kind for _, kind in fields))

    def _field(self) -> tuple[str, SqlType]:
        name = self.name().name
        kind = self.element_type()
        if self.token.kind is Kind.STRING:
            self.advance()
        return name, replace(kind)
