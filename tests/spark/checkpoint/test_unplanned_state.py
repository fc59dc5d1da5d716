"""State of a first micro-batch whose offsets a power cut has lost is removed; any other state stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.spark.checkpoint.state_metadata import remove_unplanned_state

FIRST = ("state/0/_metadata/v2/0", "state/0/_stateSchema/default/0_64fb", "state/0/1/1_a.changelog")


@pytest.mark.parametrize(
    ("more", "stays"),
    [
        ((), False),
        (("state/0/1/1.zip",), False),
        (("offsets/0",), True),
        (("commits/0",), True),
        (("state/0/1/2_b.changelog",), True),
        (("state/0/1/12.zip",), True),
    ],
)
def test_it_stays_unless_it_is_of_the_first_micro_batch(
    more: tuple[str, ...], stays: bool, tmp_path: Path
) -> None:
    for name in (*FIRST, *more):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    remove_unplanned_state(tmp_path)
    assert (tmp_path / "state").exists() == stays
