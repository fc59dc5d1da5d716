"""A difference makes the old content the new one, with the fewest changes. No Spark runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import KIND, SEQUENCE, SHORT, field
from firesteel.errors import NotSupportedError
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.upgrade import content
from firesteel.spark.upgrade.content import COUNT, Content
from firesteel.spark.upgrade.difference import difference, distinct
from firesteel.spark.upgrade.sink_content import in_columns_of
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, array

TYPES = (INT, STRING)
SINK = SinkSpec("jdbc", (), ("k", "v"), TYPES, primary_key=(0,))
Row = tuple[Any, ...]
Change = tuple[int, Row]

rows = st.tuples(st.sampled_from([None, 1, 2, 3]), st.sampled_from([None, "a", "b"]))
histories = st.lists(st.tuples(st.sampled_from([0, 0, 2, 1, 3]), rows), max_size=25)


def table(changes: Sequence[Change], types: Sequence[SqlType] = TYPES) -> pa.Table:
    kinds = pa.array([kind for kind, _ in changes], pa.int8())
    columns = [pa.array([row[i] for _, row in changes], to_arrow(each)) for i, each in enumerate(types)]
    return pa.Table.from_arrays([kinds, *columns], names=[KIND, *map(field, range(len(types)))])


def filled(changes: Sequence[Change], key: Sequence[int], types: Sequence[SqlType] = TYPES) -> pa.Table:
    found = Content(types, key)
    for change in changes:
        found.apply(table([change], types))
    return found.rows()


def counted(found: pa.Table, width: int = 2) -> Counter[Row]:
    columns = [found[field(i)].to_pylist() for i in range(width)]
    return Counter(dict(zip(zip(*columns, strict=True), found[COUNT].to_pylist(), strict=True)))


def by_hand(changes: Sequence[Change], key: Sequence[int]) -> Counter[Row]:
    """Return the content, change by change."""
    if key:
        left: dict[Any, Row | None] = {}
        for kind, row in changes:
            left[row[0]] = row if kind in (0, 2) else None
        return Counter(row for row in left.values() if row is not None)
    counts = Counter[Row]()
    for kind, row in changes:
        counts[row] += 1 if kind in (0, 2) else -1
    return +counts


@settings(deadline=None)
@given(histories, st.sampled_from([(0,), ()]))
def test_the_content(changes: list[Change], key: tuple[int, ...]) -> None:
    assert counted(filled(changes, key)) == by_hand(changes, key)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "_ROWS", 3)
        assert counted(filled(changes, key)) == by_hand(changes, key)


@settings(deadline=None)
@given(histories, histories, st.sampled_from([(0,), ()]), st.booleans())
def test_the_difference(
    before: list[Change], after: list[Change], key: tuple[int, ...], sends_before: bool
) -> None:
    old, new = by_hand(before, key), by_hand(after, key)
    found = difference(filled(before, key), filled(after, key), SINK, key, sends_before=sends_before)
    changes = found.changes
    assert changes[SEQUENCE].to_pylist() == list(range(changes.num_rows))
    assert found.unchanged == (old & new).total()
    told = list(
        zip(changes[KIND].to_pylist(), *(changes[field(i)].to_pylist() for i in range(2)), strict=True)
    )
    applied = list(old.elements())
    if key:
        now = {row[0]: row for row in applied}
        for kind, *row in told:
            if kind in (0, 2):
                assert (row[0] in now) == (kind == 2)
                now[row[0]] = tuple(row)
            elif kind == 3:
                assert now.pop(row[0]) == tuple(row)
            else:
                assert now[row[0]] == tuple(row)
        assert Counter(now.values()) == new
    else:
        assert not {kind for kind, *_ in told} & {1, 2}
        left = Counter(applied)
        for kind, *row in told:
            left[tuple(row)] += 1 if kind == 0 else -1
        assert +left == new
    kinds = Counter(SHORT[kind] for kind, *_ in told)
    assert kinds["-U"] == (kinds["+U"] if sends_before else 0)
    if not key:
        assert kinds.total() == (old - new).total() + (new - old).total()


def test_values_of_nested_types() -> None:
    types = (INT, array(INT))
    sink = SinkSpec("jdbc", (), ("k", "v"), types, primary_key=(0,))
    old = filled([(0, (1, [1, 2])), (0, (2, [3]))], (0,), types)
    new = filled([(0, (1, [1, 2])), (0, (2, [4]))], (0,), types)
    found = difference(old, new, sink, (0,), sends_before=True)
    assert found.changes["f1"].to_pylist() == [[3], [4]]
    assert found.unchanged == 1


def test_a_key_of_several_rows() -> None:
    assert distinct(filled([(0, (1, "a")), (0, (2, "a"))], ()), SINK, (0,))
    assert not distinct(filled([(0, (1, "a")), (0, (1, "b"))], ()), SINK, (0,))
    assert distinct(filled([], ()), SINK, (0,))


def test_other_columns() -> None:
    """An added column is NULL in the old rows, a wider type changes no value, a dropped one is gone."""
    old = filled([(0, (1, "a")), (0, (1, "b")), (0, (2, "a"))], ())
    wider = SinkSpec("jdbc", (), ("n", "k"), (STRING, BIGINT))
    found = in_columns_of(old, SINK, wider)
    assert found["f0"].null_count == 2
    assert counted(found) == {(None, 1): 2, (None, 2): 1}
    with pytest.raises(NotSupportedError, match="whose column v changes from STRING to INT"):
        in_columns_of(old, SINK, SinkSpec("jdbc", (), ("k", "v"), (INT, INT)))
