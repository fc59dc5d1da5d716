"""Messages of CDC tools that are not changes of rows: DDL, heartbeats, marks of transactions and snapshots.

As Flink's formats do, they end the job. The error says what the message is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.json_parser import parse_tree

_SHOWN = 1000
"""Maximum number of characters of a message that an error quotes."""
_STATEMENT = 300
"""Maximum number of characters of a DDL statement that an error quotes."""


class ControlMessage(BadMessage):
    """A message that the tool sends beside the changes of rows."""


def quoted(message: bytes, most: int = _SHOWN) -> str:
    """Return the beginning of a message, and how long it is if that is not all."""
    text = message.decode("utf-8", "replace")
    return text if len(text) <= most else f"{text[:most]}... ({len(message)} bytes)"


def explained(title: str, message: bytes, error: Exception) -> Exception:
    """Return the error for a message that has no row.

    Args:
        title: The tool: Canal, Debezium, Maxwell or Ogg.
        message: The message.
        error: Why the format does not read it.

    Returns:
        A ControlMessage if the tool sends such messages beside changes, else `error`.
    """
    describe = _TOOLS.get(title)
    try:
        root = parse_tree(message)
    except (BadMessage, ValueError):
        return error
    if describe is None or not isinstance(root, dict):
        return error
    inner = root.get("payload")
    found = describe(inner if isinstance(inner, dict) else root)
    return error if found is None else ControlMessage(f"It is {found}, no change of a row: {error}")


def _canal(root: Mapping[str, Any]) -> str | None:
    if root.get("isDdl") is True:
        return _ddl(root.get("database"), root.get("table"), root.get("sql"))
    kind = root.get("type")
    return f"a {kind} statement" if kind in ("QUERY", "TRUNCATE", "ROLLBACK") else None


def _debezium(root: Mapping[str, Any]) -> str | None:
    if "ddl" in root or "tableChanges" in root:
        source = root.get("source")
        table = source.get("table") if isinstance(source, dict) else None
        return _ddl(root.get("databaseName"), table, root.get("ddl"))
    if root.get("op") == "t":
        source = root.get("source")
        of = source if isinstance(source, dict) else {}
        return f"a TRUNCATE of {_named(of.get('db'), of.get('table'))}"
    if root.get("op") == "m":
        return "a logical decoding message"
    if root.get("status") in ("BEGIN", "END"):
        return f"the {root['status']} of a transaction"
    return "a heartbeat" if set(root) <= {"ts_ms", "ts_us", "ts_ns"} and root else None


def _maxwell(root: Mapping[str, Any]) -> str | None:
    kind = _text(root.get("type"))
    if kind.startswith(("table-", "database-")):
        return _ddl(root.get("database"), root.get("table"), root.get("sql"))
    if kind.startswith("bootstrap-"):
        return f"a mark of a bootstrap ({kind})"
    return "a heartbeat" if kind == "heartbeat" else None


def _ogg(root: Mapping[str, Any]) -> str | None:
    if root.get("op_type") == "T":
        return f"a TRUNCATE of {_named(None, root.get('table'))}"
    if "ddl" in root or root.get("op_type") == "DDL":
        return _ddl(None, root.get("table"), root.get("ddl"))
    return "a schema" if "$schema" in root else None


_TOOLS: dict[str, Callable[[Mapping[str, Any]], str | None]] = {
    "Canal": _canal,
    "Debezium": _debezium,
    "Maxwell": _maxwell,
    "Ogg": _ogg,
}


def _ddl(database: Any, table: Any, statement: Any) -> str:
    text = _text(statement).strip()
    said = f": {quoted(text.encode('utf-8', 'replace'), _STATEMENT)}" if text else ""
    return f"DDL of {_named(database, table)}{said}"


def _named(database: Any, table: Any) -> str:
    names = [name for name in map(_text, (database, table)) if name]
    if not names:
        return "a table"
    return f"{'table' if _text(table) else 'database'} {'.'.join(names)}"


def _text(value: Any) -> str:
    """Return the value if it is a text, else "".

    The function avoids str(), which raises RecursionError for a deeply nested object.
    """
    return value if isinstance(value, str) else ""
