"""The function table: one row for each form of a function, with arguments, result type and implementation.

`arguments` has one letter per parameter (a key of FAMILIES). `?` after it makes the parameter optional, `*`
repeats it. `body` is DuckDB SQL with `{0}`, `{1}` for the arguments and `{zone}` for the session's time
zone, or `@module.name` for a Python function (functions/duckdb/registry.py). A name may have several rows.
The first row whose arguments fit is used.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.types import sql
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, NUMERIC, TIMESTAMPS, SqlType, TypeRoot

Result = SqlType | Callable[[Sequence[Expr]], SqlType]

FAMILIES: dict[str, tuple[tuple[TypeRoot, ...], str, SqlType]] = {
    "s": (CHARACTER, "<CHARACTER>", sql.STRING),
    "i": (INTEGERS, "<INTEGER>", sql.INT),
    "j": (INTEGERS[:3], "<INTEGER>", sql.INT),
    "n": (NUMERIC, "<NUMERIC>", sql.INT),
    "x": ((*INTEGERS, TypeRoot.DECIMAL), "<EXACT_NUMERIC>", sql.INT),
    "b": ((TypeRoot.BOOLEAN,), "<BOOLEAN>", sql.BOOLEAN),
    "y": (BYTES_LIKE, "<BINARY>", sql.BYTES),
    "u": ((*CHARACTER, *BYTES_LIKE), "<STRING>", sql.STRING),
    "d": ((TypeRoot.DATE,), "<DATE>", sql.DATE),
    "t": (TIMESTAMPS, "<TIMESTAMP>", sql.timestamp(3)),
    "h": ((TypeRoot.TIME,), "<TIME>", sql.time(0)),
    "a": ((TypeRoot.ARRAY,), "<ARRAY>", sql.array(sql.INT)),
    "m": ((TypeRoot.MAP,), "<MAP>", sql.map_of(sql.STRING, sql.STRING)),
    "v": ((TypeRoot.VARIANT,), "<VARIANT>", SqlType(TypeRoot.VARIANT)),
    "r": ((TypeRoot.BITMAP,), "<BITMAP>", SqlType(TypeRoot.BITMAP)),
    "z": ((), "<ANY>", sql.STRING),
}
"""Families by letter: accepted type roots (none: any), name in messages, and type of an untyped NULL."""


@dataclass(frozen=True)
class Function:
    """One form of a function."""

    name: str
    arguments: str
    """One letter for each parameter, as the module's documentation describes."""
    result: Result
    """Type of a call's result, or a function that computes this type from the typed arguments.

    A fixed type becomes nullable if an argument is nullable."""
    body: str
    """DuckDB SQL or the name of a Python function, as the module's documentation describes."""
    nullable: bool = False
    """Whether the result may be NULL even if no argument is."""
    prepare: Callable[[Sequence[Expr]], Sequence[Expr] | None] | None = None
    """Function that casts the arguments to common types, or returns None if the call is not possible."""

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Return (letter of the family, mark) for each parameter.

        The mark is '?' for an optional parameter, '*' for a repeated one, and '' for any other.
        """
        found: list[tuple[str, str]] = []
        for letter in self.arguments.replace(" ", ""):
            if letter in "?*":
                found[-1] = (found[-1][0], letter)
            else:
                found.append((letter, ""))
        return found

    def accepts(self, types: Sequence[SqlType]) -> bool:
        """Return whether arguments of these types fit."""
        families = self.families(len(types))
        return families is not None and all(map(self.fits, families, types))

    @staticmethod
    def fits(family: str, kind: SqlType) -> bool:
        """Return whether a type belongs to the family of a letter. An untyped NULL belongs to all."""
        roots = FAMILIES[family][0]
        return not roots or kind.root in roots or kind.root is TypeRoot.NULL

    @property
    def least(self) -> int:
        """Return the minimum number of arguments."""
        return sum(mark == "" for _, mark in self.parameters)

    def families(self, count: int) -> list[str] | None:
        """Return the family of each of `count` arguments, or None if the number is wrong."""
        parameters = self.parameters
        found = [letter for letter, _ in parameters[:count]]
        if parameters and parameters[-1][1] == "*":
            found += [parameters[-1][0]] * (count - len(parameters))
        return found if len(found) == count >= self.least else None

    def result_type(self, args: Sequence[Expr]) -> SqlType:
        """Return the type of a call with these arguments."""
        if isinstance(self.result, SqlType):
            nullable = self.nullable or any(a.type.nullable for a in args)
            return self.result.with_nullable(nullable)
        found = self.result(args)
        return found.with_nullable(True) if self.nullable else found

    @property
    def form(self) -> str:
        """Return the function's form for error messages: `'SUBSTRING(<CHARACTER>, <INTEGER>)'`."""
        names = ", ".join(FAMILIES[letter][1] for letter, mark in self.parameters if mark == "")
        return f"'{self.name}({names})'"


def same_as_first(args: Sequence[Expr]) -> SqlType:
    """Return the first argument's type, nullable if any argument is."""
    return args[0].type.with_nullable(any(a.type.nullable for a in args))


def varying_of_first(args: Sequence[Expr]) -> SqlType:
    """Return VARCHAR of the first argument's length, nullable if any argument is."""
    nullable = any(a.type.nullable for a in args)
    return SqlType(TypeRoot.VARCHAR, nullable, length=args[0].type.length or 0)


def nullable_as_first(kind: SqlType) -> Callable[[Sequence[Expr]], SqlType]:
    """Return a result rule that gives the type, nullable if the first argument is."""
    return lambda args: kind.with_nullable(args[0].type.nullable)


def never_null(kind: SqlType) -> Callable[[Sequence[Expr]], SqlType]:
    """Return a result rule that gives the type, NOT NULL."""
    return lambda args: kind.with_nullable(False)


def suggestion(name: str, known: Sequence[str]) -> str | None:
    """Return the hint `did you mean X?` with the most similar of the known names, None if none is similar."""
    close = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.75)
    return f"did you mean {close[0]}?" if close else None
