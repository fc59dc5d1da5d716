"""SINGLE_VALUE in two phases: a bundle may hold an update of the value that an earlier bundle has added."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError
from tests.runtime.aggregate.reduce.phases import run, two_phase
from tests.runtime.changes import Row
from tests.runtime.driven_operators import call, spec

UPDATES: list[Row] = [("+I", "a", 1), ("-U", "a", 1), ("+U", "a", 2), ("-U", "a", 2), ("+U", "a", 3)]
NEW_BEFORE_OLD: list[Row] = [*UPDATES[:3], ("+U", "a", 3), ("-U", "a", 2)]
TO_NULL: list[Row] = [*UPDATES[:4], ("+U", "a", None)]


@pytest.mark.parametrize("columnar", [True, False])
@pytest.mark.parametrize("size", [3, 5, 100])
@pytest.mark.parametrize(("rows", "left"), [(UPDATES, 3), (TO_NULL, None)])
def test_the_last_value_is_left(rows: list[Row], left: int | None, size: int, columnar: bool) -> None:
    what = spec([call("SINGLE_VALUE")], keys=())
    assert run(two_phase(what, size, columnar=columnar), [rows], what)[-1][1:] == (left,)


@pytest.mark.parametrize("columnar", [True, False])
def test_the_new_value_may_come_before_the_old_one_goes(columnar: bool) -> None:
    what = spec([call("SINGLE_VALUE")], keys=())
    assert run(two_phase(what, 3, columnar=columnar), [NEW_BEFORE_OLD], what)[-1][1:] == (3,)


@pytest.mark.parametrize("columnar", [True, False])
@pytest.mark.parametrize("size", [1, 2])
def test_the_error_of_a_second_row_names_the_key(size: int, columnar: bool) -> None:
    what = spec([call("SINGLE_VALUE")], keys=(0,))
    rows: list[Row] = [("+I", "a", 1), ("+I", "b", 2), ("+I", "c", 3), ("+I", "b", 4)]
    with pytest.raises(JobError, match=r"received more than one element\. Row of the key \[b\]"):
        run(two_phase(what, size, columnar=columnar), [rows[0::2], rows[1::2]], what)
