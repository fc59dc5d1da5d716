"""Bytecode for the modules in a zip.

If a zip has only sources, Python compiles each module again in each process that imports it.
"""

from __future__ import annotations

from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path

_HEADER_BYTES = 16
_BY_TIME, _BY_HASH_UNCHECKED = 0, 1
"""Flags in a .pyc. With 0, Python compares the .pyc with its source's time and size. With 1, it does not."""


def kept_bytecode(source: Path) -> bytes | None:
    """Return a module's cached bytecode as the content of a .pyc; None if the cache has none or an old one.

    Python does not compare the returned .pyc with its source, because a zip has local times in steps of two
    seconds. A Python of another version ignores the .pyc and compiles the source.

    Args:
        source: File of the module.
    """
    try:
        kept = Path(cache_from_source(str(source))).read_bytes()
        status, text = source.stat(), source.read_bytes()
    except OSError:
        return None
    of_source = _word(_BY_TIME) + _word(int(status.st_mtime)) + _word(status.st_size)
    if kept[:_HEADER_BYTES] != MAGIC_NUMBER + of_source:
        return None
    return MAGIC_NUMBER + _word(_BY_HASH_UNCHECKED) + source_hash(text) + kept[_HEADER_BYTES:]


def _word(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")
