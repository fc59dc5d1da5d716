"""Rows of a test: from YAML to changes tables, and to the cells that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from firesteel.changelog import KIND, SHORT, ChangelogMode, field
from firesteel.testing.document import Node
from firesteel.testing.values import value_of
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType
from firesteel.types.text import render

OP = "op"
"""Key of the row kind in a row that is written as a mapping."""
Change = tuple[str, ...]
"""Row kind, "" for a row without one, and the cells as Flink's client prints them."""


@dataclass(frozen=True)
class Columns:
    """The columns of a table or a query.

    Attributes:
        what: Name of the table or query, for errors.
        names: Names of the columns.
        types: Types of the columns.
        zone: Time zone of the session.
    """

    what: str
    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    zone: str

    def changes(self, rows: Sequence[Node], mode: ChangelogMode) -> pa.Table:
        """Return input rows as a changes table without sequences. A row without a row kind is an insert.

        `mode` is the changelog mode of the input table.

        Raises:
            TestFileError: A row does not fit the columns, or the changelog mode lacks its row kind.
        """
        kinds = []
        for node in rows:
            kind = self._kind(node) or "+I"
            if not _allows(mode, kind):
                node.fail(f"'{self.what}' sends no {kind}", hint=f"its changelog mode is {mode}")
            kinds.append(SHORT.index(kind))
        table = self._table(rows)
        return table.add_column(0, KIND, pa.array(kinds, pa.int8()))

    def expected(self, rows: Sequence[Node], *, with_kinds: bool) -> list[Change]:
        """Return expected rows as texts: the row kind or "", and the cells as Flink's client prints them.

        Args:
            rows: The rows.
            with_kinds: True if each row must have a row kind, False if no row may have one.

        Raises:
            TestFileError: A row does not fit the columns, or its row kind is missing or not allowed.
        """
        kinds = [self._kind(node) for node in rows]
        for node, kind in zip(rows, kinds, strict=True):
            if with_kinds and kind is None:
                node.fail("a change begins with its row kind: +I, -U, +U or -D")
            if not with_kinds and kind is not None:
                node.fail("a row that is left has no row kind")
        cells = self.cells(self._table(rows))
        return [(kind or "", *row) for kind, row in zip(kinds, cells, strict=True)]

    def got(self, changes: pa.Table) -> list[Change]:
        """Return changes as texts: the row kind, and the cells as Flink's client prints them."""
        kinds = (SHORT[kind] for kind in changes.column(KIND).to_pylist())
        return [(kind, *cells) for kind, cells in zip(kinds, self.cells(changes), strict=True)]

    def cells(self, table: pa.Table) -> list[tuple[str, ...]]:
        """Return the values of each row, as Flink's client prints them."""
        columns = [render(table.column(field(i)), kind, self.zone) for i, kind in enumerate(self.types)]
        return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows

    def _kind(self, node: Node) -> str | None:
        """Return the row kind that a row of the document has; None if the row has no kind.

        In a list, the kind is the first value if there is one value more than columns. In a mapping, it is
        the value of the key `op`, unless a column has this name.

        Raises:
            TestFileError: The text is no row kind.
        """
        if node.kind == "mapping":
            found = [value for key, value in node.pairs("a row") if key.value == OP and OP not in self.names]
            first = found[0] if found else None
        else:
            items = node.items("a row")
            first = items[0] if len(items) == len(self.names) + 1 else None
        if first is None:
            return None
        kind = first.text("a row kind")
        if kind not in SHORT:
            first.fail(
                f"'{kind}' is no row kind",
                hint=f"row kinds are +I, -U, +U and -D; without one, a row of '{self.what}' has "
                f"{len(self.names)} values: {', '.join(self.names)}",
            )
        return kind

    def _values(self, node: Node) -> list[Any]:
        if node.kind == "mapping":
            keys = self.names if OP in self.names else (OP, *self.names)
            members = node.members(f"a row of '{self.what}'", keys)
            cells = [members.get(name) for name in self.names]
        else:
            items = node.items("a row")
            if len(items) not in (len(self.names), len(self.names) + 1):
                node.fail(
                    f"'{self.what}' has {len(self.names)} columns, the row has {len(items)} values",
                    hint=f"the columns are {', '.join(self.names)}; a row kind may come first",
                )
            cells = list(items[-len(self.names) :])
        for cell, name, kind in zip(cells, self.names, self.types, strict=True):
            if cell is None and not kind.nullable:
                node.fail(f"the row has no value for '{name}', which is {kind}")
        pairs = zip(cells, self.types, strict=True)
        return [None if cell is None else value_of(cell, kind, self.zone) for cell, kind in pairs]

    def _table(self, rows: Sequence[Node]) -> pa.Table:
        values = [self._values(node) for node in rows]
        arrays = [pa.array([row[i] for row in values], to_arrow(kind)) for i, kind in enumerate(self.types)]
        return pa.Table.from_arrays(arrays, names=[field(i) for i in range(len(self.types))])


def _allows(mode: ChangelogMode, kind: str) -> bool:
    allowed = (mode.insert, mode.update_before, mode.update_after, mode.delete)
    return allowed[SHORT.index(kind)]
