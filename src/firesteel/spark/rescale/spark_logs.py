"""Change of the number of partitions in Spark's own files, which Spark reads when a query continues.

Depends on private behaviour of Spark: the format of these files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_PARTITIONS = "spark.sql.shuffle.partitions"


def offsets_with_partitions(text: str, partitions: int) -> str:
    """Return the content of an offsets file with another number of shuffle partitions."""
    version, metadata, *offsets = text.splitlines()
    value = json.loads(metadata)
    value.setdefault("conf", {})[_PARTITIONS] = str(partitions)
    return "\n".join((version, json.dumps(value, separators=(",", ":")), *offsets))


def set_partitions(operator: Path, partitions: int) -> None:
    """Set the number of partitions in the descriptions of an operator's state.

    Args:
        operator: Folder of the operator's state.
        partitions: The number.
    """
    for path in operator.glob("_metadata/**/*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            path.write_text(
                re.sub(r'("numPartitions" *: *)\d+', rf"\g<1>{partitions}", text), encoding="utf-8"
            )
