"""The kernels against values that Java 17's StrictMath gave, digit by digit."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from firesteel.functions.java import strict_math

RECORDED = json.loads((Path(__file__).parent / "strict_math.json").read_text())


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_every_bit_is_java_s(name: str) -> None:
    rows = [[float.fromhex(number) for number in row] for row in RECORDED[name]]
    *arguments, _ = (np.array(column) for column in zip(*rows, strict=True))
    with np.errstate(all="ignore"):
        found = getattr(strict_math, name)(*arguments)
    wrong = [row for row, value in zip(rows, found, strict=True) if not _same(value, row[-1])]
    assert wrong == []


def _same(a: float, b: float) -> bool:
    return math.isnan(a) if math.isnan(b) else a == b and math.copysign(1, a) == math.copysign(1, b)
