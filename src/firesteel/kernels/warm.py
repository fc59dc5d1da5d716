"""Load kernels before they are needed, so that forks of the process have them, too.

Loading takes some hundredths of a second.

`python -m firesteel.kernels.warm` compiles all kernels, on up to four cores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

from firesteel.kernels.compiler import KERNELS
from firesteel.kernels.objects import kept

MODULES = (
    *("json.scan", "json.values", "json.forms", "json.decimals", "json.numbers"),
    *("update_pairs", "text.lines", "text.csv_scan", "text.date_times"),
    *("hashing", "groups", "sorting", "prefix_scan", "extremes", "search", "kafka_messages"),
    *("rank", "rank_updates", "deduplicate", "temporal_join"),
)
"""Modules with a function `warm`. It calls each kernel once for each combination of argument types in use."""
_MOST_PROCESSES = 4


def load_kept() -> Iterator[str]:
    """Load the kernels whose machine code is stored from earlier runs, and compile nothing.

    Yields:
        The name of each kernel after it is loaded.
    """
    for module in MODULES:
        import_module(f"firesteel.kernels.{module}")
    for symbol in kept():
        name, _, kinds = symbol.removesuffix(")").partition("(")
        if name in KERNELS:
            KERNELS[name].load_kept(tuple(kinds.split(",")))
            yield name


def compile_all() -> None:
    """Compile or load all kernels."""
    for module in MODULES:
        compile_module(module)


def compile_module(module: str) -> None:
    """Compile or load the kernels of one of `MODULES`."""
    import_module(f"firesteel.kernels.{module}").warm()


def main() -> None:
    """Compile and store the kernels without stored code, in a process per core, `_MOST_PROCESSES` at most."""
    # Several modules call the same functions, and each process compiles these functions for itself. With more
    # processes, this repeated work would take the time that they save.
    with ProcessPoolExecutor(min(os.cpu_count() or 1, _MOST_PROCESSES)) as pool:
        list(pool.map(compile_module, MODULES))


if __name__ == "__main__":
    main()
