"""What stands in checkpoints has names of its own: a golden file lists them all.

A name may be added (`make goldens` writes the file again); one that is gone or changed makes checkpoints
unreadable.
"""

from __future__ import annotations

import base64
import json
import pickle
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from firesteel.changelog import RowKind
from firesteel.errors import InternalError
from firesteel.job.identities import IDENTITIES, identity
from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.operator_registry import OPERATORS
from firesteel.runtime.operators.window.per_row.row_windows import KeyedWindows
from firesteel.runtime.operators.window.per_row.triggers import OpenWindow
from firesteel.runtime.spec.operators import DropUpdateBeforeSpec
from firesteel.runtime.state.pickles import NAMES, dumps, loads
from firesteel.spark.checkpoint.fingerprint import plain
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction
from tests.goldens import hold_file

GOLDEN = Path(__file__).parents[2] / "golden" / "identities.json"

WRITTEN_BY_PLACE = base64.b64decode(
    "gAWVeAAAAAAAAACMJWZpcmVzdGVlbC5ydW50aW1lLndpbmRvd3Mucm93X3dpbmRvd3OUjAxLZXllZFdpbmRvd3OUk5QpgZR9lCiM"
    "BG5hbWWUSwFLAoaUjANrZXmUjAFhlIWUjAVwYW5lc5R9lEsASwWFlHOMB3dpbmRvd3OUfZR1Yi4="
)
"""A pickle by module and class name, as before there were names."""


def _reached(kind: Any, found: set[type]) -> None:
    """Add the classes of values that a field of type `kind` can hold."""
    for part in get_args(kind):
        _reached(part, found)
    if not isinstance(kind, type) or kind in found or kind in (SqlType, UserFunction):
        return
    if issubclass(kind, Enum):
        found.add(kind)
    elif is_dataclass(kind):
        found.add(kind)
        hints = get_type_hints(kind)
        for each in fields(kind):
            if each.name != "sets":
                _reached(hints[each.name], found)


def _classes() -> set[type]:
    found: set[type] = set()
    for kind in (JobSpec, *OPERATORS):
        if kind.__module__.startswith("firesteel."):  # other tests register operators of their own
            _reached(kind, found)
    return found


def _names() -> dict[str, Any]:
    classes = _classes()
    specs = {
        identity(kind): {
            each.name: "" if each.default is MISSING else json.dumps(plain(each.default))
            for each in fields(kind)
        }
        for kind in classes
        if is_dataclass(kind)
    }
    enums = sorted(sorted(member.name for member in kind) for kind in classes if issubclass(kind, Enum))
    versions = {
        identity(kind): entry.state for kind, entry in OPERATORS.items() if entry.state and kind in classes
    }
    return {"specs": specs, "enums": enums, "state": versions, "pickles": sorted(NAMES)}


def test_every_name_is_in_the_golden_file_and_none_has_changed() -> None:
    names = _names()
    hold_file(GOLDEN, json.dumps(names, indent=1, sort_keys=True) + "\n")


def test_each_identity_is_of_one_class() -> None:
    assert len(set(IDENTITIES.values())) == len(IDENTITIES)


def test_an_identity_outlives_the_name_of_its_class() -> None:
    spec = DropUpdateBeforeSpec()
    own = DropUpdateBeforeSpec.__name__
    try:
        DropUpdateBeforeSpec.__name__ = "Renamed"
        assert plain(spec) == {"is": "DropUpdateBeforeSpec"}
    finally:
        DropUpdateBeforeSpec.__name__ = own


def test_a_class_of_firesteel_without_an_identity_is_refused() -> None:
    with pytest.raises(InternalError, match="RowKind has no identity"):
        identity(RowKind)
    assert identity(Path) == "Path"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_pickled_classes_are_where_the_table_says(name: str) -> None:
    module, attribute = NAMES[name]
    kind = getattr(import_module(module), attribute)
    assert (kind.__module__, kind.__qualname__) == (module, attribute)


def test_objects_are_written_by_constant_names() -> None:
    window = OpenWindow(0, 10, 20, (1, "a"), True, {5: 6}, {7})
    value = KeyedWindows((1, 2), ("a",), {0: (5,)}, {0: window})
    data = dumps(value)
    assert loads(data) == value
    for name in NAMES:
        assert name.encode() in data


def test_a_pickle_by_place_is_read() -> None:
    assert loads(WRITTEN_BY_PLACE) == KeyedWindows((1, 2), ("a",), {0: (5,)})
    assert loads(pickle.dumps({1: "a"})) == {1: "a"}
