"""Telling, once, that a quick way through what Spark keeps to itself is not there, and that the plain one is
taken."""

from __future__ import annotations

import sys
from importlib.metadata import version

_told: set[str] = set()


def tell(what: str, error: BaseException) -> None:
    """One line on stderr, once a process: what is done in its plain way, with which pyspark, and why."""
    if what in _told:
        return
    _told.add(what)
    words = str(error).strip().splitlines() or [type(error).__name__]
    said = f"{what} in the plain way (pyspark {version('pyspark')}): {words[0]}"
    print(said, file=sys.stderr, flush=True)
