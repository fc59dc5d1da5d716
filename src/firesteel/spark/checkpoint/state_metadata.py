"""Spark's descriptions of a query's state in a checkpoint on this machine, after a power cut.

For each stateful operator Spark writes two files per change of the state's layout: a schema, and metadata
that names the schema by its absolute path:

    spark/state/0/_stateSchema/default/0_64fb...
    spark/state/0/_metadata/v2/0    {... "stateSchemaFilePaths": ["file:/.../_stateSchema/default/0_64fb..."]}

The number in `_metadata/v2` is the micro-batch that wrote them. Spark reads the schemas of the last metadata
file when it plans a micro-batch, and fails if one is missing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def remove_torn_metadata(spark: Path, committed: int) -> None:
    """Remove the metadata files of uncommitted micro-batches that name a missing schema file.

    Both files are synced before the micro-batch that writes them is committed. A power cut before the sync
    may keep the metadata and lose the schema. It is safe to remove the metadata: Spark runs the micro-batch
    again and writes both files.

    Args:
        spark: Spark's folder in the checkpoint.
        committed: The last committed micro-batch, or -1.
    """
    for file in spark.glob("state/*/_metadata/v2/[0-9]*"):
        if not file.name.isdigit() or int(file.name) <= committed:
            continue
        schemas = file.parents[2] / "_stateSchema"
        if not all((schemas / Path(path).parent.name / Path(path).name).is_file() for path in _schemas(file)):
            file.unlink()
            (file.parent / f".{file.name}.crc").unlink(missing_ok=True)


def remove_unplanned_state(spark: Path) -> None:
    """Remove the state that the first micro-batch has written, if its offsets were lost.

    The offsets of a micro-batch are synced before its state, and before a sink gets rows of it. After a power
    cut before that sync, files of the state may exist although the offsets are lost. Spark refuses to start
    with such files.

    If there is state of a later micro-batch, nothing is removed. The offsets of the first one were synced
    before that, so a power cut cannot have removed them. Spark then ends with an error, which the user has to
    see.

    Args:
        spark: Spark's folder in the checkpoint.
    """
    if any(name.name.isdigit() for log in ("offsets", "commits") for name in spark.glob(f"{log}/*")):
        return
    versions = [file.name.partition(".")[0].partition("_")[0] for file in _versioned(spark)]
    if all(version in ("0", "1") for version in versions):
        shutil.rmtree(spark / "state", ignore_errors=True)


def _versioned(spark: Path) -> Iterator[Path]:
    """Yield the snapshots and changelogs of the state."""
    for suffix in ("zip", "changelog"):
        yield from spark.glob(f"state/**/[0-9]*.{suffix}")


def _schemas(file: Path) -> Iterator[str]:
    """Yield the paths of the schemas that a metadata file names."""
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        try:
            stores: list[dict[str, Any]] = json.loads(line)["stateStoreInfo"]
        except (ValueError, KeyError, TypeError):
            continue  # Skip a damaged line: Spark fails, and names the file.
        for store in stores:
            yield from store.get("stateSchemaFilePaths", ())
