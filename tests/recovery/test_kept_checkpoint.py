"""Checkpoints of earlier commits are taken up by this one, wherever its modules and classes stand by now."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

from tests.recovery.kept_archive import unpack
from tests.recovery.kept_run import KEPT, continued
from tests.scale import part

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytest.importorskip("sqlalchemy")

FOLDERS = sorted(folder for folder in KEPT.iterdir() if (folder / "about.json").exists())
ARCHIVES = [archive for folder in FOLDERS for archive in sorted(folder.glob("*.tar.gz"))]
STATEFUL = {
    "ChangelogNormalizeSpec",
    "GlobalGroupAggregateSpec",
    "GroupAggregateSpec",
    "GroupWindowAggregateSpec",
    "IncrementalGroupAggregateSpec",
    "OverAggregateSpec",
    "SessionWindowAggregateSpec",
    "SessionWindowTableFunctionSpec",
    "SinkUpsertMaterializerSpec",
    "TemporalSortSpec",
    "WatermarkCompactingSinkMaterializerSpec",
    "WindowAggregateSpec",
}
"""Operators with state, as checkpoints name them. One is left out: watermarks by code of the user's."""


def _name(path: Path) -> str:
    return f"{path.parent.name}-{path.name.removesuffix('.tar.gz')}"


def _is_older(folder: Path) -> bool:
    """Whether Spark is older than the one that wrote: it reads no checkpoint of a later one."""
    written: str = json.loads((folder / "about.json").read_text(encoding="utf-8"))["pyspark"]
    return _release(pyspark.__version__) < _release(written)


def _release(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:2]]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize("archive", part(ARCHIVES, 3), ids=_name)
def test_a_job_goes_on(archive: Path, tmp_path: Path, spark: Spark) -> None:
    """With rows that come later it puts out what it does when it is not interrupted, and nothing twice."""
    if _is_older(archive.parent):
        pytest.skip("written by a later Spark")
    expected = json.loads((archive.parent / "expected.json").read_text(encoding="utf-8"))
    base = tmp_path / "job"
    unpack(archive, base)
    before = _job_names(base)
    wanted = expected[archive.name.removesuffix(".tar.gz")]
    assert continued(spark, base, wanted) == wanted
    assert _job_names(base) == before


def _job_names(base: Path) -> set[str]:
    """By which names the job is known: to its checkpoint, in the manifests of files, and in the database."""
    names = {path.stem.partition("-")[0] for path in base.glob("out/*/_firesteel/*.json")}
    for path in base.glob("checkpoint/*/firesteel.json"):
        names.add(json.loads(path.read_text(encoding="utf-8"))["id"])
    if (base / "db").exists():
        with closing(sqlite3.connect(base / "db")) as connection:
            names |= {name for (name,) in connection.execute("SELECT job FROM firesteel_batches")}
    return names


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_kept(folder: Path) -> None:
    """Every operator's state; a sink's last batch that is not in Spark's log; a file that is half read."""
    found: set[str] = set()
    for archive in folder.glob("*.tar.gz"):
        for name, text in _texts(archive):
            if name.endswith("/firesteel.json"):
                found |= set(_specs(json.loads(text)["job"]))
    assert found >= STATEFUL
    records = dict(_texts(folder / "records.tar.gz"))
    assert _last(records, "offsets") == _last(records, "commits") + 1
    place = json.loads(next(t for n, t in records.items() if n.endswith("offsets/1")).splitlines()[2])
    assert place["byte"] > 0


def _texts(archive: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None
            yield member.name, file.read().decode(errors="replace")


def _last(files: dict[str, str], log: str) -> int:
    numbers = [name.rpartition("/")[2] for name in files if f"/spark/{log}/" in name]
    return max(int(number) for number in numbers if number.isdigit())


def _specs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "is" in value:
            yield value["is"]
        for item in value.values():
            yield from _specs(item)
    elif isinstance(value, list):
        for item in value:
            yield from _specs(item)
