"""Positions of SQL errors in the YAML file that contains the SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from firesteel.errors import FiresteelError, SourceRange
from firesteel.testing.document import Node


def show_in_document(error: FiresteelError, nodes: Iterable[Node]) -> None:
    """Change an error's position in a SQL text to its position in the document that contains the text.

    A text in quotes or in a folded block (`>`) has other characters than the document. An error in it keeps
    its line and column within the text.

    Args:
        error: The error. Its attribute `sql` is the SQL text, and its attribute `range` is a range of this
            text. They become the document's text and a range of the document. If one of them is None, the
            error stays as it is.
        nodes: Values of a document that contain SQL.
    """
    if error.range is None or error.sql is None:
        return
    for node in nodes:
        start = _position(node, error.sql, error.range)
        if start is not None:
            length = error.range.end - error.range.start
            error.range, error.sql = SourceRange(start, start + length), node.document.text
            return


@contextmanager
def shown_in_document(nodes: Iterable[Node]) -> Iterator[None]:
    """Change the positions of errors that the `with` block raises, as `show_in_document` does."""
    try:
        yield
    except FiresteelError as error:
        show_in_document(error, nodes)
        raise


def _position(node: Node, sql: str, place: SourceRange) -> int | None:
    """Return the offset in the document at which a range of a SQL text begins.

    Return None if the document writes the SQL text with other characters (in quotes, or in a folded block),
    or if `node` has another number of lines. A block (`|`) with as many lines is taken as the SQL text.

    Args:
        node: A value of the document that has the SQL text, perhaps with variables `${NAME}`.
        sql: The SQL text, with values in place of the variables. In a line with a variable, the offset of the
            result is approximate.
        place: Range in the SQL text.
    """
    if not isinstance(node.value, str) or sql.count("\n") != node.value.count("\n"):
        return None
    text = node.document.text
    if text[node.range.start : node.range.end] == sql:
        return node.range.start + place.start
    if not text.startswith("|", node.range.start):
        return None
    line, column = place.line_and_column(sql)
    row = node.line + line - 1
    lines = text.split("\n")
    value_line = node.value.split("\n")[line - 1]
    if row >= len(lines) or not lines[row].endswith(value_line):
        return None
    indent = len(lines[row]) - len(value_line)
    return sum(len(each) + 1 for each in lines[:row]) + indent + min(column - 1, len(value_line))
