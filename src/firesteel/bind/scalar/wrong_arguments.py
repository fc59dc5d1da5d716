"""Errors, with Flink's messages, for calls with too few, too many or wrong arguments.

In Flink, Calcite's validator checks the arguments of some functions, and Flink's own type inference those of
others (BuiltInFunctionDefinitions, TypeInferenceUtil). The two have different messages. The first line of an
error is the message of the innermost cause in Flink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.signatures.function import FAMILIES, Function
from firesteel.functions.signatures.type_names import calcite_name, family_name
from firesteel.types.sql import SqlType, TypeRoot

_TEXTS = """
    BITMAP_FROM_BYTES INET_ATON INET_NTOA JSON JSON_QUOTE JSON_UNQUOTE PRINTF REGEXP_COUNT REGEXP_INSTR
    REGEXP_SUBSTR SPLIT TRANSLATE UNHEX URL_DECODE URL_ENCODE
"""
_OF_FAMILIES = frozenset(_TEXTS.split())
"""Functions whose error for an argument of a wrong type names the accepted type family, if _FAMILIES has it.

Example: "Expected type of family 'CHARACTER_STRING' but actual type was 'INT'."
"""
_COLLECTIONS = {
    **dict.fromkeys(
        ("ARRAY_CONCAT", "ARRAY_EXCEPT", "ARRAY_INTERSECT", "ARRAY_UNION"),
        "All arguments requires to be a ARRAY type",
    ),
    "MAP_UNION": "All arguments requires to be a MAP type",
    "ARRAY_MAX": "The argument requires to be an ARRAY type",
    "ARRAY_MIN": "The argument requires to be an ARRAY type",
}
_OTHERS = """
    ARRAY_APPEND ARRAY_CONTAINS ARRAY_DISTINCT ARRAY_JOIN ARRAY_POSITION ARRAY_PREPEND ARRAY_REMOVE
    ARRAY_REVERSE ARRAY_SLICE ARRAY_SORT BITMAP_AND BITMAP_ANDNOT BITMAP_BUILD BITMAP_CARDINALITY BITMAP_OR
    BITMAP_TO_ARRAY BITMAP_TO_BYTES BITMAP_TO_STRING BITMAP_XOR BTRIM COALESCE ELT ENDSWITH GREATEST IFNULL
    JSON_STRING LEAST MAP_ENTRIES MAP_FROM_ARRAYS MAP_KEYS MAP_VALUES PARSE_JSON REGEXP_EXTRACT_ALL STARTSWITH
    TO_TIMESTAMP_LTZ TRY_PARSE_JSON TYPEOF
"""
_OWN_INFERENCE = frozenset(_OTHERS.split()) | _OF_FAMILIES | frozenset(_COLLECTIONS)
_FAMILIES = {"s": "CHARACTER_STRING", "y": "BINARY_STRING", "i": "INTEGER_NUMERIC", "j": "INTEGER_NUMERIC"}


_FIRST_FORMS = {
    "CARDINALITY": "<MULTISET>",
    "ELEMENT": "<MULTISET>",
    "FROM_BASE64": "<STRING>",
    "RAND_INTEGER": "<NUMERIC>",
    "REGEXP_EXTRACT": "<CHARACTER>, <CHARACTER>, <INTEGER>",
    "ROUND": "<NUMERIC>, <INTEGER>",
    "SPLIT_INDEX": "<CHARACTER>, <INTEGER>, <INTEGER>",
    "TO_BASE64": "<STRING>",
    "TRUNCATE": "<NUMERIC>, <INTEGER>",
}
"""Argument types that come first in the error "Cannot apply ... Supported form(s): ...", by function.

Flink lists this form, and Firesteel's function table lacks it. `wrong_arguments` adds it to the error.
"""


def null_of(name: str, family: str) -> SqlType:
    """Return the type that an untyped NULL gets as an argument of a function.

    Args:
        name: Name of the function.
        family: Letter of the type family that the parameter accepts (a key of FAMILIES).

    Returns:
        The type that FAMILIES has for the family. Functions that Flink's own type inference checks
        (_OWN_INFERENCE) have two exceptions: VARCHAR(1) for character strings (`s`), and VARBINARY(1) for
        binary strings (`y`).
    """
    kind = FAMILIES[family][2]
    return replace(kind, length=1) if name in _OWN_INFERENCE and family in ("s", "y") else kind


def wrong_count(
    name: str, least: int, types: Sequence[SqlType], place: SourceRange | None
) -> ValidationError:
    """Return the error for a wrong number of arguments.

    Args:
        name: Name of the function.
        least: Least number of arguments that the function takes.
        types: Types of the arguments in the call.
        place: Position in the statement.
    """
    if name in _OWN_INFERENCE:
        families = ", ".join(f"<{family_name(kind)}>" for kind in types)
        return ValidationError(f"No match found for function signature {name}({families}).", range=place)
    return ValidationError(
        f"Invalid number of arguments to function '{name}'. Was expecting {least} arguments", range=place
    )


def wrong_arguments(
    name: str, rows: Sequence[Function], types: Sequence[SqlType], place: SourceRange | None
) -> ValidationError:
    """Return the error for arguments that fit no form of a function.

    Args:
        name: Name of the function.
        rows: Entries of the function table for the function.
        types: Types of the arguments in the call.
        place: Position in the statement.
    """
    counted = [row for row in rows if row.families(len(types)) is not None]
    if not counted:
        return wrong_count(name, min(row.least for row in rows), types, place)
    forms = "\n".join(row.form for row in rows)
    if name in _OWN_INFERENCE:
        return ValidationError(_own_words(counted[0], types), hint=f"its forms are {forms}", range=place)
    if name in _FIRST_FORMS:
        forms = f"'{name}({_FIRST_FORMS[name]})'\n{forms}"
    shown = ", ".join(f"<{calcite_name(t)}>" for t in types)
    return ValidationError(
        f"Cannot apply '{name}' to arguments of type '{name}({shown})'. Supported form(s): {forms}",
        range=place,
    )


def _own_words(row: Function, types: Sequence[SqlType]) -> str:
    if row.name in _COLLECTIONS:
        return _COLLECTIONS[row.name]
    for family, kind in zip(row.families(len(types)) or (), types, strict=True):
        if row.name in _OF_FAMILIES and family in _FAMILIES and not row.fits(family, kind):
            wanted = f"Expected type of family '{_FAMILIES[family]}' but actual type was '{kind}'."
            return f"Unsupported argument type. {wanted}"
    return wrong_types()


def wrong_types() -> str:
    """Return the message for arguments that the type inference of Flink's own functions refuses."""
    return "Invalid input arguments."


def incomparable(types: Sequence[SqlType], place: SourceRange | None) -> ValidationError:
    """Return the error for GREATEST and LEAST of types without a common order (ComparableTypeStrategy)."""
    first = types[0]
    other = next((kind for kind in types[1:] if _differ(first, kind)), first)
    return ValidationError(
        "All types in a comparison should support both 'EQUALS' and 'ORDER' comparison with each other. "
        f"Can not compare {first} with {other}",
        range=place,
    )


def _differ(one: SqlType, other: SqlType) -> bool:
    alike = (one.is_numeric and other.is_numeric) or (one.is_character and other.is_character)
    return not alike and (one.root is not other.root or one.root is TypeRoot.MAP)
