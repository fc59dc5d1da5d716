"""The two sides of a comparison. Each side is a script, or a checkpoint with the script that it keeps."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import NotSupportedError, UsageError
from firesteel.session.upgrade.kept_secrets import with_secrets
from firesteel.spark.checkpoint.folder import no_checkpoint
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.upgrade.kept_script import FILE, kept_script
from firesteel.sql.variables import substitute
from firesteel.testing.document import Document
from firesteel.testing.script import Script, Target


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        name: Path of the script or the checkpoint.
        script: The script. Its CREATE and SET statements have been run, its queries and INSERTs have not.
        checkpoint: Folder of the checkpoint. Sources are read up to the end of its last micro-batch. None for
            a script: sources are read up to their present end.
    """

    name: str
    script: Script
    checkpoint: str | None

    def targets(self) -> Iterator[tuple[tuple[str, int], Target]]:
        """Yield ((name, n), target) for each query and INSERT of the script (Target).

        The name is the path of the INSERT's table, or `query`. The n-th target of this name has n, from 0.
        """
        seen = Counter[str]()
        for target in self.script.targets:
            yield (target.name, seen[target.name]), target
            seen[target.name] += 1


def script_side(path: Path, define: Mapping[str, str], settings: Mapping[str, str]) -> tuple[Side, str]:
    """Return a script as a side, and its text with `${NAME}` replaced by values.

    Raises:
        UsageError: The script has no query and no INSERT, or cannot be read.
        FiresteelError: The script is wrong.
    """
    text = substitute(Document.read(path).text, define, os.environ)
    script = Script.load(str(path), text, str(path.absolute().parent), settings, default_zone=None)
    return _with_targets(Side(str(path), script, None)), text


def checkpoint_side(folder: str, settings: Mapping[str, str], other: str | None) -> Side:
    """Return the script that a checkpoint keeps as a side.

    Args:
        folder: The checkpoint.
        settings: Options to set, by key.
        other: The other side's script, None for none. Its tables give their secrets, which a checkpoint does
            not keep, to tables of the same name.

    Raises:
        UsageError: The folder is no checkpoint that keeps a script, or the script has no query and no INSERT.
        NotSupportedError: The folder is not on a local file system.
        FiresteelError: The script is wrong.
    """
    local = local_folder(folder)
    if local is None:
        raise NotSupportedError(f"the comparison of a checkpoint on another file system ({folder})")
    if not local.is_dir():
        raise no_checkpoint(folder)
    found = sorted(local.glob(f"*/{FILE}"), key=lambda file: file.stat().st_mtime)
    kept = kept_script(found[-1].parent) if found else None
    if kept is None:
        raise UsageError(
            f"{folder} is no checkpoint that keeps its script",
            hint="name the folder given as --checkpoint to `firesteel run`",
        )
    text = kept.text if other is None else with_secrets(kept.text, other)
    options = {**kept.options, **settings}
    script = Script.load(folder, text, kept.functions_folder, options, default_zone=None)
    return _with_targets(Side(folder, script, folder))


def _with_targets(side: Side) -> Side:
    if not side.script.targets:
        raise UsageError(f"{side.name} has no query and no INSERT")
    return side
