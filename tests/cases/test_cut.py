"""Recorded cases whose inputs are cut into micro-batches leave Flink's answer, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.cut import Cutting
from tests.cases.test_recorded import EVERY_OPERATOR
from tests.scale import FULL

CUTTINGS = [Cutting(rows=13)]
if FULL:
    CUTTINGS += [
        Cutting(rows=7),
        Cutting(rows=7, mini_batch=True),
        Cutting(rows=1),
        Cutting(rows=100, targets=1),
        Cutting(rows=7, mini_batch=False),
    ]


@pytest.mark.parametrize("cutting", CUTTINGS, ids=str)
@pytest.mark.parametrize("case", EVERY_OPERATOR, ids=lambda case: case.name)
def test_what_is_left_is_flinks_answer(case: Path, cutting: Cutting) -> None:
    found = [f"{query.number}: {query.sql}\n   {why}" for query, why in cutting.differences(case)]
    assert found == []
