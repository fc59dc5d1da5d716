"""Loads kernels before they are needed: a tenth of a second in each process, and once for a machine
some seconds of compiling.

python -m firesteel.kernels.warm     compile them all
"""

from __future__ import annotations

from importlib import import_module

from firesteel.kernels.compiler import is_kept

MODULES = (
    "changed_rows", "extremes", "hashing", "json_scan", "json_values", "lines", "running", "search",
    "sorting",
)  # fmt: skip
"""Each has a function `warm` that calls its kernels with the types with which they will be called."""


def load_kept() -> None:
    """Load those that were compiled before."""
    for module in MODULES:
        if is_kept(module):
            _warm(module)


def compile_all() -> None:
    """Compile all, or load them."""
    for module in MODULES:
        _warm(module)


def _warm(module: str) -> None:
    import_module(f"firesteel.kernels.{module}").warm()


if __name__ == "__main__":
    compile_all()
