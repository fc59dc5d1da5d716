"""The expression compiler: from an expression tree to DuckDB SQL over the fields f0, f1, ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from hashlib import sha256
from zlib import crc32

from firesteel.changelog import SEQUENCE, field
from firesteel.errors import InternalError, NotSupportedError
from firesteel.functions.duckdb.calc_spec import ValueSet
from firesteel.functions.expression.casting import rounded_literal
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal, Value
from firesteel.functions.expression.recursion import from_below, remembered
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import APPROXIMATE, BIGINT, BYTES_LIKE, CHARACTER, SqlType, TypeRoot
from firesteel.types.user_function import UserFunction


class Compiler:
    """Compiler of expressions over one input.

    It also collects the Python functions, user-defined functions and sets of values that the SQL uses.
    """

    def __init__(
        self, emitters: Mapping[str, Emit], caster: Caster, time_zone: str, exchanged: bool = True
    ) -> None:
        self._emitters = emitters
        self._caster = caster
        self.time_zone = time_zone
        self.exchanged = exchanged
        self.functions: dict[str, None] = {}
        self.user: dict[str, UserFunction] = {}
        self.sets: dict[str, ValueSet] = {}
        self._names = 0

    def __call__(self, expr: Expr) -> str:
        """Return the SQL of an expression. Its DuckDB type is `to_duckdb(expr.type)`."""
        return _text(expr, self)

    def _written(self, expr: Expr) -> str:
        if isinstance(expr, InputRef):
            return field(expr.index)
        if isinstance(expr, Literal):
            return literal_text(expr)
        if expr.user is not None:
            return self._user_function(expr, expr.user.function)
        emit = self._emitters.get(expr.function)
        if emit is None:
            raise NotSupportedError(f"Function {expr.function} is not supported yet", range=expr.range)
        text = emit(self, expr)
        if expr.type.root in APPROXIMATE and is_constant(expr):
            return f"({text} + 0)"  # Calcite folds constants into decimals: + 0 turns -0.0 into 0.0.
        return text

    def fresh_name(self) -> str:
        """Return a unique name for a lambda's parameter."""
        self._names += 1
        return f"x{self._names}"

    def python(self, name: str, arguments: Sequence[tuple[str, SqlType]], result: SqlType) -> str:
        """Return the SQL of a call of a Python function (functions/duckdb/registry.py).

        Args:
            name: `<module>.<name>` of the function.
            arguments: SQL text and type of each argument.
            result: Type of the result.
        """
        kinds = "|".join(to_duckdb(kind) for kind in (*(kind for _, kind in arguments), result))
        # Types that differ only in the case of field names need functions of their own. DuckDB ignores case
        # in function names, so a hash of the types distinguishes them.
        if "STRUCT" in kinds:
            name = f"{name}#{crc32(kinds.encode()):08x}"
        text, signature = self._call(name, arguments, result)
        self.functions[signature] = None
        return text

    @staticmethod
    def _call(name: str, arguments: Sequence[tuple[str, SqlType]], result: SqlType) -> tuple[str, str]:
        """Return the SQL of a call, and the signature of the function."""
        kinds = [to_duckdb(kind) for _, kind in arguments]
        signature = "|".join([name, *kinds, to_duckdb(result)])
        texts = (f"CAST({text} AS {kind})" for (text, _), kind in zip(arguments, kinds, strict=True))
        quoted = signature.replace('"', '""')
        return f'"{quoted}"({", ".join(texts)})', signature

    def _user_function(self, call: Call, function: UserFunction) -> str:
        """Return the SQL of a call of a user-defined function (functions/duckdb/user_functions.py)."""
        name, arguments = function.name.lower().replace("|", "/"), [(self(a), a.type) for a in call.args]
        if not arguments:
            name, arguments = f"{name}()", [(f'"{SEQUENCE}"', BIGINT)]
        text, signature = self._call(name, arguments, call.type)
        self.user[signature] = function
        return text

    def is_one_of(self, expr: Expr, values: Sequence[Value]) -> str:
        """Return the SQL of an IN with values of the expression's type; NULL for NULL."""
        members = ValueSet(to_duckdb(expr.type), tuple(values))
        name = f"in|{len(members.values)}|{sha256(repr(members).encode()).hexdigest()[:32]}"
        self.sets[name] = members
        return f'"{name}"({self(expr)})'

    def call_python(self, name: str, call: Call, *more: Literal) -> str:
        """Return the SQL of a Python function, called with the call's arguments and further literals."""
        arguments = [(self(a), a.type) for a in (*call.args, *more)]
        return self.python(name, arguments, call.type)

    def cast(self, text: str, source: SqlType, target: SqlType, attempt: bool = False) -> str:
        """Return the SQL text cast from type `source` to `target`; NULL if it fails and `attempt` is set."""
        return self._caster(self, text, source, target, attempt)

    def type_name(self, kind: SqlType) -> str:
        """Return the DuckDB type of a SQL type."""
        return to_duckdb(kind)

    def temporal(self, call: Call) -> str:
        """Return the SQL of arithmetic with points in time and intervals."""
        return self._emitters["temporal"](self, call)


@from_below
def _text(expr: Expr, compiler: Compiler) -> str:
    return compiler._written(expr)


@remembered
def is_constant(expr: Expr) -> bool:
    """Return whether the expression reads no column."""
    return not isinstance(expr, InputRef) and all(map(is_constant, getattr(expr, "args", ())))


Emit = Callable[[Compiler, Call], str]
Caster = Callable[[Compiler, str, SqlType, SqlType, bool], str]


def quoted(text: str) -> str:
    """Return a DuckDB string literal."""
    parts = ("'" + part.replace("'", "''") + "'" for part in text.split("\0"))
    written = " || chr(0) || ".join(parts)  # DuckDB before 2.0 ends a literal at this character.
    return f"({written})" if "\0" in text else written


def literal_text(literal: Literal) -> str:
    """Return a literal as SQL of its own type."""
    kind, value = literal.type, rounded_literal(literal).value
    name = to_duckdb(kind)
    if value is None:
        return f"CAST(NULL AS {name})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if kind.root is TypeRoot.INTEGER and isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    if kind.root is TypeRoot.INTERVAL_YEAR_MONTH and isinstance(value, int):
        value = (value + (1 << 31)) % (1 << 32) - (1 << 31)  # wrap to 32 bits
    if kind.root in CHARACTER:
        return quoted(str(value))
    if kind.is_datetime and isinstance(value, str):  # the value has more digits than datetime holds
        return f"{quoted(value)}::{name}"
    if kind.root in BYTES_LIKE and isinstance(value, bytes):
        return quoted("".join(f"\\x{byte:02X}" for byte in value)) + "::BLOB"
    if isinstance(value, (int, float, Decimal, date, time, datetime)):
        text = format(value, "f") if isinstance(value, Decimal) else str(value)
        return f"'{text}'::{name}"
    raise InternalError(f"no DuckDB text for a literal of type {kind}")


def cast_text(text: str, source: SqlType, target: SqlType) -> str:
    """Return the SQL text cast by DuckDB's own CAST, or unchanged if both types have one DuckDB type."""
    wanted = to_duckdb(target)
    return text if to_duckdb(source) == wanted else f"CAST({text} AS {wanted})"
