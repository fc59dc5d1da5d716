"""`firesteel diff-flink`: the verdict on each statement of a script."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from firesteel.cli.script import folder_of, read_script, with_values
from firesteel.cli.terminal import lines_escaped
from firesteel.notices import say
from firesteel.sensitive import without_secrets
from firesteel.testing.flink.diff import compare_with_flink
from firesteel.testing.flink.python_environment import VERSION, flink_python

_CLEAR = "\r\x1b[K"
"""Returns to the start of the line and clears it."""


def diff_flink_and_tell(
    path: str,
    *,
    define: Mapping[str, str],
    settings: Mapping[str, str],
    python: str | None,
    version: str | None,
    jars: Sequence[str],
    with_plans: bool,
) -> int:
    """Compare a script with Flink and write the verdicts to stdout.

    Args:
        path: The script.
        define: Values of `${NAME}` in it.
        settings: Options to set, by key.
        python: Path of a Python with the package apache-flink, None for one in the cache folder.
        version: Version of Flink in the cache folder, None for the one that Firesteel follows.
        jars: Paths of jars for Flink.
        with_plans: Whether a statement whose plans differ counts as different.

    Returns:
        0 if all statements agree, 1 if one does not.

    Raises:
        FiresteelError: The script cannot be read, or Flink cannot run.
    """
    text = with_values(read_script(path), define)
    flink = flink_python(python, version)
    try:
        found = compare_with_flink(
            text,
            name="the script" if path == "-" else Path(path).name,
            modules=folder_of(path),
            options=settings,
            python=flink,
            jars=jars,
            with_plans=with_plans,
            watch=_tell if sys.stderr.isatty() else None,
        )
    finally:
        if sys.stderr.isatty():
            sys.stderr.write(_CLEAR)
    if _minor(found.version) != _minor(VERSION):
        say(f"This is Flink {found.version}. Firesteel follows Flink {_minor(VERSION)}.")
    for verdict in found.verdicts:
        _write(without_secrets("".join(f"{line}\n" for line in verdict.lines()), text))
    counts = Counter(verdict.outcome.value for verdict in found.verdicts)
    total = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    _write(f"Flink {found.version}: {total}\n")
    return int(not found.agrees)


def _tell(answered: int, total: int) -> None:
    """Write the progress of Flink's process, which may take minutes.

    Args:
        answered: Number of requests that Flink has answered. A request runs a statement, or asks for its
            plans or rows.
        total: Number of all requests.
    """
    step = f"{answered} of {total} requests" if answered else "starts"
    sys.stderr.write(f"{_CLEAR}Flink: {step}")
    sys.stderr.flush()


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _write(text: str) -> None:
    sys.stdout.write(lines_escaped(text) if sys.stdout.isatty() else text)
