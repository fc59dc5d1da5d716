"""The command `firesteel rescale`: another parallelism for a stopped job."""

from __future__ import annotations

import sys

from firesteel.cli.terminal import escaped


def rescale_checkpoint(checkpoint: str, parallelism: int, options: dict[str, str]) -> int:
    """Change the parallelism of a checkpoint, print what has changed, and return the exit status.

    Args:
        checkpoint: Folder of the checkpoint.
        parallelism: New parallelism.
        options: Configuration options by key.
    """
    from firesteel.cli.progress import ProgressLine
    from firesteel.session.savepoint.savepoints import rescaled

    with ProgressLine():
        statements = rescaled(checkpoint, parallelism, options)
    for statement in statements:
        was = (
            f"has parallelism {statement.after} already"
            if statement.before == statement.after
            else f"parallelism {statement.before} is now {statement.after}"
        )
        line = f"{statement.name}: {was}, max parallelism {statement.max_parallelism}"
        sys.stdout.write(f"{escaped(line)}\n")
    return 0
