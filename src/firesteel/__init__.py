"""Flink SQL's continuous queries, with retraction, on Apache Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firesteel.changelog import RowKind
    from firesteel.errors import FiresteelError
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.result import Row, TableResult
    from firesteel.session.table import StatementSet, Table

__version__ = "0.2.0"

_HOMES = {
    "FiresteelError": "firesteel.errors",
    "Row": "firesteel.session.result",
    "RowKind": "firesteel.changelog",
    "StatementSet": "firesteel.session.table",
    "Table": "firesteel.session.table",
    "TableEnvironment": "firesteel.session.environment",
    "TableResult": "firesteel.session.result",
}

__all__ = [
    "FiresteelError",
    "Row",
    "RowKind",
    "StatementSet",
    "Table",
    "TableEnvironment",
    "TableResult",
    "__version__",
]


def __dir__() -> list[str]:
    """Return the public names, for `dir` and completion."""
    return list(__all__)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that workers load only the modules that they need."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'firesteel' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
