"""About, the details of a job besides its plan and counters, for the job's web page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class About:
    """Description of a job that does not change while it runs.

    Attributes:
        graph: Function that returns the graph of the job's chains as JSON values.
        options: Options that are set, as key and value. Secrets are hidden.
        checkpoint: Folder of the checkpoint, None for none.
        statements: Number of INSERTs of a statement set, else 1.
    """

    graph: Callable[[], dict[str, Any]] = dict
    options: tuple[tuple[str, str], ...] = ()
    checkpoint: str | None = None
    statements: int = 1
