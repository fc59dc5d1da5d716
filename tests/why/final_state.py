"""States after the last micro-batch of a job that ran without Spark, as `firesteel state` shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

import pyarrow as pa

from firesteel.errors import UsageError
from firesteel.explain.sections import physical_line
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.state_name import state_name
from firesteel.session.graph.job_graph import node_of
from firesteel.session.inspection.state_report import StateReport, key_types
from firesteel.session.why.explanation import Explanation, OperatorReport
from firesteel.session.why.operators import _ENTRIES
from firesteel.session.why.texts import state_texts
from firesteel.spark.checkpoint.fingerprint import plain
from firesteel.spark.stream.stored_state import KeyGroup, StoredState, _with_state
from firesteel.types.text import NULL_TEXT
from tests.why.past_job import WholeRun

_NUMBER = re.compile(r"sub_key=(\(.*, )?-?\d+\)?")
_KEYS = 3
"""Keys of an operator whose entries are asked for."""


class FinalState:
    """The part of StoredState that a report reads.

    Args:
        run: The run that has ended.
    """

    def __init__(self, run: WholeRun) -> None:
        self.groups = [KeyGroup(0, 0, contents) for contents in run.job.states()]
        job = run.planned.job.job
        self.specs: Mapping[str, Mapping[str, Any]] = {
            spec["state_id"]: spec for spec in _with_state(plain(job))
        }
        self.report = StateReport("", cast("StoredState", self))
        self._names: dict[str, set[str]] = {}
        for chain in job.chains:
            for spec in chain.operators:
                node = node_of(spec, run.planned.origins)
                line = type(spec).__name__.removesuffix("Spec") if node is None else physical_line(node)
                self._names.setdefault(line, set()).add(state_name(spec))

    def tables(self, state: str, key: Keys | None = None) -> Iterator[pa.Table]:
        """Yield the live entries of a state (StoredState.tables)."""
        for group in self.groups:
            if state in group.contents.entries:
                yield group.contents.table(state, key)

    def problems(self) -> Iterator[str]:
        """Ask for the entries of keys of each operator, and yield those that differ from the whole state."""
        for operator in sorted({row[0] for row in self.report.overview()}):
            yield from self._of_operator(operator)

    def _of_operator(self, operator: str) -> Iterator[str]:
        width = len(key_types(self.specs.get(operator, {})))
        whole = {name: (columns, list(rows)) for name, columns, rows in self.report.entries(operator)}
        for name, (columns, rows) in whole.items():
            if columns[:width] != [f"k{at}" for at in range(width)] or not width:
                continue
            for key in islice(dict.fromkeys(tuple(row[:width]) for row in rows), _KEYS):
                wanted = [row for row in rows if tuple(row[:width]) == key]
                given = [value.replace(NULL_TEXT, "NULL") for value in key]
                try:
                    found = {short: list(own) for short, _, own in self.report.entries(operator, given)}[name]
                except UsageError as error:
                    yield f"{operator} {name} {key}: {error.message}"
                    continue
                if found != wanted:
                    yield f"{operator} {name} {key}: {found}, not {wanted}"

    def differences(self, found: Explanation) -> Iterator[str]:
        """Yield each operator of an explanation whose last step does not end with the state of its key.

        Of operators that keep rows, an explanation has those that lead to the explained rows.
        """
        for operator in found.operators:
            names = self._names.get(operator.operator, set()) - {""}
            if operator.key and operator.steps and names:
                after = list(operator.steps[-1].after)
                if not any(self._fits(name, after, operator) for name in names):
                    states = [self._texts(name, operator) for name in names]
                    yield f"{operator.operator} {operator.key}: the last state is {after}, not {states}"

    def _fits(self, operator: str, after: list[str], report: OperatorReport) -> bool:
        if operator.startswith("group-aggregate"):
            return after == self._texts(operator, report, _ENTRIES)
        return set(_rows(operator, after)) <= set(_rows(operator, self._texts(operator, report)))

    def _texts(self, operator: str, report: OperatorReport, shown: int = 10_000) -> list[str]:
        assert report.key is not None
        states = self.report.states(operator)
        tables = {name: self.report.table(name, operator, report.key) for name in states.values()}
        return state_texts({name: table for name, table in tables.items() if table.num_rows}, operator, shown)


def _rows(operator: str, entries: list[str]) -> Iterator[str]:
    """Yield the entries that are shown, those of ranks without the numbers in which their rows have come."""
    for entry in entries:
        if not entry.startswith(("came", "numbers", "... ")):
            yield _NUMBER.sub("", entry) if operator.startswith("rank") else entry
