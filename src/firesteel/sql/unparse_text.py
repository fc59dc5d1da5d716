"""An expression of a table's definition as Flink shows it: Calcite's spelling, columns in backquotes."""

from __future__ import annotations

from functools import lru_cache

from firesteel.sql.parser import parse_expression
from firesteel.sql.syntax import Identifier, Node, OverWindow
from firesteel.sql.unparse_calls import CallWriter
from firesteel.sql.unparse_types import quoted


@lru_cache(maxsize=1000)
def expression_text(written: str) -> str:
    """The expression of a computed column or a watermark. Raises ParseError."""
    return _ColumnWriter(written).expression(parse_expression(written))


class _ColumnWriter(CallWriter):
    """Knows no tables: columns are written as they are named."""

    def column(self, path: tuple[str, ...]) -> str:
        return ".".join(map(quoted, path))

    def query(self, node: Node) -> str:
        return self.written(node)

    def window(self, node: OverWindow | Identifier) -> str:
        return self.written(node)
