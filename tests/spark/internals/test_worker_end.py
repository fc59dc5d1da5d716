"""A worker's end is met. Without it no function of the user's would be closed in Spark."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys

import pytest

from firesteel.spark.internals.worker_end import at_worker_end

WORKER = """
import os, signal, sys, types
from firesteel.spark.internals.worker_end import at_worker_end
ends = types.ModuleType("pyspark.worker")
def main(infile, outfile):
    {task}
ends.main = main
sys.modules["pyspark.worker"] = ends
def close():
    os.kill(os.getpid(), signal.SIGHUP)  # a second one, in the middle of it
    print("closed", flush=True)
at_worker_end(close)
for number in (signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)  # as pyspark's daemon does before each task
try:
    ends.main(None, None)
except SystemExit:
    os._exit(3)
print("the next task")
os._exit(4)
"""


@pytest.mark.parametrize(
    ("task", "said", "status"),
    [
        ("os.kill(os.getpid(), signal.SIGHUP)", "closed\n", -signal.SIGHUP),
        ("os.kill(os.getpid(), signal.SIGTERM)", "closed\n", -signal.SIGTERM),
        ("sys.exit(-1)", "closed\n", 3),
        ("pass", "the next task\n", 4),
    ],
)
def test_what_is_open_is_closed_when_the_worker_ends_and_not_before(
    task: str, said: str, status: int
) -> None:
    environment = {**os.environ, "SPARK_REUSE_WORKER": "1"}
    command = [sys.executable, "-u", "-c", WORKER.format(task=task)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.returncode) == (said, status), done.stderr


def test_a_process_that_is_no_worker_closes_at_its_end() -> None:
    script = "from firesteel.spark.internals import worker_end as w; w.at_worker_end(lambda: print('closed'))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "closed\n"


def test_workers_are_what_it_takes_them_for() -> None:
    from pyspark import daemon, worker

    assert list(inspect.signature(worker.main).parameters) == ["infile", "outfile"]
    source = inspect.getsource(daemon.worker)
    assert "importlib.import_module(sys.argv[1])" in source
    assert "worker_main(infile, outfile)" in source
    assert "SPARK_REUSE_WORKER" in inspect.getsource(daemon.manager)
    assert callable(at_worker_end)
