"""The generators that there are, against Flink's tests of the same names."""

from __future__ import annotations

from datetime import timedelta

import pytest

from firesteel.errors import UsageError
from firesteel.functions.python import WatermarkStrategy
from firesteel.functions.python.watermarks import (
    AscendingTimestamps,
    BoundedOutOfOrderness,
    NoWatermarks,
    WatermarkGenerator,
    WatermarkOutput,
)

LEAST = -(1 << 63)


class Output(WatermarkOutput):
    def __init__(self) -> None:
        self.told: list[int] = []

    def emit_watermark(self, timestamp: int) -> None:
        self.told.append(timestamp)


def told(generator: WatermarkGenerator, text: str) -> list[int]:
    """Rows with their times, and `p` where the timer looks."""
    output = Output()
    for word in text.split():
        if word == "p":
            generator.on_periodic_emit(output)
        else:
            generator.on_event(None, int(word), output)
    return output.told


@pytest.mark.parametrize(
    ("generator", "given", "out"),
    [
        (BoundedOutOfOrderness(10), "p", [LEAST]),
        (BoundedOutOfOrderness(10), "1337 p", [1326]),
        (BoundedOutOfOrderness(10), "12345 12300 12340 12280 p", [12334]),
        (BoundedOutOfOrderness(10), "723456 p p", [723445, 723445]),
        (BoundedOutOfOrderness(10), "100 p 200 p 150 p", [89, 189, 189]),
        (AscendingTimestamps(), "p", [LEAST]),
        (AscendingTimestamps(), "1337 p", [1336]),
        (AscendingTimestamps(), "12345 12300 12340 12280 p", [12344]),
        (NoWatermarks(), "1 p 2 p", []),
    ],
)
def test_built_in(generator: WatermarkGenerator, given: str, out: list[int]) -> None:
    assert told(generator, given) == out


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UsageError, match="idleTimeout must be greater than zero"):
        WatermarkStrategy.no_watermarks().with_idleness(timedelta(0))
    with pytest.raises(UsageError, match="maxOutOfOrderness cannot be negative"):
        BoundedOutOfOrderness(-1)
    with pytest.raises(UsageError, match="timedelta is expected, got 5"):
        WatermarkStrategy.for_bounded_out_of_orderness(5)  # type: ignore[arg-type]
