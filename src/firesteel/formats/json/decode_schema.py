"""What is wanted of a JSON value, for a scan (json_scan.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VALUE, OBJECT, LIST, MAP = range(4)
"""Kinds of nodes, as kernels/json/plan.py has them: it is loaded where messages are read, not where jobs are
planned."""


@dataclass(frozen=True)
class Shape:
    """members: of an object, those that are wanted. inner: of a list's elements, a map's values. is_flat: an
    object with objects or lists in it is for the exact reader. digits: of a value; where not 0, plain numbers
    of so many digits are left out (below 0: or of so many with a point among them): nobody looks at them."""

    kind: int = VALUE
    members: Mapping[str, Shape] = field(default_factory=dict)
    inner: Shape | None = None
    is_flat: bool = False
    digits: int = 0


TEXT = Shape()
"""A value as it stands there."""


def object_of(members: Mapping[str, Shape], *, is_flat: bool = False) -> Shape:
    return Shape(OBJECT, members, is_flat=is_flat)


def list_of(element: Shape) -> Shape:
    return Shape(LIST, inner=element)


def map_of(value: Shape) -> Shape:
    return Shape(MAP, inner=value)
