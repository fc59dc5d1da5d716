"""Random expressions with what Flink 2.3 answered: the same is expected here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.properties.expressions.answers import Record
from tests.scale import FULL

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.json"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_expressions_mean_what_they_mean_in_flink(sample: Path) -> None:
    record = Record(sample)
    found = [(answer["sql"], record.difference(answer)) for answer in record.answers[:: 1 if FULL else 4]]
    assert [one for one in found if one[1] is not None] == []
