"""Text of expressions in table definitions, as Flink shows them."""

from __future__ import annotations

from functools import lru_cache

from firesteel.sql.parser import parse_expression
from firesteel.sql.syntax import Identifier, Node, OverWindow
from firesteel.sql.unparse_calls import CallWriter
from firesteel.sql.unparse_types import quoted


@lru_cache(maxsize=1000)
def expression_text(written: str) -> str:
    """Return the expression of a computed column or a watermark as Calcite writes it: a+1 is `a` + 1.

    Raises:
        ParseError: The text is not an expression.
    """
    return _ColumnWriter(written).expression(parse_expression(written))


class _ColumnWriter(CallWriter):
    """Writer of expressions that puts column names between backquotes, and adds no table to them.

    It leaves sub-queries and OVER windows as they are written.
    """

    def column(self, path: tuple[str, ...]) -> str:
        return ".".join(map(quoted, path))

    def query(self, node: Node) -> str:
        return self.written(node)

    def window(self, node: OverWindow | Identifier) -> str:
        return self.written(node)
