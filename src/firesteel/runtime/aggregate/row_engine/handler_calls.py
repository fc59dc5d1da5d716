"""Aggregate calls of a row handler, each as blocks of Python text.

In the text, field `sum` of call 2 is `sum2`. Its counterpart of a merged accumulator is `other_sum2`. Input
field 3 is `x3`, and `k3` in key form if that differs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    Argument,
    Declared,
    Expression,
    Field,
    HandWritten,
    MapView,
    Other,
)
from firesteel.runtime.aggregate.functions.registry import declare
from firesteel.runtime.aggregate.row_engine.handler_code import assignments, expression
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.internal_values import has_key_form


@dataclass(frozen=True)
class Block:
    """Statements that run if all conditions hold."""

    conditions: tuple[str, ...]
    body: str


@dataclass(frozen=True)
class Slot:
    """One part of the handler's accumulator.

    Attributes:
        name: Name in the handler's generated text.
        kind: Field or map view.
        argument: For a map view, the input field whose values are the map keys that a batch needs. None if a
            batch needs all entries.
        call: Number of its aggregate call. -1 for the values that DISTINCT calls have seen.
    """

    name: str
    kind: AccumulatorField | MapView
    argument: int | None = None
    call: int = -1


@dataclass(frozen=True)
class Call:
    """Aggregate call `index` of the query, with the names of its argument in the generated code."""

    index: int
    spec: AggregateSpec
    aggregate: Aggregate
    argument: str
    key: str

    @classmethod
    def of(cls, index: int, spec: AggregateSpec) -> Call:
        """Return call number `index`, whose arguments are fields of the input."""
        argument = f"x{spec.args[0]}" if spec.args else ""
        keyed = bool(spec.args) and has_key_form(spec.arg_types[0])
        return cls(index, spec, declare(spec), argument, f"k{spec.args[0]}" if keyed else argument)

    @property
    def slots(self) -> tuple[Slot, ...]:
        fields = (Slot(f"{part.name}{self.index}", part, call=self.index) for part in self.aggregate.fields)
        views = (
            Slot(
                f"{part.name}{self.index}",
                part,
                None if part.ordered or part.whole else self.spec.args[0],
                self.index,
            )
            for part in self.aggregate.views
        )
        return (*fields, *views)

    @property
    def functions(self) -> tuple[tuple[str, Callable[..., Any]], ...]:
        """Return the functions that the statements call, by their names in the text."""
        mine = self.aggregate.functions if isinstance(self.aggregate, HandWritten) else ()
        return tuple((f"{name}{self.index}", function) for name, function in mine)

    @property
    def distinct_together(self) -> bool:
        """Return whether the call has DISTINCT, and rows are distinct by all arguments, not only the first.

        False if the first argument decides alone: the others are the same in every row, as the separator of
        LISTAGG is.
        """
        constants = len(self.aggregate.constants) if isinstance(self.aggregate, HandWritten) else 0
        return self.spec.distinct and len(self.spec.args) - 1 > constants

    @property
    def keys(self) -> list[str]:
        """Return the names of all arguments in key form."""
        arguments = zip(self.spec.args, self.spec.arg_types, strict=True)
        return [f"{'k' if has_key_form(kind) else 'x'}{position}" for position, kind in arguments]

    @property
    def filter(self) -> tuple[str, ...]:
        """Return the condition of FILTER as Python text in a tuple, () without FILTER."""
        return () if self.spec.filter is None else (f"x{self.spec.filter}",)

    @property
    def not_null(self) -> tuple[str, ...]:
        """Return the Python condition that the argument is not NULL, in a tuple. () if NULLs need no test."""
        return () if self.aggregate.takes_nulls or not self.argument else (f"{self.argument} is not None",)

    def accumulate(self) -> str:
        """Return the statements for an added row."""
        aggregate = self.aggregate
        if isinstance(aggregate, Declared):
            return assignments(aggregate.accumulate, self._name)
        return self._fill(aggregate.accumulate)

    def retract(self) -> str:
        """Return the statements for a retracted row, '' for no change."""
        aggregate = self.aggregate
        if aggregate.retract is None:
            return ""
        if isinstance(aggregate, Declared):
            return assignments(aggregate.retract, self._name)
        return self._fill(aggregate.retract)

    def merge(self) -> str:
        """Return the statements that merge the other accumulator."""
        aggregate = self.aggregate
        if isinstance(aggregate, Declared):
            return assignments(aggregate.merge, self._name)
        return self._fill(aggregate.merge)

    def constants(self) -> str:
        """Return statements for a merge that set the names of the arguments after the first, such as `x3`.

        A merge has no row to read them from. They are the same in every row, so the accumulators keep them in
        fields (HandWritten.constants).
        """
        names = self.aggregate.constants if isinstance(self.aggregate, HandWritten) else ()
        return "\n".join(
            self._fill(f"x{position} = {{{name}}} if {{other_{name}}} is None else {{other_{name}}}")
            for position, name in zip(self.spec.args[1:], names, strict=False)
        )

    def value(self) -> str:
        """Return the expression of the result."""
        aggregate = self.aggregate
        if isinstance(aggregate, Declared):
            return expression(aggregate.value, self._name)
        return self._fill(aggregate.value)

    def _name(self, node: Expression) -> str:
        if isinstance(node, Field):
            return f"{node.name}{self.index}"
        if isinstance(node, Other):
            return f"other_{node.name}{self.index}"
        assert isinstance(node, Argument)
        return self.argument

    def _fill(self, template: str) -> str:
        names = {"x": self.argument, "k": self.key}
        for slot in self.slots:
            names[slot.kind.name] = slot.name
            names[f"other_{slot.kind.name}"] = f"other_{slot.name}"
        if isinstance(self.aggregate, HandWritten):
            names |= {name: f"{name}{self.index}" for name, _ in self.aggregate.functions}
        return template.format(**names).rstrip()
