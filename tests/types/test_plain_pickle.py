"""Pickles that name plain values only."""

from __future__ import annotations

import os
import pickle
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.operators.window.per_row.row_windows import KeyedWindows
from firesteel.runtime.state import pickles
from firesteel.types.internal_values import OF_USER, from_list, to_list
from firesteel.types.plain_pickle import NotPlainError, dumps, loads
from firesteel.types.sql import SqlType, TypeRoot


class RunsCode:
    """Makes a folder when its pickle is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self._folder),)


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True, b"x", "y", (1, 2)], "b": {1, 2}, "c": frozenset("a")},
        [date(2026, 1, 2), datetime(2026, 1, 2, 3, 4), timedelta(seconds=1), Decimal("1.50")],
        [Counter("aab"), OrderedDict(a=1), deque([1], 3), defaultdict(list, a=[1])],
        np.int64(3),
    ],
)
def test_plain_values(value: Any) -> None:
    assert loads(dumps(value)) == value
    assert loads(pickle.dumps(value)) == value  # as earlier versions wrote it


def test_arrays_and_bitmaps() -> None:
    bitmaps = pytest.importorskip("pyroaring")
    assert loads(pickle.dumps(np.arange(3))).tolist() == [0, 1, 2]
    assert list(loads(dumps(bitmaps.BitMap([1, 5])))) == [1, 5]


def test_nothing_else_is_looked_up(tmp_path: Path) -> None:
    data = pickle.dumps(RunsCode(tmp_path / "made"))
    for read in (loads, pickles.loads, lambda d: to_list(pa.array([d]), SqlType(TypeRoot.RAW))):
        with pytest.raises(NotPlainError, match=r"it names posix\.mkdir"):
            read(data)
    with pytest.raises(NotPlainError):
        dumps(RunsCode(tmp_path / "made"))
    with pytest.raises(NotPlainError):
        loads(pickle.dumps(KeyedWindows))  # a class that another table admits
    assert not (tmp_path / "made").exists()


def test_windows_of_user_defined_functions_hold_any_class(tmp_path: Path) -> None:
    windows = KeyedWindows((1, 2), ("a",), {0: (RunsCode(tmp_path / "made"),)})
    data = pickles.dumps(windows)
    with pytest.raises(NotPlainError):
        pickles.loads(data)
    pickles.loads(data, of_user=True)
    assert (tmp_path / "made").exists()


def test_accumulators_of_user_defined_functions(tmp_path: Path) -> None:
    kind = SqlType(TypeRoot.RAW, class_name=OF_USER)
    assert to_list(from_list([Path("a"), None], kind), kind) == [Path("a"), None]
