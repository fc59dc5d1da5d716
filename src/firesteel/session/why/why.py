"""Explanation of a row of a job, from its script and its checkpoint. Spark does not start."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.errors import UsageError
from firesteel.job.spec import JobSpec, sink_id
from firesteel.runtime.dataflow.sequence import concat, in_order
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import CHECKPOINT
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.session.why.explanation import Explanation, SinkChange
from firesteel.session.why.key import Key, parse_key
from firesteel.session.why.operators import OperatorReports
from firesteel.session.why.origins import SourceRows
from firesteel.session.why.statement import AskedStatement, asked_statement
from firesteel.session.why.texts import row_texts
from firesteel.spark.upgrade.content import COUNT, Content
from firesteel.spark.why.condition import Condition
from firesteel.spark.why.lineage import BATCH, Lineage
from firesteel.spark.why.recorder import Recorder
from firesteel.spark.why.rerun import Rerun
from firesteel.spark.why.wanted_rows import WantedRows, wanted_rows


@dataclass(frozen=True)
class Question:
    """The row to be explained, and how much of its history is shown.

    Attributes:
        key: Conditions on the columns of the result, all of which the row satisfies.
        table: Table that the row is in; None for the only result of the script.
        at: Number of the micro-batch after which the row is explained; None for the last one.
        limit: Maximum number of source rows, of changes, and of steps of an operator in the answer.
    """

    key: Sequence[str]
    table: str | None = None
    at: int | None = None
    limit: int = 20


def explain_row(environment: TableEnvironment, text: str, question: Question) -> Explanation:
    """Return how a row of a result came to be.

    Args:
        environment: A new session, in which the definitions of the script take effect.
        text: The script, with values for its variables.
        question: What is asked.

    Raises:
        UsageError: The checkpoint is not one of this script, lacks the micro-batch, or a source no longer has
            its history; or the result has never had such a row.
        NotSupportedError: The history of the row cannot be found out.
    """
    planned = script_jobs(environment, text)
    checkpoint = environment.options.get(CHECKPOINT)
    if checkpoint is None:
        raise UsageError(
            "the script has no checkpoint", hint=f"add --checkpoint DIR, or set '{CHECKPOINT}' in the script"
        )
    if not question.key:
        raise UsageError("--key is missing", hint="name the row: --key \"name = 'Tom'\"")
    return explain_in(asked_statement(planned, checkpoint, question.table), question)


def explain_in(statement: AskedStatement, question: Question) -> Explanation:
    """Return how a row of a statement came to be.

    Args:
        statement: The statement, which has a checkpoint.
        question: What is asked. Its `table` is ignored.

    Raises:
        UsageError: The checkpoint lacks the micro-batch, a source no longer has its history, or the result
            has never had such a row.
        NotSupportedError: The history of the row cannot be found out.
    """
    job = statement.planned.job.job
    key = parse_key(question.key, job.sinks[statement.sink], statement.names)
    rows = wanted_rows(job, statement.sink, key.condition)
    recorder = Recorder(rows.exact, frozenset(rows.cuts))
    with tempfile.TemporaryDirectory(prefix="firesteel-why-") as scratch:
        rerun = Rerun(job, statement.folder, statement.layout.partitions, Path(scratch), question.at)
        statement.check_repeatable(has_all_offsets=rerun.batches[0].first == rerun.batches[0].last)
        rerun.run(recorder)
    return _answer(statement, key, question, rerun, recorder, rows)


def _answer(
    statement: AskedStatement,
    key: Key,
    question: Question,
    rerun: Rerun,
    recorder: Recorder,
    rows: WantedRows,
) -> Explanation:
    job, batches = statement.planned.job.job, rerun.batches
    lineage = Lineage(job, statement.sink, key.condition, rows, recorder.events)
    sources = SourceRows(job, lineage, rerun.read_rows, batches)
    changes = _changes(job, statement.sink, lineage, key.condition)
    if changes is None and not sources.count:
        raise UsageError(
            f"{statement.table} has never had a row with {key}, and no source row leads to one",
            hint="check the value"
            if question.at is None
            else f"check the value, or ask for a micro-batch after {question.at}",
        )
    reports = OperatorReports(job, statement.planned.origins, lineage, sources, batches, question.limit)
    listed = (
        []
        if changes is None
        else _listed(changes.slice(max(0, changes.num_rows - question.limit)), sources, rerun)
    )
    return Explanation(
        statement.table,
        statement.names,
        key.texts,
        batches[-1].last,
        _left(statement, changes),
        listed,
        sources.last(question.limit),
        list(reports.all()),
        0 if changes is None else changes.num_rows,
        sources.count,
    )


def _changes(job: JobSpec, sink: int, lineage: Lineage, wanted: Condition) -> pa.Table | None:
    """Return the changes of the explained rows that the sink got, in their order; None for none."""
    found = []
    for chain in job.chains:
        if any(output.to == sink_id(sink) for output in chain.outputs):
            rows = lineage.at((chain.id, len(chain.operators), 0)).rows
            if rows is not None:
                found.append(rows.filter(pa.array(wanted.mask(rows))))
    whole = concat(found) if found else None
    if whole is None or not whole.num_rows:
        return None
    parts = [
        in_order(whole.filter(pa.compute.equal(whole.column(BATCH), batch)))
        for batch in sorted(set(whole.column(BATCH).to_pylist()))
    ]
    return pa.concat_tables(parts)


def _listed(changes: pa.Table, sources: SourceRows, rerun: Rerun) -> list[SinkChange]:
    origins = zip(changes.column(BATCH).to_pylist(), changes.column(SEQUENCE).to_pylist(), strict=True)
    return [
        SinkChange(rerun.batches[batch].name, sources.place(batch, sequence), text)
        for (batch, sequence), text in zip(origins, row_texts(changes), strict=True)
    ]


def _left(statement: AskedStatement, changes: pa.Table | None) -> list[str]:
    """Return the explained rows that remain after their changes, as texts such as `[Tom, 12]`."""
    if changes is None:
        return []
    job = statement.planned.job
    content = Content(job.job.sinks[statement.sink].types, job.key(statement.sink))
    content.apply(changes)
    rows = content.rows()
    kinds = pa.array([0] * rows.num_rows, pa.int8())
    texts = row_texts(rows.add_column(0, "$kind", kinds))
    counts = rows.column(COUNT).to_pylist()
    return [text.removeprefix("+I") for text, count in zip(texts, counts, strict=True) for _ in range(count)]
