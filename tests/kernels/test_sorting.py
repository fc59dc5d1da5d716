"""Rows in the order of codes and words, against sorted()."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.columns.sorting import row_bits, word_order

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, (1 << 64) - 1) | st.integers(0, 3)), max_size=30)


@settings(deadline=None)
@given(ROWS, st.booleans(), st.integers(0, 1))
def test_word_order(rows, with_codes, told):
    """told: whether rows are told apart by their words, or by nothing."""
    codes = [code if with_codes else 0 for code, _ in rows]
    words = [word for _, word in rows]
    bits = 64 - row_bits(len(rows)) - 2
    column = np.array(words, np.uint64)
    by = column if told else np.zeros(len(rows), np.uint64)
    found = word_order(column, (by, by), np.array(codes if with_codes else [], np.int64), bits)
    leading = [(code, word >> (64 - bits)) for code, word in zip(codes, words, strict=True)]
    if told and len(set(leading)) < len(set(zip(codes, words, strict=True))):
        assert found is None
        return
    assert found is not None
    order = sorted(range(len(rows)), key=leading.__getitem__)
    assert found[0].tolist() == order
    new = [i for i in range(len(rows)) if i == 0 or leading[order[i]] != leading[order[i - 1]]]
    assert found[1].tolist() == new
