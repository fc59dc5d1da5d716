"""What lies in the temporary folder: private, gone with its process, swept where that was killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.spark import temporary
from firesteel.spark.launch import direct_launcher as fast
from firesteel.spark.launch import launch
from firesteel.spark.launch.launch import Spark
from firesteel.spark.launch.settings import LaunchOptions
from firesteel.spark.launch.spark_submit_launcher import without_secrets
from firesteel.spark.temporary import private_folder, sweep

if TYPE_CHECKING:
    from pyspark import SparkConf

PROGRAM = """
import sys
from firesteel.spark.temporary import private_folder
folder = private_folder("x")
(folder / "secret").write_text("s")
print(folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def process(tmp_path: Path) -> Any:
    """A process that has a folder below tmp_path, and the folder."""
    command, environment = [sys.executable, "-c", PROGRAM], {**os.environ, "TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as running:
        assert running.stdout is not None
        yield running, Path(running.stdout.readline().strip())


def test_it_is_private_and_goes_with_its_process(process: Any, tmp_path: Path) -> None:
    running, folder = process
    for made in (folder, folder.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    running.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept(
    process: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, folder = process
    (tmp_path / "firesteel-of-somebody").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sweep()
    assert (folder / "secret").exists()  # its process lives
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert (folder / "secret").exists()
    sweep()
    assert [path.name for path in tmp_path.iterdir()] == ["firesteel-of-somebody"]


def test_ones_own_is_not_swept() -> None:
    folder = private_folder("x")
    sweep()
    assert folder.is_dir()


@pytest.mark.parametrize("when", ["before it is locked", "while it is locked"])
def test_a_folder_that_a_sweeper_takes_is_made_again(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweeper of another process sees the lock's file before its maker has locked it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "_held", [])
    flock, begun, others = temporary.fcntl.flock, list[bool](), list[Any]()

    def raced(lock: Any, operation: int) -> None:
        if not begun:
            begun.append(True)
            if when == "before it is locked":
                sweep()
            else:
                (found,) = tmp_path.glob("*/lock")
                other = found.open("r+")
                flock(other, operation)
                others.append(other)
        flock(lock, operation)

    monkeypatch.setattr(temporary.fcntl, "flock", raced)
    made = temporary.process_folder.__wrapped__()
    sweep()
    assert (made / "lock").exists()


MAKER = """
import sys
from firesteel.spark import temporary
for _ in range(200):
    folder = temporary.process_folder()
    (folder / "x").write_text("")
    temporary.sweep()
    assert (folder / "x").exists(), "swept while its process lives"
    temporary._held.pop().close()
    temporary.process_folder.cache_clear()
"""


def test_many_processes_make_folders_and_sweep(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", MAKER]
    running = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) for _ in "1234"]
    for process in running:
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said


def test_settings_of_the_users_are_not_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str]] = []

    class Jvm:
        def __init__(
            self, java: object, options: object, conf: dict[str, str], python: object, **_: object
        ) -> None:
            started.append(dict(conf))

        def connect(self) -> Any:
            raise RuntimeError("not started")

        def stop(self) -> None: ...

    def not_plainly(*_: object) -> Any:
        raise RuntimeError("nor plainly")

    monkeypatch.setattr(fast, "LocalJvm", Jvm)
    monkeypatch.setattr(launch, "spark_submit_context", not_plainly)
    monkeypatch.setattr(launch, "has_jvm", lambda: False)  # that of other tests may run,
    monkeypatch.setattr(launch, "forget_jvm", lambda: None)  # and goes on
    for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    spark = Spark(
        LaunchOptions(conf={"spark.hadoop.fs.s3a.secret.key": "hunter2", "spark.ui.enabled": "true"})
    )
    with pytest.raises(Exception, match="not started"):
        _ = spark.context
    assert "hunter2" not in str(started)
    assert "spark.ui.enabled" not in started[0]
    assert started[0]["spark.driver.host"] == "127.0.0.1"


def test_nor_where_spark_submit_starts_it() -> None:
    from pyspark import SparkConf

    conf: SparkConf = SparkConf(loadDefaults=False)
    conf.set("spark.hadoop.fs.s3a.secret.key", "hunter2").set("spark.ssl.keyPassword", "x").set(
        "spark.a", "b"
    )
    assert without_secrets(conf).getAll() == [("spark.a", "b")]


@pytest.mark.spark
def test_sparks_local_folder_is_private(spark: Spark) -> None:
    folder = Path(spark.context.getConf().get("spark.local.dir"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert any(path.name.startswith("blockmgr-") for path in folder.iterdir())
