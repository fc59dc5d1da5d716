"""Loads kernels before they are needed: some hundredths of a second for a process and those that are forked
from it, and once for a machine some seconds of compiling.

python -m firesteel.kernels.warm     compile them all
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from firesteel.kernels.compiler import KERNELS
from firesteel.kernels.objects import kept

MODULES = (
    *("json.scan", "json.values", "json.forms", "json.decimals", "json.numbers"),
    *("changed_rows", "lines", "csv_scan"),
    *("hashing", "groups", "sorting", "running", "extremes", "search", "kafka_messages"),
)
"""Each has a function `warm` that calls its kernels with the types with which they will be called."""


def load_kept() -> Iterator[str]:
    """Load those that were compiled before, one with each step. Nothing is compiled."""
    for module in MODULES:
        import_module(f"firesteel.kernels.{module}")
    for symbol in kept():
        name, _, kinds = symbol.removesuffix(")").partition("(")
        if name in KERNELS:
            KERNELS[name].load_kept(tuple(kinds.split(",")))
            yield name


def compile_all() -> None:
    """Compile all, or load them."""
    for module in MODULES:
        import_module(f"firesteel.kernels.{module}").warm()


if __name__ == "__main__":
    compile_all()
