"""`firesteel verify`: the verdict of each query of a script."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from firesteel.cli.terminal import lines_escaped
from firesteel.testing.verify.verify import verify_script


def verify_and_tell(
    path: str, *, define: Mapping[str, str], settings: Mapping[str, str], checkpoint: str | None, sink: bool
) -> int:
    """Verify the queries of a script and write their verdicts to stdout.

    Args:
        path: The script.
        define: Values of `${NAME}` in it.
        settings: Options to set, by key.
        checkpoint: Folder of the job's checkpoint, None for all rows of the sources.
        sink: Whether to verify the tables that the script inserts into, not the changes of its queries.

    Returns:
        0 if each query's result agrees with the batch answer over the same input, 1 if one differs.

    Raises:
        FiresteelError: The script is wrong, or a table cannot be read.
    """
    verdicts = verify_script(Path(path), define=define, settings=settings, checkpoint=checkpoint, sink=sink)
    for verdict in verdicts:
        text = f"{verdict.text()}\n"
        sys.stdout.write(lines_escaped(text) if sys.stdout.isatty() else text)
    return int(not all(verdict.is_right for verdict in verdicts))
