"""Physical node of lookup joins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.plan.expressions.operations import conjuncts, input_refs
from firesteel.plan.nodes.join.join_type import EqualColumns, JoinType, equal_columns, join_fields
from firesteel.plan.nodes.physical import Calc, TableSourceScan
from firesteel.plan.nodes.temporal.lookup_hint import LookupHint
from firesteel.plan.tree import Field, Node, PhysicalNode
from firesteel.types.sql import BOOLEAN


@dataclass(frozen=True)
class LookupJoin(PhysicalNode):
    """Look up each row in the current rows of a table (Flink: StreamPhysicalLookupJoin).

    Attributes:
        input: The rows.
        table: The table. A projection and a filter may be above its scan.
        join_type: INNER, or LEFT: a row without partners is padded.
        condition: Condition over the columns of the input, then of the table.
        pushed: Conditions over the scan's columns that the table's source evaluates. Plans do not show them.
        hint: LOOKUP hint for the table.
        upsert_materialize: Whether the results of each input row are stored, so that its retraction removes
            exactly the rows that were sent.
        input_keys: Upsert keys of the input (rules/changelog/note_lookup_keys.py), which plans show. If the
            input sends updates without -U, one of them is the key of the stored results.
        row_key: All columns of the input but processing times. If the input sends inserts only or updates
            with -U, they are the key of the stored results.
    """

    input: Node
    table: Calc | TableSourceScan
    join_type: JoinType
    condition: Expr
    pushed: tuple[Expr, ...] = ()
    hint: LookupHint | None = None
    upsert_materialize: bool = False
    input_keys: tuple[tuple[int, ...], ...] = ()
    row_key: tuple[int, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        return join_fields(self.input.schema, self.table.schema, self.join_type)

    @property
    def scan(self) -> TableSourceScan:
        """Scan of the table."""
        below = self.table.input if isinstance(self.table, Calc) else self.table
        assert isinstance(below, TableSourceScan)
        return below

    @property
    def calc(self) -> Calc | None:
        """Projection and filter over the table's columns, None if there is none."""
        return self.table if isinstance(self.table, Calc) else None

    @property
    def equal_columns(self) -> EqualColumns:
        """Return the columns that the condition requires to be equal."""
        return equal_columns(self.condition, len(self.input.schema))

    @property
    def lookup_keys(self) -> dict[int, Expr]:
        """Columns of the table to look up: position in the scan, and the input column or constant to find.

        If two equalities of the condition name the same column of the table, the input column of the later
        equality is looked up. The earlier equality is in `remaining`.
        """
        shown = () if self.calc is None else conjuncts(self.calc.condition)
        return in_scala_order({**_constants(shown), **self._fields()})

    @property
    def asked(self) -> dict[int, Expr]:
        """The `lookup_keys`, and the columns that `pushed` conditions equate with a constant.

        Each is the position in the scan, and the input's column or the constant.
        """
        return {**_constants(self.pushed), **self.lookup_keys}

    def _fields(self) -> dict[int, Expr]:
        equal, columns = self.equal_columns, self.input.schema
        found: dict[int, Expr] = {}
        for left, right in zip(equal.left, equal.right, strict=True):
            position = self.shown_column(right)
            if position is not None:
                found[position] = InputRef(left, columns[left].type)
        return found

    def shown_column(self, position: int) -> int | None:
        """Return the position in `scan` of the column at `position` in the columns of `table`.

        None if `calc`, the projection above the scan, computes the column. A cast that changes only
        nullability does not count as a computation.
        """
        if self.calc is None:
            return position
        expr = self.calc.exprs[position]
        while isinstance(expr, Call) and expr.function == "CAST" and expr.type.same_as(expr.args[0].type):
            expr = expr.args[0]
        return expr.index if isinstance(expr, InputRef) else None

    @property
    def remaining(self) -> tuple[Expr, ...]:
        """Return the condition without the lookup keys, over the columns of the join."""
        width, equal = len(self.input.schema), self.equal_columns
        keys = {expr.index for expr in self.lookup_keys.values() if isinstance(expr, InputRef)}
        pairs = zip(equal.left, equal.right, strict=True)
        return (*(self._equality(one, width + other) for one, other in pairs if one not in keys), *equal.rest)

    @property
    def remaining_of_input(self) -> tuple[Expr, ...]:
        """Terms of `remaining` over the input alone. Rows that do not satisfy them are not looked up."""
        width = len(self.input.schema)
        return tuple(term for term in self.remaining if all(i < width for i in input_refs(term)))

    @property
    def unshown(self) -> str:
        """Text of the table's hints and the pushed conditions, which plans do not show.

        Two joins with equal lines in the plan compute the same only if these texts are equal, too.
        """
        return repr((self.scan.table.hints, self.pushed))

    def _equality(self, left: int, right: int) -> Expr:
        columns = (*self.input.schema, *self.table.schema)
        refs = tuple(InputRef(i, columns[i].type) for i in (left, right))
        return Call("=", refs, BOOLEAN.with_nullable(any(ref.type.nullable for ref in refs)))


def _constants(terms: Iterable[Expr]) -> dict[int, Expr]:
    """Return the constant of each condition `column = constant`, by the position of the column."""
    found: dict[int, Expr] = {}
    for term in terms:
        if isinstance(term, Call) and term.function == "=":
            one, other = term.args
            if isinstance(one, Literal):
                one, other = other, one
            if isinstance(one, InputRef) and isinstance(other, Literal):
                found[one.index] = other
    return found


def in_scala_order(keys: dict[int, Expr]) -> dict[int, Expr]:
    """Return entries in the order of Scala 2.12's immutable Map: as added, from five entries on by hash."""
    if len(keys) < 5:
        return keys
    return dict(sorted(keys.items(), key=lambda entry: _trie_path(entry[0])))


def _trie_path(number: int) -> tuple[int, ...]:
    """Return the path of an integer key in the hash trie of Scala's immutable Map.

    It has five bits of the key's hash for each level, lowest bits first.
    """
    mixed = (number + ~(number << 9)) & 0xFFFFFFFF
    mixed ^= mixed >> 14
    mixed = (mixed + (mixed << 4)) & 0xFFFFFFFF
    mixed ^= mixed >> 10
    return tuple(mixed >> shift & 31 for shift in range(0, 32, 5))
