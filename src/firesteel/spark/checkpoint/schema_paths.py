"""Paths in Spark's description of a state, which name the checkpoint's own folder.

Spark writes the absolute path of each state's schema into `state/OPERATOR/_metadata/v2/BATCH`. In a copy, or
after the folder was moved, the path would lead to another folder, or to none.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from firesteel.durability import write_whole
from firesteel.spark.checkpoint.fingerprint import SPARK

_SCHEMAS = "stateSchemaFilePaths"
_INSIDE = re.compile(r".*(/state/\d+/_stateSchema/.*)")
"""Matches the path of a schema. Group 1 is its end, from `/state/` in Spark's folder of the checkpoint on."""


def name_own_schemas(folder: Path, place: Path | None = None) -> None:
    """Make the descriptions of the states name the schemas in their own checkpoint.

    Descriptions of an unknown form are left unchanged.

    Args:
        folder: The statement's folder in a checkpoint on this machine.
        place: Path that the folder will have; None for its present one.

    Raises:
        OSError: A description cannot be read or written.
    """
    spark = f"file:{(place or folder).absolute() / SPARK}"
    for path in (folder / SPARK / "state").glob("[0-9]*/_metadata/v2/*"):
        if not path.name.isdigit():
            continue
        version, _, text = path.read_text(encoding="utf-8").partition("\n")
        try:
            value = json.loads(text)
            changed = [_renamed(store, spark) for store in value["stateStoreInfo"]]
        except (ValueError, KeyError, TypeError):
            continue
        if any(changed):
            write_whole(path, f"{version}\n{json.dumps(value, separators=(',', ':'))}")
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def _renamed(store: dict[str, Any], spark: str) -> bool:
    """Make the paths of a state store's schemas begin with `spark`, Spark's folder of the checkpoint.

    Args:
        store: The store's part of a description of the state. It is changed in place.
        spark: Path of the folder.

    Returns:
        Whether a path has changed.
    """
    before = store.get(_SCHEMAS, [])
    store[_SCHEMAS] = [_INSIDE.sub(lambda found: spark + found[1], path) for path in before]
    return bool(store[_SCHEMAS] != before)
