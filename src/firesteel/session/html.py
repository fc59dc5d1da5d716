"""HTML of tables and results, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from firesteel.plan.tree import Field


def html_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of texts with a heading."""
    body = "".join(_row("td", row) for row in rows)
    return f"<table><thead>{_row('th', names)}</thead><tbody>{body}</tbody></table>"


def html_schema(schema: Sequence[Field], caption: str) -> str:
    """Return a caption and a table of columns and their types, as HTML."""
    table = html_table(("column", "type"), [(column.name, str(column.type)) for column in schema])
    return f"<div>{escape(caption)}</div>{table}"


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
