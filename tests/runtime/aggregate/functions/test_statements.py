"""Bodies of functions become statements over the parts of a row handler, also from an archive."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from firesteel.runtime.aggregate.functions.statements import statements


def _added(total: int, found: list[int], x: int, step: int) -> int:
    """A docstring is left out."""
    each = x + step
    for each in found:
        # A comment stays.
        if each == step:
            total += each
    return total


def test_names_are_those_of_the_handler() -> None:
    text = statements(_added, step="x2").splitlines()
    assert text == [
        "_each = {x} + x2",
        "for _each in {found}:",
        "    # A comment stays.",
        "    if _each == x2:",
        "        {total} += _each",
    ]


def test_functions_of_an_archive_are_read(tmp_path: Path) -> None:
    package = "from firesteel.runtime.aggregate.functions.statements import statements\n"
    with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("shipped.py", package + "def add(total, x):\n    total += x\n    return total\n")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import shipped; print(shipped.statements(shipped.add))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "code.zip")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{total} += {x}"
