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
    """Look up each row in a table as it is now (Flink: StreamPhysicalLookupJoin).

    Attributes:
        input: The rows.
        table: The table. Above its scan there may be a projection and a filter.
        join_type: INNER, or LEFT: a row without partners is padded.
        condition: Over the columns of the input, then those of the table.
        pushed: Conditions over the scan's columns that the table's source decides. Plans do not show them.
        hint: The hint LOOKUP about the table.
        upsert_materialize: Whether the results of each row are kept, so that a retraction takes back what was
            sent.
        input_keys: Upsert keys of the input, for the plan's text (rules/changelog/note_lookup_keys.py).
        row_key: Columns that tell rows of the input apart. A processing time does not.
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
        """The scan of the table."""
        below = self.table.input if isinstance(self.table, Calc) else self.table
        assert isinstance(below, TableSourceScan)
        return below

    @property
    def calc(self) -> Calc | None:
        """Projection and filter over the table's columns."""
        return self.table if isinstance(self.table, Calc) else None

    @property
    def equal_columns(self) -> EqualColumns:
        """Return the columns that the condition holds equal."""
        return equal_columns(self.condition, len(self.input.schema))

    @property
    def lookup_keys(self) -> dict[int, Expr]:
        """By position in the scan's columns, what a column has to be: a column of the input or a constant.

        A column of two values has the last one. The condition holds the other one.
        """
        shown = () if self.calc is None else conjuncts(self.calc.condition)
        return in_scala_order({**_constants(shown), **self._fields()})

    @property
    def asked(self) -> dict[int, Expr]:
        """The lookup keys, and the constants that the pushed conditions hold columns to."""
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
        """Return the scan's column that a column of the table shows as it is, None for a computed one."""
        if self.calc is None:
            return position
        expr = self.calc.exprs[position]
        while isinstance(expr, Call) and expr.function == "CAST" and expr.type.same_as(expr.args[0].type):
            expr = expr.args[0]
        return expr.index if isinstance(expr, InputRef) else None

    @property
    def remaining(self) -> tuple[Expr, ...]:
        """Return the part of the condition beside the lookup keys, over the columns of the join."""
        width, equal = len(self.input.schema), self.equal_columns
        keys = {expr.index for expr in self.lookup_keys.values() if isinstance(expr, InputRef)}
        pairs = zip(equal.left, equal.right, strict=True)
        return (*(self._equality(one, width + other) for one, other in pairs if one not in keys), *equal.rest)

    @property
    def remaining_of_input(self) -> tuple[Expr, ...]:
        """Terms of `remaining` that the input alone decides: other rows are not looked up."""
        width = len(self.input.schema)
        return tuple(term for term in self.remaining if all(i < width for i in input_refs(term)))

    @property
    def unshown(self) -> str:
        """What tells two lookup joins apart and plans do not show."""
        return repr((self.scan.table.hints, self.pushed))

    def _equality(self, left: int, right: int) -> Expr:
        columns = (*self.input.schema, *self.table.schema)
        refs = tuple(InputRef(i, columns[i].type) for i in (left, right))
        return Call("=", refs, BOOLEAN.with_nullable(any(ref.type.nullable for ref in refs)))


def _constants(terms: Iterable[Expr]) -> dict[int, Expr]:
    """The columns that conditions hold to a constant."""
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
    """Return entries in the order of an immutable Map of Scala 2.12: as added, by hash from five on."""
    if len(keys) < 5:
        return keys
    return dict(sorted(keys.items(), key=lambda entry: _trie_path(entry[0])))


def _trie_path(number: int) -> tuple[int, ...]:
    """The digits by which a trie finds a whole number: five bits of its hash each, the lowest first."""
    mixed = (number + ~(number << 9)) & 0xFFFFFFFF
    mixed ^= mixed >> 14
    mixed = (mixed + (mixed << 4)) & 0xFFFFFFFF
    mixed ^= mixed >> 10
    return tuple(mixed >> shift & 31 for shift in range(0, 32, 5))
