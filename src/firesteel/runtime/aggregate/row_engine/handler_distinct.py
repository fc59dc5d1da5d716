"""DISTINCT: calls over the same arguments share one map view of the values that they have seen.

Flink: DistinctAggCodeGen. For insert-only input, an entry of the map has one bit for each call that has seen
the value. If the input retracts, the entry has for each call the number of rows with the value (a list, or a
plain number for a single call). When this number changes from 0 to 1, the call accumulates the value. When it
changes from 1 to 0, the call retracts the value. An entry with only zeros is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from firesteel.functions.java.hash_map import ordered_seen
from firesteel.runtime.aggregate.functions.declaration import HandWritten, MapView
from firesteel.runtime.aggregate.row_engine.handler_calls import Block, Call, Slot
from firesteel.runtime.aggregate.row_engine.handler_code import block
from firesteel.types.internal_values import has_key_form, value_of_key
from firesteel.types.sql import BIGINT, SqlType, array, row


@dataclass(frozen=True)
class DistinctCalls:
    """DISTINCT calls that have the same arguments. `index` is the number of this group in the query."""

    index: int
    calls: tuple[Call, ...]
    counted: bool
    """Whether the input retracts. Map entries then have numbers of rows, otherwise one bit for each call."""

    @property
    def view(self) -> str:
        return f"seen{self.index}"

    @property
    def slot(self) -> Slot:
        kind = BIGINT if not self.counted or len(self.calls) == 1 else array(BIGINT)
        view = MapView(self.view, self._kind, kind, whole=self._several)
        return Slot(self.view, view, None if self._several else self.calls[0].spec.args[0])

    @property
    def _several(self) -> bool:
        return self.calls[0].distinct_together

    @property
    def _kind(self) -> SqlType:
        """Return the type of the map's keys: that of the argument, or a row of all arguments."""
        kinds = self.calls[0].spec.arg_types
        return row(tuple(f"f{i}" for i in range(len(kinds))), kinds) if self._several else kinds[0]

    @property
    def _key(self) -> str:
        """Return the text of the expression for the map key of the current row."""
        call = self.calls[0]
        return f"({', '.join(call.keys)})" if self._several else call.key

    @property
    def _plain(self) -> str:
        return f"plain{self.index}"

    @property
    def functions(self) -> tuple[tuple[str, Callable[..., Any]], ...]:
        """Return the functions that the text calls, with their names.

        There are at most two. The first converts a map key to the argument, if they have different forms. The
        second sorts the entries of a map, if `_in_order` is True.
        """
        kind = self._kind
        plain = ((self._plain, value_of_key(kind)),) if has_key_form(kind) else ()
        return (*plain, (self._listed, ordered_seen(kind))) if self._in_order else plain

    @property
    def _listed(self) -> str:
        return f"listed{self.index}"

    @property
    def _in_order(self) -> bool:
        """Return whether a merge must take the other accumulator's values in the order of a Java HashMap.

        Flink iterates over a HashMap. True if the result of a call depends on the order of values (LISTAGG).
        """
        return any(isinstance(c.aggregate, HandWritten) and c.aggregate.in_order for c in self.calls)

    @property
    def _others(self) -> str:
        others = f"other_{self.view}"
        return f"{self._listed}({others})" if self._in_order else f"{others}.items()"

    def accumulate(self) -> Block:
        """Return the statements for an added row."""
        if not self.counted:
            return Block(self._any_filter(), self._mark())
        return Block(self._any_filter(), self._count("+", "1"))

    def retract(self) -> Block:
        """Return the statements for a retracted row."""
        return Block(self._any_filter(), self._count("-", "0"))

    def merge(self) -> str:
        """Return the statements that merge the other map's entries.

        Values that appear or disappear change the fields of the calls.
        """
        if not self.counted:
            body = f"_seen = {self.view}.get(_key, 0)\n" + "\n".join(
                block(f"if _bits & ~_seen & {1 << bit}:", self._guarded(call, "accumulate"))
                for bit, call in enumerate(map(self._over_key, self.calls))
            )
            body += f"\n{self.view}[_key] = _seen | _bits"
            return block(f"for _key, _bits in {self._others}:", self._with_value(body))
        one = len(self.calls) == 1
        lines = [
            f"_mine = {self.view}.get(_key, {'0' if one else [0] * len(self.calls)})",
            f"_total = {'_mine + _theirs' if one else '[a + b for a, b in zip(_mine, _theirs)]'}",
        ]
        for place, call in enumerate(map(self._over_key, self.calls)):
            at = "" if one else f"[{place}]"
            lines.append(block(f"if _mine{at} <= 0 < _total{at}:", self._guarded(call, "accumulate")))
            lines.append(block(f"elif _total{at} <= 0 < _mine{at}:", self._guarded(call, "retract")))
        lines.append(block(f"if {'_total' if one else 'any(_total)'}:", f"{self.view}[_key] = _total"))
        lines.append(block("else:", f"{self.view}.pop(_key, None)"))
        return block(f"for _key, _theirs in {self._others}:", self._with_value("\n".join(lines)))

    def _any_filter(self) -> tuple[str, ...]:
        """Return the Python condition that at least one call counts the row, by its FILTER, in a tuple.

        () if any of the calls has no FILTER, as this call counts every row.
        """
        filters = [call.filter for call in self.calls]
        if not all(filters):
            return ()
        return (" or ".join(dict.fromkeys(each[0] for each in filters)),)

    def _mark(self) -> str:
        key = self._key
        lines = [f"_seen = _bits = {self.view}.get({key}, 0)"]
        for bit, call in enumerate(self.calls):
            tests = [*call.filter, f"not _bits & {1 << bit}"]
            body = f"_bits |= {1 << bit}\n{self._guarded(call, 'accumulate')}"
            lines.append(block(f"if {' and '.join(tests)}:", body))
        lines.append(block("if _bits != _seen:", f"{self.view}[{key}] = _bits"))
        return "\n".join(lines)

    def _count(self, operator: str, crossing: str) -> str:
        key, action = self._key, "accumulate" if operator == "+" else "retract"
        if len(self.calls) == 1:
            call = self.calls[0]
            lines = [f"_seen = {self.view}.get({key}, 0) {operator} 1"]
            lines.append(block("if _seen:", f"{self.view}[{key}] = _seen"))
            lines.append(block("else:", f"{self.view}.pop({key}, None)"))
            lines.append(block(f"if _seen == {crossing}:", self._guarded(call, action)))
            return "\n".join(lines)
        lines = [f"_seen = list({self.view}.get({key}, {(0,) * len(self.calls)}))"]
        for place, call in enumerate(self.calls):
            body = f"_seen[{place}] {operator}= 1\n" + block(
                f"if _seen[{place}] == {crossing}:", self._guarded(call, action)
            )
            lines.append(block(f"if {call.filter[0]}:", body) if call.filter else body)
        lines.append(block("if any(_seen):", f"{self.view}[{key}] = _seen"))
        lines.append(block("else:", f"{self.view}.pop({key}, None)"))
        return "\n".join(lines)

    @staticmethod
    def _guarded(call: Call, action: str) -> str:
        """Return the statements by which a call accumulates or retracts (`action`) a value of the map.

        NULL is a value of the map, but most aggregates ignore it.
        """
        body = call.accumulate() if action == "accumulate" else call.retract()
        if not body:
            return "pass"
        return block(f"if {call.not_null[0]}:", body) if call.not_null else body

    def _over_key(self, call: Call) -> Call:
        return replace(call, argument="_x", key="_key[0]" if self._several else "_key")

    def _with_value(self, body: str) -> str:
        """Return `body`, with statements before it that compute the arguments from the map key `_key`."""
        names = ["_x", *(f"x{i}" for i in self.calls[0].spec.args[1:])] if self._several else ["_x"]
        value = f"{self._plain}(_key)" if has_key_form(self._kind) else "_key"
        return f"{', '.join(names)} = {value}\n{body}"
