"""Another user of the machine gets nothing of a job: no answer, no file, no code into it.

The job runs as root and is attacked as `nobody`, who knows its ports, paths and protocols. Each socket on
which it listens stands in the table of docs/guide/security.md.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

from firesteel.cache_folder import cache_folder
from tests.recovery.runs import ROOT, commits
from tests.security.job import SECRET
from tests.security.processes import Listener, command_line, listeners, open_files, tree

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or os.getuid() != 0, reason="only root can act as another user"
    ),
]
PAGE = ROOT / "docs" / "guide" / "security.md"
_SECONDS = 300


@dataclass(frozen=True)
class Job:
    """A running job. folder: where all that it makes lies; others may enter it, as they may /tmp."""

    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def made(self) -> list[Path]:
        return [path for name in ("tmp", "cache", "checkpoint") for path in (self.folder / name).rglob("*")]

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def listeners(self) -> set[Listener]:
        """Return all sockets on which its processes listen; it must still run."""
        assert self.process.poll() is None, self.log()
        return listeners(self.process.pid)


@pytest.fixture(scope="module", params=["auto", pytest.param("off", marks=pytest.mark.full)])
def job(request: pytest.FixtureRequest) -> Iterator[Job]:
    """The job, with each way to start Spark: `firesteel.fast-start`."""
    folder = Path(tempfile.mkdtemp(prefix="shared-", dir="/tmp"))
    folder.chmod(0o755)
    (folder / "tmp").mkdir()
    (folder / "tmp").chmod(0o1777)
    _take_over_cache(folder / "cache")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))},
        "TMPDIR": str(folder / "tmp"),
        "FIRESTEEL_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, "-m", "tests.security.job", str(folder), request.param]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    job = Job(process, folder)
    try:
        end = time.monotonic() + _SECONDS
        while commits(folder / "checkpoint") < 3:
            assert process.poll() is None, job.log()
            assert time.monotonic() < end, job.log()
            time.sleep(0.05)
        yield job
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        finally:
            process.kill()
            shutil.rmtree(folder, ignore_errors=True)


def _take_over_cache(folder: Path) -> None:
    """Have what is compiled already, and the class data used last, in folders with Firesteel's modes."""
    copied = [cache_folder() / "kernels", *_last_archives(cache_folder() / "jvm")]
    for source in copied:
        target = folder / source.relative_to(cache_folder())
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # Other processes of the tests rename and remove files meanwhile.
            if source.is_dir():
                shutil.copytree(source, target, copy_function=_copy_if_there)
            else:
                shutil.copy2(source, target)


def _last_archives(folder: Path) -> list[Path]:
    archives = (sorted(folder.glob(f"spark-{host}-*.jsa"), key=_used) for host in ("batch", "stream"))
    return [found[-1] for found in archives if found]


def _used(archive: Path) -> float:
    with suppress(FileNotFoundError):
        return archive.stat().st_mtime
    return 0.0


def _copy_if_there(source: str, target: str) -> None:
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)


def attack(**targets: object) -> dict[str, list[tuple[object, str]]]:
    """Have `nobody` try. Returns what was reached."""
    asked = {"tcp": [], "unix": [], "private": [], "code": [], **targets}
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.attacker"],
        cwd=ROOT,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[tuple[object, str]]] = json.loads(done.stdout)
    return found


def test_no_port_answers_without_a_secret(job: Job) -> None:
    """But that of the metrics, which hold no data of rows."""
    ports = {each.port: each for each in job.listeners() if each.kind == "tcp"}
    assert len(ports) >= 3
    answers = attack(tcp=sorted(ports))["tcp"]
    others = [each for each in answers if not _is_metrics(str(each[1]))]
    assert others == []
    assert SECRET not in str(answers)


def _is_metrics(answer: str) -> bool:
    return (
        "firesteel_" in answer
        or "there is only /metrics" in answer
        or ("Error code: 400" in answer or "Bad request" in answer)
    )


def test_no_socket_can_be_connected_to(job: Job) -> None:
    paths = [each.address for each in job.listeners() if each.kind == "unix"]
    assert paths, job.log()
    # A socket that was renamed once it listened keeps its first name in /proc.
    assert attack(unix=[*paths, *(path.removesuffix(".new") for path in paths)])["unix"] == []


def test_nothing_that_it_has_made_is_read_or_written(job: Job) -> None:
    within = str(job.folder)
    shared = {f"{within}/log"}  # made by this test
    opened = {path for path in open_files(job.process.pid) if path.startswith(f"{within}/")} - shared
    made = {str(path) for path in job.made}
    for folder in ("checkpoint", "cache"):
        assert (job.folder / folder).is_dir()
        made.add(f"{within}/{folder}")
    assert len(made) > 20
    assert attack(private=sorted(made | opened))["private"] == []


def test_nothing_that_it_runs_is_written(job: Job) -> None:
    mapped = [path for path in open_files(job.process.pid) if re.search(r"[.](so|jar|jsa|py|pyc)\b", path)]
    assert any(path.endswith(".jar") for path in mapped)
    assert attack(code=sorted(mapped))["code"] == []


def test_the_list_of_processes_holds_no_secret(job: Job) -> None:
    lines = [command_line(process) for process in tree(job.process.pid)]
    assert len(lines) > 3
    for line in lines:
        assert SECRET not in line
        assert "spark.authenticate.secret" not in line


def test_each_socket_stands_in_the_guide(job: Job) -> None:
    rows = _table()
    found = Counter(_row_of(each, rows) for each in job.listeners())
    for (process, address, most), count in found.items():
        assert most == "any" or count <= int(most), (process, address)
    assert {process for process, _, _ in found} == {"JVM", "driver", "Python"}


Row = tuple[str, str, str]


def _table() -> list[Row]:
    """The rows of the guide's table of sockets: process, address, how many at most."""
    text = PAGE.read_text(encoding="utf-8").partition("## Sockets")[2].partition("\n## ")[0]
    cells = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line
    ]
    rows: list[Row] = [(row[0], row[1], row[2]) for row in cells[2:]]
    assert rows
    return rows


def _row_of(listener: Listener, rows: list[Row]) -> Row:
    address = listener.address
    if listener.kind != "unix":
        address = f"{listener.kind} {_readable(address)}"
    found = [row for row in rows if row[0] == listener.process and fnmatch(address, row[1])]
    assert len(found) == 1, f"{listener} ({address}) is no row of {PAGE}"
    return found[0]


def _readable(address: str) -> str:
    """An address of /proc: words of four bytes in the machine's order."""
    words = bytes.fromhex(address)
    raw = b"".join(words[i : i + 4][::-1] for i in range(0, len(words), 4))
    found = ipaddress.ip_address(raw)
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found)
