"""Decode schemas. They tell a scan (json_scan.py) which members and elements of a JSON value to return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VALUE, OBJECT, LIST, MAP = range(4)
"""Kinds of nodes of a decode schema.

kernels/json/plan.py has the same numbers. They are repeated here because that module loads Numba, which takes
long and is not needed to plan a query.
"""


@dataclass(frozen=True)
class DecodeSchema:
    """Wanted parts of a JSON value.

    Attributes:
        kind: VALUE, OBJECT, LIST or MAP.
        members: Wanted members of an object.
        inner: Schema of a list's elements, or of a map's values.
        is_flat: Whether an object that contains objects or lists needs the exact reader.
        digits: 0 if the scan returns every value. Other numbers are for values that the query does not read,
            and that are only checked. The scan then leaves out short numbers, which are certainly valid:
            n > 0    integers of at most n digits
            -n       numbers of at most n characters: digits and at most one decimal point
            A minus is not counted.
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
