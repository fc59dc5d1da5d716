"""`firesteel ui CHECKPOINT`: what it serves, and its errors."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.cli.app import run_app
from firesteel.cli.checkpoint.page import CheckpointApi
from firesteel.cli.ui import page
from firesteel.errors import UsageError
from firesteel.jobs.job_file import JobFile
from firesteel.session.inspection.saved_jobs import SavedJobs
from firesteel.spark.checkpoint.fingerprint import FILE as FINGERPRINT
from firesteel.spark.checkpoint.fingerprint import VERSION, hashing
from tests.ui.jobs_shown import end_batches, registry_of_jobs

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with a job that has stopped, and one that an earlier version has run."""
    folder = tmp_path_factory.mktemp("checkpoint")
    for name in ("insert-totals", "insert-old"):
        (folder / name).mkdir()
        (folder / name / FINGERPRINT).write_text(json.dumps({"version": VERSION, "hashing": hashing()}))
    registry, progress = registry_of_jobs()
    end_batches(progress, 3)
    job = registry.jobs()[0]
    job.end(ValueError("The disk is full."))
    JobFile(job, lambda: pytest.fail("no Spark")).begin(str(folder / "insert-totals"))
    return folder


@pytest.fixture
def url(checkpoint: Path) -> Iterator[str]:
    with page(0, None, as_json=False, feed=CheckpointApi(SavedJobs(str(checkpoint)))) as found:
        yield found


def test_the_api_has_what_it_has_for_a_running_job(url: str) -> None:
    with httpx.Client(base_url=f"{url}/api/v1/jobs") as client:
        old, failed = client.get("").json()["jobs"]
        assert (old["id"], old["state"], old["saved"]) == ("insert-old", "SUSPENDED", None)
        assert (failed["id"], failed["state"], failed["cause"]) == (
            "insert-totals",
            "FAILED",
            "The disk is full.",
        )
        assert "plan" not in failed
        whole = client.get("/insert-totals").json()
        assert "GroupAggregate" in whole["plan"]
        assert whole["options"]["my.password"] != "hidden"
        assert len(client.get("/insert-totals/graph").json()["chains"]) == 4
        assert len(client.get("/insert-totals/batches").json()["batches"]) == 3
        assert client.get("/insert-old/batches").json()["batches"] == []
        assert client.get("/9").status_code == 404
        assert client.get("/insert-totals/nothing").status_code == 404
        assert client.post("").status_code == 405


def test_events_are_those_of_a_running_job(url: str) -> None:
    with httpx.stream("GET", f"{url}/api/v1/events?job=insert-totals", timeout=60) as answer:
        lines = answer.iter_lines()
        names = [line for line in (next(lines) for _ in range(10)) if line.startswith("event: ")]
    assert names == ["event: jobs", "event: job", "event: batches"]


def test_a_checkpoint_that_is_moved_away_ends_no_server(checkpoint: Path, tmp_path: Path) -> None:
    shutil.copytree(checkpoint, tmp_path / "copy")
    with page(0, None, as_json=False, feed=CheckpointApi(SavedJobs(str(tmp_path / "copy")))) as url:
        (tmp_path / "copy").rename(tmp_path / "moved")
        answer = httpx.get(f"{url}/api/v1/jobs")
        assert answer.status_code == 503
        (tmp_path / "moved").rename(tmp_path / "copy")
        assert httpx.get(f"{url}/api/v1/jobs").status_code == 200


def test_errors_of_the_command(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        run_app(["ui", str(tmp_path / "none")])
    with pytest.raises(UsageError, match="is not a checkpoint of Firesteel"):
        run_app(["ui", str(tmp_path)])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Cannot listen on port {port}") as raised:
            run_app(["ui", str(checkpoint), "--port", str(port)])
        assert raised.value.hint == "use another --port PORT (0 for a free one)"


def test_beyond_loopback_it_asks_for_a_token(checkpoint: Path) -> None:
    feed = CheckpointApi(SavedJobs(str(checkpoint)))
    with page(0, "0.0.0.0", as_json=False, feed=feed) as url:
        address, _, token = url.partition("/?token=")
        base = f"http://127.0.0.1:{address.rpartition(':')[2]}"
        assert httpx.get(f"{base}/api/v1/jobs").status_code == 401
        assert (
            httpx.get(f"{base}/api/v1/jobs", headers={"Authorization": f"Bearer {token}"}).status_code == 200
        )
