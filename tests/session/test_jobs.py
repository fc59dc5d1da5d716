"""How a session's options become settings of the stream host."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.session.running.host_settings import stream_settings

BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "500",
}
JOB = JobSpec((), (SinkSpec(None, (), (), ()),))
ROWS = "firesteel.source.max-rows-per-batch"


@pytest.mark.parametrize(
    ("options", "interval", "rows"),
    [
        ({}, 0, 0),
        ({ROWS: "13"}, 0, 13),
        ({"table.exec.mini-batch.allow-latency": "3 s"}, 0, 0),
        (BUNDLES, 3000, 0),
        ({**BUNDLES, ROWS: "13"}, 3000, 500),
        ({**BUNDLES, ROWS: "900"}, 3000, 900),
    ],
)
def test_micro_batches(options: dict[str, str], interval: int, rows: int) -> None:
    """They start as often as rows may wait, and hold at least one bundle."""
    environment = TableEnvironment.create(configuration=options)
    settings = stream_settings(environment, JOB, "SELECT 1")
    assert (settings.interval, settings.max_rows) == (interval, rows)


@pytest.mark.parametrize(
    ("of_operators", "of_job", "parallelism"),
    [(None, None, 0), (None, "3", 3), ("4", "3", 4), ("-1", "3", 3), ("0", "3", 3), ("4", None, 4)],
)
def test_the_parallelism_of_operators_goes_first(
    of_operators: str | None, of_job: str | None, parallelism: int
) -> None:
    written = {"table.exec.resource.default-parallelism": of_operators, "parallelism.default": of_job}
    options = {key: value for key, value in written.items() if value is not None}
    environment = TableEnvironment.create(configuration=options)
    assert stream_settings(environment, JOB, "SELECT 1").parallelism == parallelism
