"""The folder of what is made once on a machine and kept: class-data archives, compiled kernels."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """FIRESTEEL_CACHE_DIR, else `firesteel` in the user's cache folder. Raises RuntimeError where there
    is no home."""
    own = os.environ.get("FIRESTEEL_CACHE_DIR")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firesteel"
