"""The class-data archive is made once, put in place when complete, and never in the way."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from firesteel.spark.launch.archive import ClassArchive, class_archive
from firesteel.spark.launch.java import Java

JAVA = Java(Path("/usr/bin/java"), "17.0.15")
MAKE, USE = "-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="


@pytest.fixture
def jars(tmp_path: Path) -> list[Path]:
    jar = tmp_path / "spark-core.jar"
    jar.write_bytes(b"1")
    return [jar]


def option(archive: ClassArchive, prefix: str) -> Path | None:
    options = archive.options
    return next((Path(o.removeprefix(prefix)) for o in options if o.startswith(prefix)), None)


def make(jars: list[Path], cache: Path, host: str = "batch") -> Path:
    archive = class_archive(JAVA, jars, host, cache)
    made = option(archive, MAKE)
    assert made is not None
    archive.keep()
    return made


def left_behind(made: Path) -> Path:
    """As if the process that began an archive had been killed."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    other = made.with_name(made.name.replace(f".{os.getpid()}.", f".{ended.pid}."))
    made.with_suffix(".mark").rename(other.with_suffix(".mark"))
    return made.rename(other)


def test_runs_at_the_same_time_write_one(jars: list[Path], tmp_path: Path) -> None:
    begun = make(jars, tmp_path)
    assert class_archive(JAVA, jars, "batch", tmp_path).mark is None
    left_behind(begun)
    make(jars, tmp_path)


def test_one_of_a_run_without_results_is_dropped(jars: list[Path], tmp_path: Path) -> None:
    made = option(class_archive(JAVA, jars, "batch", tmp_path), MAKE)
    assert made is not None
    made.write_bytes(b"\xab\xba\x0b\xf0 classes")
    assert option(class_archive(JAVA, jars, "batch", tmp_path), USE) is None
    assert not made.exists()


def test_those_that_nobody_uses_are_deleted(jars: list[Path], tmp_path: Path) -> None:
    make(jars, tmp_path).write_bytes(b"\xab\xba\x0b\xf0 classes")
    used = option(class_archive(JAVA, jars, "batch", tmp_path), USE)
    assert used is not None
    os.utime(used, (time.time() - 40 * 86_400,) * 2)
    make(jars, tmp_path, "stream")
    assert not used.exists()


def test_so_are_the_markers_of_killed_runs(jars: list[Path], tmp_path: Path) -> None:
    killed = left_behind(make(jars, tmp_path)).with_suffix(".mark")
    running = make(jars, tmp_path).with_suffix(".mark")
    os.utime(killed, (time.time() - 40 * 86_400,) * 2)
    make(jars, tmp_path, "stream")
    assert not killed.exists()
    assert running.exists()


def test_a_first_run_makes_it_and_later_ones_use_it(jars: list[Path], tmp_path: Path) -> None:
    make(jars, tmp_path).write_bytes(b"\xab\xba\x0b\xf0 classes")
    used = option(class_archive(JAVA, jars, "batch", tmp_path), USE)
    assert used is not None
    assert used.read_bytes().endswith(b"classes")
    assert option(class_archive(JAVA, jars, "batch", tmp_path), USE) == used


def test_one_that_is_being_written_is_left_alone(jars: list[Path], tmp_path: Path) -> None:
    begun = make(jars, tmp_path)
    begun.write_bytes(b"\0" * 64)
    options = class_archive(JAVA, jars, "batch", tmp_path)
    assert option(options, MAKE) is None
    assert option(options, USE) is None
    assert begun.exists()


def test_one_that_was_given_up_is_made_again(jars: list[Path], tmp_path: Path) -> None:
    begun = make(jars, tmp_path)
    begun.write_bytes(b"\0" * 64)
    os.utime(begun, (time.time() - 3600,) * 2)
    make(jars, tmp_path)
    assert not begun.exists()


def test_each_java_host_and_set_of_jars_has_its_own(jars: list[Path], tmp_path: Path) -> None:
    def key(made: Path) -> str:
        return made.name.split(".")[0]

    keys = {key(make(jars, tmp_path)), key(make(jars, tmp_path, "stream"))}
    other = option(class_archive(Java(JAVA.executable, "21"), jars, "batch", tmp_path), MAKE)
    assert other is not None
    jars.append(tmp_path / "more.jar")
    jars[-1].write_bytes(b"2")
    keys |= {key(other), key(make(jars, tmp_path))}
    assert len(keys) == 4


def test_without_a_cache_folder_nothing_is_asked_for(jars: list[Path], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert class_archive(JAVA, jars, "batch", blocked) == ClassArchive()


def test_those_of_environments_that_are_gone_do_not_pile_up(jars: list[Path], tmp_path: Path) -> None:
    """Each new environment has other jars, and so other archives."""
    now = time.time()
    for number in range(30):
        for suffix in (".jsa", f".{number}.new"):
            left = tmp_path / "jvm" / f"spark-batch-{number}{suffix}"
            left.parent.mkdir(mode=0o700, exist_ok=True)
            left.write_bytes(b"\xab\xba\x0b\xf0 classes")
            os.utime(left, (now - 1000 - number, now - 1000 - number))
    writing = tmp_path / "jvm" / "spark-batch-31.x.new"
    writing.write_bytes(b"")
    make(jars, tmp_path)
    left_over = {path.name for path in (tmp_path / "jvm").iterdir()}
    assert writing.name in left_over
    assert "spark-batch-0.jsa" in left_over
    assert len(left_over) <= 10
