"""`firesteel diff`: the difference of two scripts, or of two runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from firesteel.cli.terminal import lines_escaped
from firesteel.testing.diff.diff import diff


def diff_and_tell(
    scripts: Sequence[str],
    checkpoints: Sequence[str],
    *,
    define: Mapping[str, str],
    settings: Mapping[str, str],
) -> int:
    """Compare two sides and write the differences to stdout.

    Args:
        scripts: Paths of scripts: two, one if `checkpoints` has one folder, none if it has two.
        checkpoints: Folders of checkpoints. A checkpoint stands for its run's script and input.
        define: Values of `${NAME}` in the scripts.
        settings: Options to set, by key.

    Raises:
        FiresteelError: Scripts and checkpoints are not two together, a script is wrong, or a source cannot be
            read.

    Returns:
        0 if all plans and rows are the same, 1 if not.
    """
    found = diff(scripts, checkpoints, define=define, settings=settings)
    text = "".join(f"{line}\n" for line in found.lines())
    sys.stdout.write(lines_escaped(text) if sys.stdout.isatty() else text)
    return int(not found.is_same)
