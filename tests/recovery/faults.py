"""What can happen to a pipeline (pipelines.py), each at a random moment: it returns what has happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tests.recovery.runs import children, commits

if TYPE_CHECKING:
    from tests.connectors.jdbc.postgres import Postgres
    from tests.recovery.pipelines import Pipeline

_AT_START, _START_SECONDS = 0.25, 8.0
"""The share of kills that come while a run starts, and within which time."""
_END_SECONDS = 20.0


def kill_run(line: Pipeline, chance: random.Random, whom: str) -> str:
    """SIGKILL the driver's Python, its JVM, or both, at work or while it starts."""
    if chance.random() < _AT_START:
        _kill_run(line, whom)
        line.begin()
        time.sleep(chance.uniform(0, _START_SECONDS))
        when = "while it started"
    else:
        line.works(chance.randint(1, 3))
        time.sleep(chance.uniform(0, 1.5))
        when = "at work"
    _kill_run(line, whom)
    line.begin()
    return f"the driver ({whom}) killed {when}"


def _kill_run(line: Pipeline, whom: str) -> None:
    run = line.run
    jvms = [pid for pid in descendants(run.pid) if _command(pid)[:1] and "java" in _command(pid)[0]]
    for victim in {"python": [run.pid], "jvm": jvms, "both": [run.pid, *jvms]}[whom]:
        _kill(victim)
    with suppress(subprocess.TimeoutExpired):
        run.wait(_END_SECONDS)
        return
    _kill(run.pid)  # its JVM was killed before anything ran on it: it has started another
    run.wait()


def kill_worker(line: Pipeline, chance: random.Random) -> str:
    """SIGKILL one of Spark's Python processes: a worker, or what forks them."""
    line.works(chance.randint(1, 2))
    time.sleep(chance.uniform(0, 1.0))
    found = [pid for pid in descendants(line.run.pid) if "java" not in _command(pid)[0]]
    victim = chance.choice(found)
    before = commits(line.checkpoint)
    _kill(victim)
    end = time.monotonic() + 60
    while line.run.poll() is None and commits(line.checkpoint) < before + 2 and time.monotonic() < end:
        time.sleep(0.05)
    return "a process of the workers killed"


def restart_broker(line: Pipeline, chance: random.Random, clean: bool) -> str:
    line.works(chance.randint(1, 2))
    time.sleep(chance.uniform(0, 1.0))
    line.broker.stop(clean)
    time.sleep(chance.uniform(0, 6.0))
    line.broker.start()
    return f"the broker {'stopped' if clean else 'killed'} and started"


def restart_database(line: Pipeline, server: Postgres, chance: random.Random, clean: bool) -> str:
    line.works(chance.randint(1, 2))
    time.sleep(chance.uniform(0, 1.0))
    server.stop("fast" if clean else "immediate")
    time.sleep(chance.uniform(0, 6.0))
    server.start()
    return f"the database {'stopped' if clean else 'killed'} and started"


# --- processes -----------------------------------------------------------------------------------
def descendants(pid: int) -> list[int]:
    """All processes that a process started, and those that these started."""
    found = []
    with suppress(OSError):
        for child in children(pid):
            found += [child, *descendants(child)]
    return [each for each in found if _command(each)]


def _command(pid: int) -> list[str]:
    """Empty for a process that has ended."""
    try:
        return [word for word in Path(f"/proc/{pid}/cmdline").read_text().split("\0") if word]
    except OSError:
        return []


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
