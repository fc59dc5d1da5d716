"""Decode schemas: the wanted parts of a JSON value, for a scan (json_scan.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VALUE, OBJECT, LIST, MAP = range(4)
"""Kinds of nodes. They equal those of kernels/json/plan.py, which must not be imported for planning."""


@dataclass(frozen=True)
class DecodeSchema:
    """Wanted parts of a JSON value.

    Attributes:
        kind: VALUE, OBJECT, LIST or MAP.
        members: Wanted members of an object.
        inner: Schema of a list's elements, or of a map's values.
        is_flat: Whether an object that contains objects or lists needs the exact reader.
        digits: If 0, the scan returns every value. Otherwise the query does not read the value, and the scan
            leaves out numbers that are so short that they are certainly valid. With n > 0, it leaves out
            integers of at most n digits. With -n, it leaves out numbers of at most n characters, which are
            digits and at most one decimal point. A minus is not counted.
    """

    kind: int = VALUE
    members: Mapping[str, DecodeSchema] = field(default_factory=dict)
    inner: DecodeSchema | None = None
    is_flat: bool = False
    digits: int = 0


TEXT = DecodeSchema()
"""Schema of a value that the scan returns as a whole, not by its parts."""


def object_of(members: Mapping[str, DecodeSchema], *, is_flat: bool = False) -> DecodeSchema:
    return DecodeSchema(OBJECT, members, is_flat=is_flat)


def list_of(element: DecodeSchema) -> DecodeSchema:
    return DecodeSchema(LIST, inner=element)


def map_of(value: DecodeSchema) -> DecodeSchema:
    return DecodeSchema(MAP, inner=value)
