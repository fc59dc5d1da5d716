"""Offsets of connectors within those that Spark stores."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.spark.checkpoint.replays import TAKEN
from firesteel.spark.stream.batch_clock import BatchClock, Ticks
from firesteel.spark.stream.reader_offset import has_ended, own_offset

OWN = {"file": 3, "byte": 0}


@pytest.mark.parametrize("replayed", [{}, {TAKEN: "00001"}])
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize(
    ("wrapped", "ended"),
    [
        (OWN, False),
        ({"of": OWN, "ended": True}, True),
        ({"of": OWN, "ended": False}, False),
        ({"own": OWN, "earlier": [{"file": 1, "byte": 0}]}, False),
        ({"own": {"of": OWN, "ended": True}, "earlier": []}, True),
    ],
)
def test_the_offset_of_a_connector(
    wrapped: dict[str, Any], ended: bool, timed: bool, replayed: dict[str, str]
) -> None:
    offset = {**wrapped, **replayed}
    if timed:
        offset = BatchClock(Ticks("", alone=True)).first(offset)
    assert own_offset(offset) == OWN
    assert has_ended(offset) is ended
