"""The pairs of a batch are sorted as the entries of an ordered map, however they are packed for the sort."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.aggregate.scan import pairs
from firesteel.runtime.aggregate.scan.pairs import Pairs
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state.order_codes import order_words

RANGES = ((0, 100), (-(2**31), 2**31 - 1), (-(2**31), -(2**31) + 5))


@pytest.mark.parametrize("span", RANGES)
@pytest.mark.parametrize("nulls", [0, 0.01, 0.5, 1])
@pytest.mark.parametrize("rows", [0, 1, 3000])
def test_order(rows: int, nulls: float, span: tuple[int, int]) -> None:
    random = np.random.default_rng(rows)
    keys = find_keys([pa.array(random.integers(0, max(1, rows // 7), rows))], rows)
    values = pa.array(random.integers(*span, rows), mask=random.random(rows) < nulls).cast(pa.int32())
    null = values.is_null().to_numpy(zero_copy_only=False)
    words = np.where(null, 0, order_words(values))
    expected = np.lexsort((null, words, keys.sorted_codes))
    assert Pairs(keys, keys.sorted_codes, values, in_order=True).order.tolist() == expected.tolist()


def test_a_null_does_not_keep_values_from_the_quick_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "_long_order", None)
    keys = find_keys([pa.array(np.arange(3000) % 100)], 3000)
    values = pa.array([None, *range(2999)], pa.int32())
    assert len(Pairs(keys, keys.sorted_codes, values, in_order=True)) == 3000
