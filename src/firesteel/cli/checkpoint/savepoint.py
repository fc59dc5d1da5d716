"""The command `firesteel savepoint`: a consistent copy of a checkpoint."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from firesteel.cli.script import read_script, with_values
from firesteel.cli.terminal import escaped
from firesteel.errors import UsageError
from firesteel.session.launch import CHECKPOINT


def checkpoint_of(job: str, variables: Mapping[str, str], options: Mapping[str, str]) -> str:
    """Return the checkpoint's folder that an argument names.

    Args:
        job: The folder, or a script.
        variables: Values of the script's variables.
        options: Configuration options by key, which a script may set, too.

    Raises:
        UsageError: Neither the script nor an option sets a checkpoint.
    """
    if not Path(job).is_file():
        return job
    from firesteel.sql.parser import parse_script
    from firesteel.sql.statements import SetOption

    found = options.get(CHECKPOINT)
    for statement in parse_script(with_values(read_script(job), variables)):
        if isinstance(statement, SetOption) and statement.key == CHECKPOINT:
            found = statement.value
    if found is None:
        raise UsageError(
            f"the script {job} does not set '{CHECKPOINT}'",
            hint="name the folder given as --checkpoint in its place",
        )
    return found


def save(checkpoint: str, target: str, options: dict[str, str]) -> int:
    """Write a savepoint, print micro-batch and size of each statement in it, and return the exit status.

    Args:
        checkpoint: Folder of the checkpoint.
        target: Folder of the savepoint.
        options: Configuration options by key.
    """
    from firesteel.cli.progress import ProgressLine
    from firesteel.session.savepoint.savepoints import savepoint

    with ProgressLine():
        saved = savepoint(checkpoint, target, options)
    for statement in saved:
        at = "before its first micro-batch" if statement.batch < 0 else f"after micro-batch {statement.batch}"
        sys.stdout.write(escaped(f"{statement.name or target}: {at}, {_shown(statement.size)}") + "\n")
    sys.stdout.write(escaped(f"Savepoint {target} is complete.") + "\n")
    return 0


def _shown(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{size / 1e3:.1f} kB"
