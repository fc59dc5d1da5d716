"""The folder of what is made once on a machine and kept: class-data archives, compiled kernels."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

UNUSED = 30 * 86_400.0
"""Seconds after which what nobody used is deleted."""


def cache_folder() -> Path:
    """FIRESTEEL_CACHE_DIR, else `firesteel` in the user's cache folder. Raises RuntimeError where there
    is no home."""
    own = os.environ.get("FIRESTEEL_CACHE_DIR")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firesteel"


def forget_unused(folders: Iterable[Path], seconds: float = UNUSED) -> None:
    """Delete folders that were not written to or touched for so long."""
    for folder in folders:
        if time.time() - folder.stat().st_mtime > seconds:
            shutil.rmtree(folder, ignore_errors=True)
