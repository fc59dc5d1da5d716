"""Temporary environment variables of this process, through which pyspark takes some of its settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def set_variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for a `with` block, and restore the previous values after it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
