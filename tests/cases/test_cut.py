"""Recorded cases whose inputs are cut into micro-batches leave Flink's answer, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.cut import Cutting
from tests.cases.test_recorded import EVERY_OPERATOR, OPEN, RECORDED
from tests.scale import FULL, part

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
@pytest.mark.parametrize("case", part(EVERY_OPERATOR, 7), ids=lambda case: case.name)
def test_what_is_left_is_flinks_answer(case: Path, cutting: Cutting) -> None:
    assert differences(case, cutting) == []


@pytest.mark.parametrize("case", part(RECORDED, 12), ids=lambda case: case.name)
def test_each_key_gets_flinks_changes_in_one_micro_batch(case: Path) -> None:
    assert differences(case, Cutting(rows=1 << 30, targets=2)) == []


def differences(case: Path, cutting: Cutting) -> list[str]:
    """Return the SELECTs of a case that are answered otherwise than by Flink, with their numbers and why."""
    found = cutting.differences(case, OPEN.get(case.name, frozenset()))
    return [f"{query.number}: {query.sql}\n   {why}" for query, why in found]
