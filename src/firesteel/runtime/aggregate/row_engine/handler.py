"""Row handler: one generated Python class that runs all aggregate calls of a query.

Flink: AggsHandlerCodeGenerator and GroupAggFunction. The class has the methods of Flink's AggsHandleFunction
(accumulate, retract, merge and so on) and a method

    process(counts, accs, kinds, *columns) -> (outcomes, values)

It does for a batch what GroupAggFunction.processElement does for one row.

- Rows are sorted by key. counts[i] of them belong to key i.
- accs[i] is the accumulator of key i, None if there is none. process replaces it by the new one.
- kinds are the bytes of the row kinds. columns are the handler's inputs as lists.
- outcomes has one byte for each row: NOTHING, INSERT, UPDATE or DELETE.
- values is a flat list of the results to send. An INSERT has the new result, a DELETE has the result before.
  An UPDATE has the result before, if -U is needed, and the new one.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from firesteel.errors import JobError
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, MapView
from firesteel.runtime.aggregate.row_engine.handler_calls import Block, Call, Slot
from firesteel.runtime.aggregate.row_engine.handler_code import block
from firesteel.runtime.aggregate.row_engine.handler_distinct import DistinctCalls
from firesteel.runtime.aggregate.row_engine.map_state import ExpiringMap, Expiry, max_key, min_key
from firesteel.runtime.aggregate.row_engine.result_equality import equals_itself
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types import numbers
from firesteel.types.sql import APPROXIMATE, BIGINT

NOTHING, INSERT, UPDATE, DELETE = range(4)
"""Outcomes of `process`: how a row changes its key's result."""

_RECORDS = AggregateSpec("COUNT", (), (), BIGINT.with_nullable(False))


@dataclass(frozen=True)
class Input:
    """Input column of the row handler.

    Attributes:
        position: Number of the field in the operator's input.
        key: Whether values are in key form, the form of map keys: two values are equal if their bytes are
            equal (types/internal_values.py: to_key).
    """

    position: int
    key: bool = False

    @property
    def name(self) -> str:
        return f"{'k' if self.key else 'x'}{self.position}"


@dataclass(frozen=True)
class GeneratedHandler:
    """Source and interface of a generated row handler.

    Attributes:
        source: Text of the class.
        inputs: Columns that process, accumulate and retract take.
        slots: Parts of an accumulator tuple, in order.
        merged: Names of the parts that `merge` reads of the other accumulator.
        functions: Functions that the text calls, by name.
    """

    source: str
    inputs: tuple[Input, ...]
    slots: tuple[Slot, ...]
    merged: frozenset[str]
    functions: tuple[tuple[str, Callable[..., Any]], ...]

    def create(self, expiry: Expiry | None = None) -> Any:
        """Return a new handler, ready to process rows.

        `expiry` has the processing time and the time to live of the state. None: the state lives forever.
        """
        handler = _compiled(self.source, self.functions)()
        handler.open(expiry or Expiry(0))
        return handler


@lru_cache(maxsize=64)
def generate(spec: GroupAggregateSpec) -> GeneratedHandler:
    """Return the row handler of a GroupAggregate.

    Raises:
        NotSupportedError: An aggregate function has no declaration.
    """
    writer = _Writer(spec)
    return GeneratedHandler(writer.text(), writer.inputs, writer.slots, writer.merged, writer.functions)


@lru_cache(maxsize=64)
def _compiled(source: str, functions: tuple[tuple[str, Callable[..., Any]], ...]) -> Any:
    names = names_of(functions)
    exec(compile(source, "<generated row handler>", "exec"), names)
    return names["GroupAggregateHandler"]


def names_of(functions: tuple[tuple[str, Callable[..., Any]], ...]) -> dict[str, Any]:
    """Return the functions and classes that a handler's text may use, by their global names in the text.

    These are `functions`, number functions such as `wrap`, and helpers that any handler may need.
    """
    return {
        **{name: getattr(numbers, name) for name in _FUNCTIONS},
        **dict(functions),
        "OrderedDict": OrderedDict,
        "ExpiringMap": ExpiringMap,
        "min_key": min_key,
        "max_key": max_key,
        "islice": islice,
        "raise_single_value": _raise_single_value,
    }


_FUNCTIONS = (
    "decimal_average", "float32", "from_scaled", "from_sortable", "rescale", "square_root",
    "to_integer", "to_scaled", "truncated", "wrap",
)  # fmt: skip


def _raise_single_value() -> None:
    raise JobError("SingleValueAggFunction received more than one element.")


class _Writer:
    """Writer of the text of the class, method by method."""

    def __init__(self, spec: GroupAggregateSpec) -> None:
        self._spec = spec
        self._calls = tuple(Call.of(i, call) for i, call in enumerate(spec.calls))
        self._plain = [call for call in self._calls if not call.spec.distinct]
        groups: dict[tuple[int, ...], list[Call]] = {}
        for call in self._calls:
            if call.spec.distinct:
                groups.setdefault(call.spec.args, []).append(call)
        self._distinct = [
            DistinctCalls(i, tuple(calls), spec.input_retracts) for i, calls in enumerate(groups.values())
        ]
        self._records = spec.records
        self._hidden: Call | None = None
        if spec.input_retracts and spec.count_star is None and not spec.every_row:
            self._hidden = Call.of(len(self._calls), _RECORDS)
            self._plain.append(self._hidden)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        calls = [*self._calls, self._hidden] if self._hidden else self._calls
        own = [slot for call in calls for slot in call.slots]
        return (*own, *(distinct.slot for distinct in self._distinct))

    @property
    def functions(self) -> tuple[tuple[str, Callable[..., Any]], ...]:
        parts: tuple[Call | DistinctCalls, ...] = (*self._calls, *self._distinct)
        own = tuple(each for part in parts for each in part.functions)
        return own + tuple(each for _, each in self._nested)

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        wanted: dict[Input, None] = {}
        for call in self._calls:
            wanted |= {Input(position): None for position in call.spec.args}
            if call.key != call.argument:
                wanted[Input(call.spec.args[0], key=True)] = None
            if call.distinct_together:
                keys = zip(call.spec.args, call.keys, strict=True)
                wanted |= {Input(position, key=True): None for position, key in keys if key[0] == "k"}
            if call.spec.filter is not None:
                wanted[Input(call.spec.filter)] = None
        return tuple(wanted)

    @cached_property
    def merged(self) -> frozenset[str]:
        """Return the names of the slots that `merge` reads of the other accumulator."""
        read = set(re.findall(r"\bother_(\w+)", self._merge_body()))
        return frozenset(slot.name for slot in self.slots if slot.name in read)

    def text(self) -> str:
        """Return the text of the class."""
        methods = [
            self._open(),
            self._create(),
            "def set_accumulators(self, acc):\n    self.acc = acc",
            "def get_accumulators(self):\n    return self.acc",
            "def reset_accumulators(self):\n    self.acc = self.create_accumulators()",
            "def cleanup(self):\n    self.acc = None",
            "def close(self):\n    self.acc = None",
            self._row("accumulate", self._accumulate()),
            *([self._row("retract", self._retract())] if self._spec.input_retracts else []),
            self._merge(),
            self._get_value(),
            self._process(),
        ]
        return block("class GroupAggregateHandler:", "\n\n".join([self._title(), *methods])) + "\n"

    def _title(self) -> str:
        calls = ", ".join(map(_call_text, self._spec.calls)) or "no calls"
        parts = ", ".join(slot.name for slot in self.slots)
        return f'"""{calls}\n\nAn accumulator is ({parts}).\n"""'

    def _open(self) -> str:
        return "def open(self, expiry=None):\n    self.expiry = expiry\n    self.acc = None"

    def _create(self) -> str:
        return block("def create_accumulators(self):", f"return {_tuple(map(self._initial, self.slots))}")

    def _initial(self, slot: Slot) -> str:
        if isinstance(slot.kind, AccumulatorField):
            return repr(slot.kind.initial)
        if self._spec.ttl:
            return "ExpiringMap(self.expiry)"
        assert isinstance(slot.kind, MapView)
        return "OrderedDict()" if slot.kind.ordered else "{}"

    @property
    def _names(self) -> list[str]:
        return [slot.name for slot in self.slots]

    def _accumulate(self) -> str:
        blocks = [Block((*c.filter, *c.not_null), c.accumulate()) for c in self._plain]
        return _join([*blocks, *(distinct.accumulate() for distinct in self._distinct)])

    def _retract(self) -> str:
        blocks = [Block((*c.filter, *c.not_null), c.retract()) for c in self._plain]
        return _join([*blocks, *(distinct.retract() for distinct in self._distinct)])

    def _row(self, name: str, body: str) -> str:
        arguments = ", ".join(["self", *(each.name for each in self.inputs)])
        return block(f"def {name}({arguments}):", self._over_acc(body))

    def _over_acc(self, body: str) -> str:
        """Return the statements that unpack `self.acc` into local names, `body`, and those that pack it."""
        if not self._names:
            return body or "pass"
        parts = _tuple(self._names)
        return f"{parts} = self.acc\n{body or 'pass'}\nself.acc = {parts}"

    def _merge(self) -> str:
        other = f"{_tuple(f'other_{name}' for name in self._names)} = other\n" if self._names else ""
        return block("def merge(self, other):", self._over_acc(other + self._merge_body()))

    def _merge_body(self) -> str:
        body = [call.merge() for call in self._plain]
        for distinct in self._distinct:
            body += [call.constants() for call in distinct.calls if call.constants()]
            body.append(distinct.merge())
        return "\n".join(body)

    def _get_value(self) -> str:
        read = f"{_tuple(self._names)} = self.acc\n" if self._names else ""
        return block("def get_value(self):", f"{read}return {self._value()}")

    def _value(self) -> str:
        return _tuple(call.value() for call in self._calls)

    def _process(self) -> str:
        """Return `process`: a loop over keys and rows, with GroupAggFunction.processElement inside."""
        columns = "".join(f", {each.name}s" for each in self.inputs)
        row = _tuple(["kind", *(each.name for each in self.inputs)])
        read = f"{_tuple(self._names)} = acc\n" if self._names else ""
        each_key = [
            block("if acc is None:", "before = None")
            + "\n"
            + block("else:", f"{read}before = {self._value()}"),
            block(f"for {row} in islice(rows, count):", self._element()),
            f"accs[index] = None if before is None else {_tuple(self._names)}",
        ]
        lines = [
            "outcomes = bytearray()",
            "emit = outcomes.append",
            "values = []",
            f"rows = zip(kinds{columns})",
            block("for index, (count, acc) in enumerate(zip(counts, accs)):", "\n".join(each_key)),
            "return outcomes, values",
        ]
        return block(f"def process(self, counts, accs, kinds{columns}):", "\n".join(lines))

    def _element(self) -> str:
        """Return the statements that process one row.

        Their variable `before` has the key's result before the row, None if the key has no state.
        """
        create = "\n".join(f"{slot.name} = {self._initial(slot)}" for slot in self.slots)
        change = self._accumulate()
        if self._spec.input_retracts:
            create = f"{block('if kind & 1:', _DROP)}\n{create}"
            change = f"{block('if kind & 1:', self._retract())}\n{block('else:', change)}"
        lines = [block("if before is None:", create)] if create else []
        lines += [change] if change else []
        if self._records is None:
            return "\n".join([*lines, self._emit()])
        gone = f"emit({DELETE})\nvalues += before\nbefore = None"
        return "\n".join([*lines, block(f"if {self._records}:", self._emit()), block("else:", gone)])

    def _emit(self) -> str:
        before = "values += before\n" if self._spec.emit_update_before else ""
        lines = [
            f"value = {self._value()}",
            block("if before is None:", f"emit({INSERT})\nvalues += value"),
            block("else:", f"emit({UPDATE})\n{before}values += value"),
            "before = value",
        ]
        if not (self._spec.ttl or self._spec.every_row):
            lines.insert(2, block(f"elif {self._unchanged()}:", f"emit({NOTHING})"))
        return "\n".join(lines)

    def _unchanged(self) -> str:
        """Return the test whether the new result (`value`) equals the one before (`before`), as text.

        In Flink, NaN equals nothing, not even itself. But for Python's == on tuples, two items are equal if
        they are the same NaN object. So the text also tests that each float equals itself.
        """
        floats = [i for i, call in enumerate(self._calls) if call.spec.type.root in APPROXIMATE]
        tests = [f"value[{i}] == value[{i}]" for i in floats]
        tests += [f"{name}(value[{i}])" for i, (name, _) in self._nested]
        return " and ".join(["value == before", *tests])

    @cached_property
    def _nested(self) -> tuple[tuple[int, tuple[str, Callable[..., Any]]], ...]:
        """Return (call number, (name, test)) for each call whose result may hold a value that equals nothing.

        An example is a ROW with NaN in it. The generated text calls the function `test` by `name` to find out
        whether a result equals itself. Calls with a FLOAT or DOUBLE result need no function and are left out.
        """
        tests = ((i, equals_itself(call.spec)) for i, call in enumerate(self._calls))
        return tuple(
            (i, (f"itself{i}", test))
            for i, test in tests
            if test and self._calls[i].spec.type.root not in APPROXIMATE
        )


_DROP = f"emit({NOTHING})  # a retraction, and nothing is known of this key\ncontinue"


def _join(blocks: list[Block]) -> str:
    """Return the statements of blocks. Neighbors under the same conditions share one `if`."""
    lines: list[str] = []
    rest = [each for each in blocks if each.body]
    while rest:
        conditions = rest[0].conditions
        same = 1
        while same < len(rest) and rest[same].conditions == conditions:
            same += 1
        body = "\n".join(each.body for each in rest[:same])
        tests = " and ".join(f"({c})" if " or " in c else c for c in conditions)
        lines.append(block(f"if {tests}:", body) if tests else body)
        rest = rest[same:]
    return "\n".join(lines)


def _tuple(parts: Any) -> str:
    texts = list(parts)
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _call_text(call: AggregateSpec) -> str:
    inner = ", ".join(f"f{position}" for position in call.args) or "*"
    distinct = "DISTINCT " if call.distinct else ""
    condition = "" if call.filter is None else f" FILTER f{call.filter}"
    return f"{call.function}{'_RETRACT' if call.retract else ''}({distinct}{inner}){condition}"
