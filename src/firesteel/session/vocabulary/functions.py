"""Functions with their signatures."""

from __future__ import annotations

from firesteel.functions.signatures.aggregate_functions import AGGREGATES
from firesteel.functions.signatures.function import FAMILIES, Function
from firesteel.functions.signatures.over_functions import OVER_ONLY
from firesteel.functions.signatures.table import FUNCTIONS
from firesteel.session.context import Environment

BUILT_IN = frozenset({*FUNCTIONS, *AGGREGATES, *OVER_ONLY})
"""Names of the built-in functions."""
_SHOWN_FORMS = 3


def functions(environment: Environment) -> dict[str, str]:
    """Return the names of all functions, each with its signature or a description."""
    found = {name: signature(name) for name in FUNCTIONS}
    found.update({name: "aggregate" for name in AGGREGATES if not name.startswith("$")})
    found.update(dict.fromkeys(OVER_ONLY, "OVER"))
    found.update(dict.fromkeys(environment.catalog.functions.names(), "user-defined"))
    return found


def signature(name: str) -> str:
    """Return up to three forms of a built-in scalar function, such as `(CHARACTER, INTEGER, [INTEGER])`."""
    forms = list(dict.fromkeys(map(_form, FUNCTIONS[name])))
    more = " | ..." if len(forms) > _SHOWN_FORMS else ""
    return " | ".join(forms[:_SHOWN_FORMS]) + more


def _form(function: Function) -> str:
    shown = []
    for letter, mark in function.parameters:
        family = FAMILIES[letter][1].strip("<>")
        shown.append({"": family, "?": f"[{family}]", "*": f"{family}, ..."}[mark])
    return f"({', '.join(shown)})"


def described(name: str) -> str:
    """Return a built-in function with its signature, as help."""
    return f"{name}{signature(name)}" if name in FUNCTIONS else f"{name}: an aggregate or OVER function"
