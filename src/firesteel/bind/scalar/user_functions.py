"""Resolve calls of user-defined functions, in the order of Flink's FunctionCatalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.catalog.catalog import Catalog
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.signatures.aggregate_functions import AGGREGATES, GROUPING_FUNCTIONS
from firesteel.functions.signatures.known_names import KNOWN
from firesteel.functions.signatures.table import FUNCTIONS
from firesteel.functions.signatures.type_names import family_name
from firesteel.types.user_function import UserDefined


def user_function(name: str, catalog: Catalog | None) -> UserDefined | None:
    """Return the user-defined function that a name stands for, None if there is none.

    A plain name stands for a temporary system function. If there is none, it stands for a built-in function,
    and the result is None. If there is none either, it stands for a function of the catalog. A name with the
    path of the current database, such as `db.f`, stands only for a function of the catalog.
    """
    if catalog is None:
        return None
    path, _, last = name.rpartition(".")
    if path:
        here = f"{catalog.current_catalog}.{catalog.current_database}"
        return catalog.functions.of_catalog(last) if f".{here}".endswith(f".{path}") else None
    found = catalog.functions.system(last)
    return found if found is not None or is_built_in(last) else catalog.functions.of_catalog(last)


def is_built_in(name: str) -> bool:
    """Return whether Flink has a built-in function of this name."""
    upper = name.upper()
    return upper in FUNCTIONS or upper in KNOWN or upper in AGGREGATES or upper in GROUPING_FUNCTIONS


def named(user: UserDefined, written: str) -> tuple[str, UserDefined]:
    """Return the name by which plans show a user-defined function, and the function renamed to it.

    The name is the last part of the name in the query. If a built-in function has this name, it becomes lower
    case, so that no rule takes the call for a call of the built-in function.
    """
    last = written.rpartition(".")[2]
    shown = last.lower() if is_built_in(last) else last
    return shown, replace(user, function=replace(user.function, name=shown))


def unknown_function(
    written: str, args: Sequence[Expr], place: SourceRange, hint: str | None = None
) -> ValidationError:
    """Return the error for a call of an unknown function."""
    families = ", ".join(f"<{family_name(arg.type)}>" for arg in args)
    return ValidationError(
        f"No match found for function signature {written}({families})", range=place, hint=hint
    )


def call_user(user: UserDefined, written: str, args: Sequence[Expr], place: SourceRange) -> Call:
    """Return the call of a user-defined scalar or table function. Its arguments are not checked."""
    name, function = named(user, written)
    return Call(name, tuple(args), user.result, range=place, user=function)
