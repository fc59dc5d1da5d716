"""A checkpoint on S3: a job that is stopped and killed goes on from it with what it knew.

`make test-s3` installs the S3 server. Maven has the jars of S3A (docs/guide/checkpoints.md).
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

boto3 = pytest.importorskip("boto3", reason="needs an S3 server (make test-s3)")
pytest.importorskip("moto.server", reason="needs an S3 server (make test-s3)")

KEYS = 10
SCRIPT = """
CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000');
CREATE TABLE totals (k BIGINT, c BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{file}', 'table-name' = 'totals');
INSERT INTO totals SELECT MOD(n, {keys}), COUNT(*), SUM(n) FROM numbers GROUP BY MOD(n, {keys});
"""
ACCESS = "testing"  # moto accepts any


@pytest.fixture
def endpoint() -> Iterator[str]:
    """Return the address of an S3 server with an empty bucket `bucket`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    start = [sys.executable, "-m", "moto.server", "-p", str(port)]
    server = subprocess.Popen(start, stderr=subprocess.DEVNULL)
    try:
        wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, 60, "an S3 server")
        client = boto3.client("s3", "us-east-1", endpoint_url=address, **credentials())
        client.create_bucket(Bucket="bucket")
        yield address
        found = client.list_objects_v2(Bucket="bucket", Prefix="job/")
        assert found["KeyCount"] > 0, "the checkpoint was written elsewhere"
    finally:
        server.kill()
        server.wait()


def credentials() -> dict[str, str]:
    return {"aws_access_key_id": ACCESS, "aws_secret_access_key": ACCESS}


def hadoop() -> str:
    """Return the coordinates of S3A's jar for pyspark's Hadoop."""
    import pyspark

    (jar,) = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    return f"org.apache.hadoop:hadoop-aws:{jar.stem.removeprefix('hadoop-client-api-')}"


def command(script: Path, endpoint: str) -> list[str]:
    """Return the command of the job."""
    settings = {
        "spark.jars.packages": hadoop(),
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": ACCESS,
        "spark.hadoop.fs.s3a.secret.key": ACCESS,
        "spark.hadoop.fs.s3a.optimized.copy.from.local.enabled": "false",
        "restart-strategy.type": "none",
    }
    start = [
        sys.executable,
        "-m",
        "firesteel.cli.main",
        "run",
        str(script),
        "--checkpoint",
        "s3a://bucket/job",
    ]
    return [*start, *(part for key, value in settings.items() for part in ("--set", f"{key}={value}"))]


def wait(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until a condition holds. Raise AssertionError if it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no {what} after {seconds} s"
        time.sleep(0.1)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_job_goes_on_from_a_checkpoint_on_s3(endpoint: str, tmp_path: Path) -> None:
    file, script, said = tmp_path / "db", tmp_path / "job.sql", tmp_path / "said"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE totals (k BIGINT PRIMARY KEY, c BIGINT, s BIGINT)")
    script.write_text(SCRIPT.format(file=file, keys=KEYS))

    def counted() -> int:
        with sqlite3.connect(file, timeout=60) as connection:
            return int(connection.execute("SELECT COALESCE(SUM(c), 0) FROM totals").fetchone()[0])

    def run(rows: int, end: signal.Signals) -> int:
        """Run the job, and end it once the table counts some rows more. Return the exit status."""
        wanted = counted() + rows
        with said.open("a") as stream:
            job = subprocess.Popen(
                command(script, endpoint), cwd=tmp_path, stdout=stream, stderr=stream, start_new_session=True
            )
        try:
            wait(lambda: counted() >= wanted or job.poll() is not None, 500, f"{wanted} rows")
            assert job.poll() is None, said.read_text()[-3000:]
            if end is signal.SIGKILL:
                os.killpg(job.pid, end)
            else:
                job.send_signal(end)
            return job.wait(500)
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)

    statuses = [run(20, end) for end in (signal.SIGINT, signal.SIGKILL, signal.SIGINT)]
    assert statuses == [130, -signal.SIGKILL, 130], said.read_text()[-3000:]
    rows = range(1, counted() + 1)
    answer = [(k, *totals([n for n in rows if n % KEYS == k])) for k in range(KEYS)]
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT k, c, s FROM totals ORDER BY k").fetchall() == answer


def totals(numbers: list[int]) -> tuple[int, int]:
    return len(numbers), sum(numbers)
