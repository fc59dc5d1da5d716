"""Bytecode of modules in a zip.

Without it, Python compiles each module again in each process that imports it.
"""

from __future__ import annotations

from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path

_HEADER_BYTES = 16
_BY_TIME, _BY_HASH_UNCHECKED = 0, 1
"""Flags of a .pyc: how it is compared with its source."""


def kept_bytecode(source: Path) -> bytes | None:
    """Return the bytecode that this Python has kept of a module, as the content of a .pyc. None without any.

    The .pyc is valid whatever time its source has, since a zip keeps local times, to two seconds. A Python of
    another version ignores it and compiles the source.

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
