"""Execution of test cases: in this process step by step, or on Spark as one job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

import pyarrow as pa

from firesteel.changelog import KIND
from firesteel.changelog import field as column
from firesteel.errors import FiresteelError
from firesteel.runtime.operators.probe.counts import taken_counts
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.in_process.host import InProcessJob, MicroBatch
from firesteel.testing.comparison import RowsLeft, changes_difference, row_text, rows_difference
from firesteel.testing.coverage.points import Coverage
from firesteel.testing.coverage.probes import Probes
from firesteel.testing.document import Node
from firesteel.testing.embedded_sql import show_in_document, shown_in_document
from firesteel.testing.rows import Change, Columns
from firesteel.testing.script import Planned, Script, Target, in_file, query
from firesteel.testing.test_case import Case, Expectation, Step, TestFile
from firesteel.testing.values import moment
from firesteel.testing.yaml_text import row_lines, with_kind

FIRST = "2026-01-01 00:00:00"
"""Processing time of the first step if the test sets none."""
_STEP_NANOS = 1_000_000_000


@dataclass(frozen=True)
class Difference:
    """An expectation that is not met.

    Attributes:
        expectation: The expectation.
        step: Number of the step, from 1.
        lines: Lines that show the difference.
    """

    expectation: Expectation
    step: int
    lines: list[str]


@dataclass
class Outcome:
    """The outcome of one test.

    Attributes:
        case: The test.
        columns: Names and types of the columns that the tested query returns.
        differences: Expectations that are not met.
        answers: For each compared expectation, the actual rows or changes: a YAML text for each row.
        error: The error that ended the test; None if the test ran to its end.
        coverage: The branches of the query, such as those of a CASE, that the test took and did not take.
    """

    case: Case
    columns: Columns | None = None
    differences: list[Difference] = field(default_factory=list)
    answers: list[tuple[Expectation, list[str]]] = field(default_factory=list)
    error: FiresteelError | None = None
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def passed(self) -> bool:
        return self.error is None and not self.differences

    def text(self) -> str:
        """Return why the test failed, in several lines."""
        lines = [] if self.error is None else str(self.error).splitlines()
        for each in self.differences:
            where = f"step {each.step}, " if len(self.case.steps) > 1 else ""
            lines.append(f"{where}line {each.expectation.key.line}: {each.expectation.kind} differ")
            lines += each.lines
        return "\n".join(lines)


def run_case(file: TestFile, case: Case, *, on_spark: bool = False) -> Outcome:
    """Run a test and return its outcome.

    Args:
        file: The file of the test.
        case: The test.
        on_spark: Whether Spark's batch host runs the test, as one job with the rows of all steps. Then only
            the expectations of the last step are compared. If the test has several steps, those of kind
            `changes` are not compared either. The outcome's coverage stays empty.

    Raises:
        TestFileError: The file is wrong.
        SqlError: The script is wrong.
    """
    embedded = [node for node in (file.inline, case.query) if node is not None]
    with shown_in_document(embedded):
        script = Script.load(file.script, file.sql, str(file.folder), case.settings)
        planned = script.planned(_target(script, case))
    run = _Run(script, planned, case)
    outcome = Outcome(case, run.columns)
    inputs = run.inputs()
    try:
        if on_spark:
            run.answer_on_spark(inputs, outcome)
        else:
            run.answer(inputs, outcome)
    except FiresteelError as error:
        show_in_document(error, embedded)
        outcome.error = error
    if not on_spark:
        run.cover(file.script, outcome.coverage)
    return outcome


def _target(script: Script, case: Case) -> Target:
    if case.query is not None:
        text = case.query.text("query")
        with in_file(f"{case.query.document.name}: query of '{case.name}'"):
            return query(text)
    name = None if case.of is None else case.of.text("of")
    found = script.find(name)
    if found is not None:
        return found
    names = [target.name for target in script.targets]
    place = case.of or case.node
    if name is None:
        place.fail(
            f"the script has {len(names)} queries: 'of' names the one to test",
            hint=f"a table that it inserts into ({', '.join(names) or 'none'}), or a view; or write 'query'",
        )
    return place.fail(
        f"the script neither inserts into '{name}' nor creates a view with this name",
        hint=f"it inserts into {', '.join(names)}" if names else None,
    )


@dataclass(frozen=True)
class _Input:
    """Input of a step: the rows of each table by the table's path, and the processing time.

    The processing time `now` is in milliseconds since the epoch.
    """

    step: Step
    tables: Mapping[str, pa.Table]
    now: int


class _Run:
    """A test whose job is planned."""

    def __init__(self, script: Script, planned: Planned, case: Case) -> None:
        self._script, self._planned, self._case = script, planned, case
        self._zone = script.environment.time_zone
        self._probes = Probes(planned, uuid4().hex, self._zone)
        self._job = InProcessJob(self._probes.job)
        self._scans = self._job.scans()
        sink = planned.job.sinks[0]
        self.columns = Columns(planned.target.name, planned.names, sink.types, self._zone)
        is_upsert = bool(sink.primary_key) and not sink.mode.update_before and sink.mode.has_retraction
        self._lines: dict[tuple[str, ...], str] = {}
        self._left = RowsLeft(sink.primary_key if is_upsert else None)

    def inputs(self) -> list[_Input]:
        """Return the input of each step.

        Raises:
            TestFileError: An input row, an expected row or a processing time of a step is wrong.
        """
        self._check_tables()
        nanos = moment(FIRST, self._zone)
        found = []
        for number, step in enumerate(self._case.steps):
            if step.at is not None:
                nanos = self._moment(step.at, nanos if number else None)
            elif number:
                nanos += _STEP_NANOS
            found.append(_Input(step, self._tables(step), nanos // 1_000_000))
        for step in self._case.steps:  # wrong rows are found before anything runs
            for expectation in step.expect:
                self._expected(expectation)
        return found

    def answer(self, inputs: Sequence[_Input], outcome: Outcome) -> None:
        """Run the steps in this process. Add the expectations that are not met to the outcome."""
        for number, each in enumerate(inputs, start=1):
            ends = self._case.ends and number == len(inputs)
            batch = MicroBatch(self._by_chain(each.tables), each.now, ends)
            changes = [row for table in self._job.run(batch) for row in self._changes(table)]
            self._left.apply(changes)
            self._compare(each.step, number, changes, outcome)

    def answer_on_spark(self, inputs: Sequence[_Input], outcome: Outcome) -> None:
        """Run the steps as one job on Spark. Add the expectations that are not met to the outcome."""
        from firesteel.testing.on_spark import run_on_spark

        tables = [each.tables for each in inputs]
        found = run_on_spark(self._script.environment, self._planned.job, tables)
        changes = [row for table in found for row in self._changes(table)]
        self._left.apply(changes)
        last = inputs[-1].step
        if len(inputs) > 1:
            last = replace(last, expect=tuple(each for each in last.expect if each.kind == "rows"))
        self._compare(last, len(inputs), changes, outcome)

    def _compare(self, step: Step, number: int, changes: list[Change], outcome: Outcome) -> None:
        """Compare the actual result of a step with its expectations, and add the result to the outcome.

        Args:
            step: The step.
            number: Its number, from 1.
            changes: The changes that the query sent in this step.
            outcome: Gets the actual rows or changes, and a Difference for each expectation that is not met.
        """
        for expectation in step.expect:
            got = changes if expectation.kind == "changes" else self._left.rows()
            outcome.answers.append((expectation, [self._yaml(row) for row in got]))
            if lines := self._difference(expectation, got):
                outcome.differences.append(Difference(expectation, number, lines))

    def cover(self, script: str, coverage: Coverage) -> None:
        """Add the query's branches that the steps took to `coverage`, under the name `script`."""
        coverage.add(script, self._probes.points, taken_counts(self._probes.run))

    def _changes(self, table: pa.Table) -> list[Change]:
        """Return each change as its kind and the printed texts of its values, which tests compare.

        Store the YAML text of each row, so that `_yaml` finds it.
        """
        changes = self.columns.got(table)
        for (_, *cells), line in zip(changes, row_lines(self.columns, table), strict=True):
            self._lines[tuple(cells)] = line
        return changes

    def _yaml(self, change: Change) -> str:
        kind, *cells = change
        return with_kind(kind, self._lines[tuple(cells)])

    def _expected(self, expectation: Expectation) -> list[Change]:
        rows = expectation.rows.items(expectation.kind)
        return self.columns.expected(rows, with_kinds=expectation.kind == "changes")

    def _difference(self, expectation: Expectation, got: list[Change]) -> list[str]:
        if expectation.kind == "changes":
            return changes_difference(self._expected(expectation), got)
        return rows_difference(self._expected(expectation), got) + [
            f"{'invalid':>7}  {row_text(row)} was removed and is not there" for row in self._left.invalid()
        ]

    def _moment(self, node: Node, least: int | None) -> int:
        try:
            found = moment(node.text("at"), self._zone)
        except ValueError:
            node.fail(f"'{node.value}' is no time", hint="write 2026-01-31 12:00:00.000")
        if least is not None and found < least:
            node.fail("the clock goes back")
        return found

    def _check_tables(self) -> None:
        """Raise TestFileError if a table that is read has no input, or a table with input is not read."""
        read = {scan.table for scan in self._scans.values()}
        given: set[str] = set()
        for step in self._case.steps:
            for name, _ in step.input:
                path = ".".join(self._script.path(name.text("a table's name")))
                if path not in read:
                    names = ", ".join(sorted(map(_short, read))) or "no table"
                    name.fail(f"the query does not read '{name.value}'", hint=f"it reads {names}")
                given.add(path)
        for path in sorted(read - given):
            self._case.node.fail(
                f"the query reads {_short(path)}, for which the test has no input",
                hint=f"write '{_short(path)}: []' below 'input' for no rows",
            )

    def _tables(self, step: Step) -> dict[str, pa.Table]:
        """Return a step's input rows by the table's path, with the columns that the query does not read, too.

        Raises:
            TestFileError: A row is wrong, or the step has two inputs for a table.
        """
        tables: dict[str, pa.Table] = {}
        for name, rows in step.input:
            path = self._script.path(name.text("a table's name"))
            if ".".join(path) in tables:
                name.fail(f"the step has two inputs for '{name.value}'")
            tables[".".join(path)] = self._table(name, path, rows)
        return tables

    def _by_chain(self, tables: Mapping[str, pa.Table]) -> dict[int, pa.Table]:
        return {
            chain: _projected(tables[scan.table], scan)
            for chain, scan in self._scans.items()
            if scan.table in tables
        }

    def _table(self, name: Node, path: tuple[str, ...], rows: Node) -> pa.Table:
        scan = next(scan for scan in self._scans.values() if scan.table == ".".join(path))
        columns = Columns(name.text("a table's name"), scan.names, scan.types, self._zone)
        return columns.changes(rows.items("the rows of a table"), self._planned.modes[scan.table])


def _projected(rows: pa.Table, scan: ScanSpec) -> pa.Table:
    """Return the columns that a scan reads, in its order."""
    read = {column(i): rows.column(column(place)) for i, place in enumerate(scan.projection)}
    return pa.table({KIND: rows.column(KIND), **read})


def _short(path: str) -> str:
    return path.removeprefix("default_catalog.default_database.")
