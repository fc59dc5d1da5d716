"""The function table: one row a function, with its arguments, its result type and how it runs.

A row's `arguments` is one letter a parameter (the families below); `?` after it makes it optional, `*` lets
it repeat. `body` is DuckDB text with `{0}`, `{1}` for the arguments (`{zone}` for the session's time
zone), or `@module.name`, a Python function (functions/duckdb/registry.py). A name may have several rows;
the first one whose arguments fit is taken.
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
"""Letter -> the roots it takes (none: any), its name in messages, the type that an untyped NULL gets."""


@dataclass(frozen=True)
class Function:
    """One form of one function.

    result: a type, NULL where an argument may be, or a rule over the bound arguments that decides the
    nullability too. nullable: True where the result may be NULL whatever the arguments. prepare: casts
    the arguments to what they have in common, or gives None where they have nothing.
    """

    name: str
    arguments: str
    result: Result
    body: str
    nullable: bool = False
    prepare: Callable[[Sequence[Expr]], Sequence[Expr] | None] | None = None

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """(family, '' or '?' or '*') for each parameter."""
        found: list[tuple[str, str]] = []
        for letter in self.arguments.replace(" ", ""):
            if letter in "?*":
                found[-1] = (found[-1][0], letter)
            else:
                found.append((letter, ""))
        return found

    def accepts(self, types: Sequence[SqlType]) -> bool:
        """Whether arguments of these types fit."""
        families = self.families(len(types))
        return families is not None and all(map(self.fits, families, types))

    @staticmethod
    def fits(family: str, kind: SqlType) -> bool:
        """Whether a type is of the family that a letter names; a bare NULL is of each."""
        roots = FAMILIES[family][0]
        return not roots or kind.root in roots or kind.root is TypeRoot.NULL

    @property
    def least(self) -> int:
        """How many arguments it takes at least."""
        return sum(mark == "" for _, mark in self.parameters)

    def families(self, count: int) -> list[str] | None:
        """The family of each of `count` arguments, or None where there are too few or too many."""
        parameters = self.parameters
        found = [letter for letter, _ in parameters[:count]]
        if parameters and parameters[-1][1] == "*":
            found += [parameters[-1][0]] * (count - len(parameters))
        return found if len(found) == count >= self.least else None

    def result_type(self, args: Sequence[Expr]) -> SqlType:
        """The type of a call with these arguments."""
        if isinstance(self.result, SqlType):
            nullable = self.nullable or any(a.type.nullable for a in args)
            return self.result.with_nullable(nullable)
        found = self.result(args)
        return found.with_nullable(True) if self.nullable else found

    @property
    def form(self) -> str:
        """As messages name it: `SUBSTRING(<CHARACTER>, <INTEGER>)`."""
        names = ", ".join(FAMILIES[letter][1] for letter, mark in self.parameters if mark == "")
        return f"'{self.name}({names})'"


def same_as_first(args: Sequence[Expr]) -> SqlType:
    """The first argument's type, NULL where any argument may be."""
    return args[0].type.with_nullable(any(a.type.nullable for a in args))


def varying_of_first(args: Sequence[Expr]) -> SqlType:
    """VARCHAR of the first argument's length."""
    nullable = any(a.type.nullable for a in args)
    return SqlType(TypeRoot.VARCHAR, nullable, length=args[0].type.length or 0)


def nullable_as_first(kind: SqlType) -> Callable[[Sequence[Expr]], SqlType]:
    """The type, NULL where the first argument may be."""
    return lambda args: kind.with_nullable(args[0].type.nullable)


def never_null(kind: SqlType) -> Callable[[Sequence[Expr]], SqlType]:
    """The type, never NULL."""
    return lambda args: kind.with_nullable(False)


def suggestion(name: str, known: Sequence[str]) -> str | None:
    """A hint that names what may have been meant."""
    close = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.75)
    return f"did you mean {close[0]}?" if close else None
