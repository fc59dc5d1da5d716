"""A short soak: each kind of kill once, an upgrade and a rescale, and the answers at its end.

It starts Spark ten times, which is more than a test of every change may cost: `make soak` runs one, and
`make test` has the other files of this folder only.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.restarts import KINDS
from tests.soak.churn import RESCALE, UPGRADE
from tests.soak.run import Options, soak
from tests.soak.samples import EVENTS, Event, read


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("servers")
def test_a_short_soak(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert soak(tmp_path, out, Options(180.0, rate=100)) == []
    kinds = {event.kind for event in read(out, EVENTS, Event)}
    assert kinds == {*KINDS, UPGRADE, RESCALE}
