"""The options of datagen: one generator a field. Flink: DataGenTableSourceFactory, DataGenVisitorBase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from firesteel.config.option import Kind, Option, invalid
from firesteel.connectors.options import duration, flag, integer
from firesteel.errors import ValidationError
from firesteel.types.sql import CHARACTER, MAX_LENGTH, WHOLE_BITS, SqlType, TypeRoot

RANDOM_KIND, SEQUENCE_KIND = "random", "sequence"
DEFAULT_LENGTH = 100
_FRACTIONAL = (TypeRoot.FLOAT, TypeRoot.DOUBLE, TypeRoot.DECIMAL)
_FLOAT_RANGE = {
    TypeRoot.FLOAT: (1.401298464324817e-45, 3.4028234663852886e38),
    TypeRoot.DOUBLE: (5e-324, 1.7976931348623157e308),
}
_MAX_MONTHS = 120_000
_FIXED = (TypeRoot.CHAR, TypeRoot.BINARY)
_VARIABLE = (TypeRoot.VARCHAR, TypeRoot.VARBINARY)
_COLLECTIONS = (TypeRoot.ARRAY, TypeRoot.MULTISET, TypeRoot.MAP)
_MOMENTS = (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)
_SEQUENCED = (
    TypeRoot.TINYINT,
    TypeRoot.SMALLINT,
    TypeRoot.INTEGER,
    TypeRoot.BIGINT,
    *_FRACTIONAL,
    *CHARACTER,
)
_COLLECTION_LENGTH = 3


@dataclass(frozen=True)
class FieldOptions:
    """Options of the generator of one field.

    Attributes:
        kind: RANDOM_KIND or SEQUENCE_KIND.
        least: Least random number, inclusive. None for a sequence, and for types other than numbers.
        most: Greatest random number, inclusive for integers. None as for `least`.
        max_past: A random timestamp is less than this number of milliseconds before the time of creation. If
            0, it is the time of creation.
        length: Length of texts, bytes and collections.
        variable_length: Whether lengths of texts and bytes vary from 1 to `length`.
        null_rate: Fraction of NULLs, from 0 to 1.
        start: First number of a sequence.
        end: Last number of a sequence, inclusive.
        children: Options of the elements of an ARRAY or MULTISET, of key and value of a MAP, or of the fields
            of a ROW.
    """

    kind: str = RANDOM_KIND
    least: Any = None
    most: Any = None
    max_past: int = 0
    length: int = DEFAULT_LENGTH
    variable_length: bool = False
    null_rate: float = 0.0
    start: int = 0
    end: int = 0
    children: tuple[FieldOptions, ...] = ()


def field_options(name: str, kind: SqlType, options: Mapping[str, str]) -> FieldOptions:
    """Parse the options of one field.

    Raises:
        ValidationError: An option has an invalid value, a sequence lacks its start or end, or the generator
            does not support the field's type.
    """
    prefix = f"fields.{name}"
    chosen = options.get(f"{prefix}.kind", RANDOM_KIND)
    if chosen not in (RANDOM_KIND, SEQUENCE_KIND):
        raise ValidationError(f"Unsupported generator kind: {chosen}", option=f"{prefix}.kind")
    return _sequence(prefix, kind, options) if chosen == SEQUENCE_KIND else _random(prefix, kind, options)


def _sequence(prefix: str, kind: SqlType, options: Mapping[str, str]) -> FieldOptions:
    if kind.root not in _SEQUENCED:
        raise ValidationError(f"Unsupported type: {kind}", hint="a sequence makes numbers and strings")
    for part in ("start", "end"):
        if f"{prefix}.{part}" not in options:
            raise ValidationError(
                f"Could not find required property '{prefix}.{part}' for sequence generator."
            )
    start, end = integer(options, f"{prefix}.start", 0), integer(options, f"{prefix}.end", 0)
    if start > end:
        raise ValidationError(
            f"The start value ({start}) must not be greater than the end value ({end}) of '{prefix}'.",
            option=f"{prefix}.start",
        )
    return FieldOptions(kind=SEQUENCE_KIND, start=start, end=end)


def _random(prefix: str, kind: SqlType, options: Mapping[str, str]) -> FieldOptions:
    root = kind.root
    if root in (TypeRoot.VARIANT, TypeRoot.BITMAP):
        raise ValidationError(f"Unsupported type: {kind}")
    made = FieldOptions(null_rate=_number(options, f"{prefix}.null-rate", 0.0))
    if root in WHOLE_BITS or root in _FRACTIONAL:
        least, most = _range(prefix, kind, options)
        return replace(made, least=least, most=most)
    if root in _MOMENTS:
        return replace(made, max_past=duration(options, f"{prefix}.max-past", 0))
    if root in _FIXED:
        return replace(made, length=kind.length or 1)
    if root in _VARIABLE:
        return _text(prefix, kind, options, made)
    if root in _COLLECTIONS:
        length = integer(options, f"{prefix}.length", _COLLECTION_LENGTH, least=0)
        parts: tuple[str, ...] = ("key", "value") if root is TypeRoot.MAP else ("element",)
        return replace(made, length=length, children=_children(prefix, parts, kind, options))
    if root is TypeRoot.ROW:
        return replace(made, children=_children(prefix, kind.names, kind, options))
    return made


def _children(
    prefix: str, parts: tuple[str, ...], kind: SqlType, options: Mapping[str, str]
) -> tuple[FieldOptions, ...]:
    pairs = zip(parts, kind.children, strict=True)
    return tuple(_random(f"{prefix}.{part}", child, options) for part, child in pairs)


def _text(prefix: str, kind: SqlType, options: Mapping[str, str], made: FieldOptions) -> FieldOptions:
    declared = kind.length or MAX_LENGTH
    length = integer(options, f"{prefix}.length", declared, least=0)
    if length > declared:
        raise ValidationError(
            f"Custom length '{length}' for variable-length type ({kind.root.value}) field should be shorter "
            f"than '{declared}' defined in the schema.",
            option=f"{prefix}.length",
        )
    return replace(
        made,
        length=DEFAULT_LENGTH if length == MAX_LENGTH else length,
        variable_length=flag(options, f"{prefix}.var-len", default=False),
    )


def _range(prefix: str, kind: SqlType, options: Mapping[str, str]) -> tuple[Any, Any]:
    root = kind.root
    least: Any
    most: Any
    if root in WHOLE_BITS:
        limit = 1 << (WHOLE_BITS[root] - 1)
        months = root is TypeRoot.INTERVAL_YEAR_MONTH
        least = integer(options, f"{prefix}.min", 0 if months else -limit)
        most = integer(options, f"{prefix}.max", _MAX_MONTHS if months else limit - 1)
    else:
        low, high = _FLOAT_RANGE.get(root, _FLOAT_RANGE[TypeRoot.DOUBLE])
        least = _number(options, f"{prefix}.min", low)
        most = _number(options, f"{prefix}.max", high)
    if least >= most:
        raise ValidationError(
            f"lower bound ({least}) must be strictly less than upper bound ({most})",
            option=f"{prefix}.{'min' if f'{prefix}.min' in options else 'max'}",
        )
    if root is TypeRoot.DECIMAL:
        bound = 10.0 ** ((kind.precision or 0) - (kind.scale or 0)) - 1
        least, most = max(least, -bound), min(most, bound)
    return least, most


FIELD_OPTIONS = tuple(
    Option(f"fields.#.{key}", kind, default, doc, decides_offsets=True)
    for key, kind, default, doc in (
        ("kind", Kind.STRING, RANDOM_KIND, "`random` or `sequence`."),
        ("min", Kind.STRING, None, "The least number; the type's least if not given."),
        ("max", Kind.STRING, None, "The greatest number; the type's greatest if not given."),
        ("max-past", Kind.DURATION, "0 ms", "How far back points in time may lie."),
        ("length", Kind.INTEGER, None, "Length of texts, bytes and collections."),
        ("var-len", Kind.BOOLEAN, "false", "Texts and bytes may be shorter than their length."),
        ("null-rate", Kind.STRING, "0", "The part of the values that is NULL, 0 to 1."),
        ("start", Kind.LONG, None, "The first number of a sequence."),
        ("end", Kind.LONG, None, "The last number of a sequence."),
    )
)
"""All options that a field can have, of any type."""


def option_keys(name: str, kind: SqlType, chosen: str) -> list[str]:
    """Return the keys of the options that a field can have, if `chosen` is the value of its option `kind`."""
    prefix = f"fields.{name}"
    if chosen == SEQUENCE_KIND:
        return [f"{prefix}.{key}" for key in ("kind", "start", "end")]
    return [f"{prefix}.kind", *_random_keys(prefix, kind)]


def _random_keys(prefix: str, kind: SqlType) -> list[str]:
    root = kind.root
    keys = [f"{prefix}.null-rate"]
    if root in WHOLE_BITS or root in _FRACTIONAL:
        keys += [f"{prefix}.min", f"{prefix}.max"]
    elif root in _MOMENTS:
        keys.append(f"{prefix}.max-past")
    elif root in _VARIABLE:
        keys += [f"{prefix}.length", f"{prefix}.var-len"]
    elif root in _COLLECTIONS or root is TypeRoot.ROW:
        if root in _COLLECTIONS:
            keys.append(f"{prefix}.length")
        parts = kind.names or (("key", "value") if root is TypeRoot.MAP else ("element",))
        for part, child in zip(parts, kind.children, strict=True):
            keys += _random_keys(f"{prefix}.{part}", child)
    return keys


def _number(options: Mapping[str, str], key: str, default: float) -> float:
    text = options.get(key)
    if text is None:
        return default
    try:
        return float(text)
    except ValueError:
        raise invalid(key, f"Could not parse value '{text}' for key '{key}'.") from None
