"""Loads kernels before they are needed: a tenth of a second in each process, and once for a machine
some seconds of compiling.

python -m firesteel.kernels.warm     compile them all
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from firesteel.kernels.compiler import is_kept

MODULES = (
    *("json_scan", "json_values", "json_forms", "json_decimals", "changed_rows", "lines", "csv_scan"),
    *("hashing", "groups", "sorting", "running", "extremes", "search", "kafka_messages"),
)
"""In the order in which jobs need them. Each has a function `warm` that calls its kernels with the types
with which they will be called."""


def load_kept() -> Iterator[str]:
    """Load those that were compiled before, one with each step."""
    for module in MODULES:
        if is_kept(module):
            _warm(module)
            yield module


def compile_all() -> None:
    """Compile all, or load them."""
    for module in MODULES:
        _warm(module)


def _warm(module: str) -> None:
    import_module(f"firesteel.kernels.{module}").warm()


if __name__ == "__main__":
    compile_all()
