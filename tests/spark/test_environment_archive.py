"""`firesteel package`: what is in the archive, what is refused, and that executors need nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tools.spark_cluster import SparkCluster

from firesteel.errors import UsageError
from firesteel.spark import environment_archive
from firesteel.spark.environment_archive import MANIFEST, use_archives, write_archive
from tests.recovery.cluster_job import Job, Load, write_job
from tests.recovery.job import NAMES
from tests.recovery.kills import folded_files


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs two small packages, not the 700 MB of all."""
    found = [metadata.distribution(name) for name in ("iniconfig", "pluggy")]
    monkeypatch.setattr(environment_archive, "_required", lambda extras: found)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz"])
def test_files_of_packages_and_of_firesteel(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"env{suffix}"
    target.write_text("an older one")
    versions = write_archive(target)
    assert versions == {name: metadata.version(name) for name in ("iniconfig", "pluggy")}
    with tarfile.open(target) as archive:
        names = archive.getnames()
        about = json.loads(archive.extractfile(MANIFEST).read())  # type: ignore[union-attr]
    assert about["python"] == ".".join(map(str, sys.version_info[:2]))
    assert about["packages"] == versions
    assert {"firesteel/__init__.py", "firesteel/errors.py", "pluggy/__init__.py"} <= set(names)
    assert not [name for name in names if ".." in name or name.endswith(".pyc") or name.startswith("/")]
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_what_firesteel_requires_without_spark() -> None:
    names = {each.metadata["Name"].lower() for each in environment_archive._required(())}
    assert {"pyarrow", "numpy", "duckdb", "llvmlite", "python-dateutil"} <= names
    assert names.isdisjoint({"pyspark", "py4j", "confluent-kafka", "pytest", "firesteel"})


@pytest.mark.parametrize(
    ("name", "extras", "words"),
    [
        ("env.zip", None, "Spark unpacks archives by their suffix"),
        ("env.tar", ["jdbcc"], "Firesteel has no extra 'jdbcc'"),
        ("none/env.tar", [], "cannot be written: No such file or directory"),
    ],
)
@pytest.mark.usefixtures("small")
def test_refused(name: str, extras: list[str] | None, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        write_archive(tmp_path / name, extras)
    assert not [*tmp_path.iterdir()]


@pytest.mark.usefixtures("small")
def test_an_extra_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(environment_archive, "_missing", lambda extra: iter(["fastavro"]))
    with pytest.raises(UsageError, match="the extra 'avro' is not installed: fastavro"):
        write_archive(tmp_path / "env.tar", ["avro"])


def test_workers_find_it_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, python in (("env", ".".join(map(str, sys.version_info[:2]))), ("plain", None)):
        (tmp_path / name).mkdir()
        if python is not None:
            (tmp_path / name / MANIFEST).write_text(json.dumps({"python": python}))
    context: Any = SimpleNamespace(environment={"PYTHONPATH": "first"})
    monkeypatch.setattr("pyspark.SparkFiles.getRootDirectory", lambda: str(tmp_path))
    for _ in range(2):
        use_archives(context)
        assert context.environment["PYTHONPATH"] == os.pathsep.join(["first", "env", str(tmp_path / "env")])
    (tmp_path / "plain" / MANIFEST).write_text(json.dumps({"python": "2.7"}))
    with pytest.raises(UsageError, match=r"the archive plain holds packages for Python 2\.7"):
        use_archives(context)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("host", ["batch", "stream"])
def test_executors_whose_python_has_nothing(host: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "python")], check=True)
    write_archive(tmp_path / "env.tar")
    load, files = Load(names=20), {"connector": "filesystem", "format": "canal-json"}
    (tmp_path / "in.json").write_bytes(b"".join(message + b"\n" for _, message in load.changes(900)))
    source = {**files, "path": str(tmp_path / "in.json")}
    script = write_job(tmp_path / "job", source, {"o": {**files, "path": str(tmp_path / "out")}})
    with SparkCluster(tmp_path) as cluster:
        checkpoint = tmp_path / "checkpoint" if host == "stream" else None
        archive = f"--set=spark.archives={tmp_path / 'env.tar'}#env"
        job = Job(script, cluster.master, checkpoint, tmp_path / "python" / "bin" / "python", archive)
        assert job.wait() == 0, job.said
    assert folded_files(tmp_path / "out", NAMES) == load.answer()
