"""The order of pairs: by key, then by the words of the value, then as they stood, however it is found."""

from __future__ import annotations

import numpy as np
import pytest

from firesteel.runtime.aggregate.scan import pairs


def words(kind: str, rows: int, generator: np.random.Generator) -> np.ndarray:
    """kind: few values spread over all bits, values that differ in their last bits only, or one value."""
    spread = np.uint64(0x9E3779B97F4A7C15)
    few = generator.integers(0, 9, rows).astype(np.uint64)
    return {"spread": few * spread, "last bits": few, "one": np.full(rows, spread)}[kind]


@pytest.mark.parametrize("rows", [0, 1, 2, 700])
@pytest.mark.parametrize("keys", [1, 5, 300])
@pytest.mark.parametrize("first", ["spread", "last bits", "one"])
@pytest.mark.parametrize("second", ["spread", "last bits", None])
@pytest.mark.parametrize("fewest_bits", [20, 65])
def test_order(
    monkeypatch: pytest.MonkeyPatch, rows: int, keys: int, first: str, second: str | None, fewest_bits: int
) -> None:
    """fewest_bits 65: the short way is never taken."""
    monkeypatch.setattr(pairs, "_FEWEST_BITS", fewest_bits)
    generator = np.random.default_rng(rows + keys)
    codes = np.sort(generator.integers(0, keys, rows)).astype(np.uint64)
    word1 = words(first, rows, generator)
    word2 = words(second, rows, generator) if second is not None else None
    parts = (codes, word1) if word2 is None else (codes, word1, word2)
    expected = np.lexsort(parts[::-1])
    order, starts = pairs._pair_order(codes, word1, word2)
    assert order.tolist() == expected.tolist()
    told = list(zip(*(part[expected].tolist() for part in parts), strict=True))
    assert starts.tolist() == [n for n in range(rows) if n == 0 or told[n] != told[n - 1]]
    if fewest_bits > 64:
        assert pairs._short_order(codes, word1, word2) is None
