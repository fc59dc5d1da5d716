"""A session of the shell as a page shows it: the command, what is typed, what is printed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_SECONDS = 300


def check_session(parts: Mapping[str, str], folder: Path) -> None:
    """Type a page's session.sql into the command of the page, and compare what it prints.

    Args:
        parts: Blocks of the page by name. The command is the name of the block with its output.
        folder: The folder that the command runs in.
    """
    (typed,) = (name for name in parts if name.startswith("firesteel shell "))
    words = shlex.split(typed)
    assert words[-2:] == ["<", "session.sql"]
    command = [sys.executable, "-m", "firesteel.cli.main", *words[1:-2], "--set", "parallelism.default=1"]
    done = subprocess.run(
        command, cwd=folder, input=parts["session.sql"], capture_output=True, text=True, timeout=_SECONDS,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == parts[typed]
