"""The JSON API: its paths and fields."""

from __future__ import annotations

import json
from typing import Any

from firesteel import __version__
from firesteel.cli.http_api import JSON, Api
from firesteel.jobs.job import Job, Source
from firesteel.jobs.registry import Registry
from firesteel.runtime.dataflow.counters import Counters
from firesteel.runtime.state.size import StateSize
from firesteel.spark.progress import Progress


def registry() -> tuple[Registry, Job]:
    made = Registry()
    job = made.add(Source("INSERT INTO t SELECT a FROM s", "job.sql", 3, 1))
    progress = Progress(
        name="job.sql: t",
        read=50,
        states={(1, 0): {"sum": StateSize(4, 80)}},
        steps={1: ("exchange", "GroupAggregate")},
        chains={1: [Counters(0, 50, 10**9), Counters(50, 20, 3 * 10**9, 3)]},
    )
    progress.lag = lambda: {("a.b", 1): 30, ("a.b", 0): 4}
    made.planned(job, progress, lambda: "the plan")
    job.run()
    progress.batch = 4
    progress.end_batch()
    return made, job


def asked(made: Registry, path: str, status: int = 200) -> Any:
    answer = Api(made).answer(path)
    assert (answer.status, answer.content_type) == (status, JSON)
    return json.loads(answer.body)


def test_the_list_of_jobs() -> None:
    made, _ = registry()
    planned = made.add(Source("SELECT 1"))
    for path in ("/api/v1/jobs", "/api/v1/jobs/"):
        told = asked(made, path)
        assert told["version"] == __version__
        first, second = told["jobs"]
        assert (first["id"], first["name"], first["state"]) == ("1", "job.sql: t", "RUNNING")
        assert (first["script"], first["line"], first["column"]) == ("job.sql", 3, 1)
        assert first["metrics"]["records_in_total"] == 50
        assert (second["id"], second["phase"], second["metrics"]) == (planned.id, "planning", None)


def test_one_job() -> None:
    made, job = registry()
    told = asked(made, "/api/v1/jobs/1")
    assert told["plan"] == "the plan"
    assert told["chains"][0]["chain"] == 1
    assert told["chains"][0]["steps"][1] == {
        "operator": "GroupAggregate",
        "records_in": 50,
        "records_out": 20,
        "busy_seconds": 3.0,
        "late_records_dropped": 3,
    }
    assert told["states"] == [{"state": "sum", "entries": 4, "bytes": 80, "oldest": None}]
    assert [each["messages"] for each in told["lag_messages"]] == [4, 30]
    job.end(ValueError("gone"))
    told = asked(made, "/api/v1/jobs/1")
    assert (told["state"], told["cause"], told["phase"]) == ("FAILED", "gone", "")
    assert told["ended"].endswith("Z")
    assert told["states"] == [{"state": "sum", "entries": 4, "bytes": 80, "oldest": None}]


def test_the_micro_batches_of_a_job() -> None:
    made, _ = registry()
    (batch,) = asked(made, "/api/v1/jobs/1/batches")["batches"]
    assert (batch["batch"], batch["records_in"], list(batch["spent"])) == (4, 50, ["delivery"])
    assert batch["busy"][1] == {"chain": 1, "operator": "GroupAggregate", "seconds": 3.0}


def test_what_is_not_there() -> None:
    made, _ = registry()
    assert asked(made, "/api/v1/jobs/9", 404) == {"error": "there is no job '9'"}
    known = "it has batches, a graph and, if --ui shows them, rows"
    assert asked(made, "/api/v1/jobs/1/x", 404) == {"error": f"job '1' has no 'x': {known}"}
    assert asked(made, "/api/v1/jobs/1/rows", 404) == {"error": f"job '1' has no 'rows': {known}"}
    assert Api(made).answer("/api/v2/jobs").status == 404
    assert Api(made).answer("/metrics").status == Api(made).answer("/").status == 200
