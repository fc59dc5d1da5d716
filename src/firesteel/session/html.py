"""HTML of tables and results, for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from firesteel.plan.tree import Field

_SECTION = re.compile(r"^== (.+) ==$", re.MULTILINE)
"""Heading of a section of EXPLAIN."""


def html_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of texts with a heading."""
    body = "".join(_row("td", row) for row in rows)
    return f"<table><thead>{_row('th', names)}</thead><tbody>{body}</tbody></table>"


def html_schema(schema: Sequence[Field], caption: str) -> str:
    """Return a caption and a table of columns and their types, as HTML."""
    table = html_table(("column", "type"), [(column.name, str(column.type)) for column in schema])
    return f"<div>{escape(caption)}</div>{table}"


def html_plan(text: str) -> str:
    """Return the plans of EXPLAIN as HTML. Sections can be folded. A text without sections is one block."""
    head, *sections = _SECTION.split(text)
    if not sections:
        return f"<pre>{escape(text)}</pre>"
    folded = "".join(
        f"<details open><summary>{escape(title)}</summary><pre>{escape(body.strip())}</pre></details>"
        for title, body in zip(sections[::2], sections[1::2], strict=True)
    )
    return f"<pre>{escape(head.strip())}</pre>{folded}" if head.strip() else folded


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
