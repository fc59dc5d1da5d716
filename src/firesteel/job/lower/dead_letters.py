"""The dead-letter table of a session's jobs: the option that names it, and the check of its columns."""

from __future__ import annotations

from dataclasses import replace

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Table
from firesteel.connectors.dead_letters import COLUMNS, NULLABLE
from firesteel.connectors.registry import error_sink, validate_table
from firesteel.errors import ValidationError
from firesteel.job.lower.sink import persisted_columns
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

TABLE = "firesteel.dead-letters.table"


def dead_letter_table(catalog: Catalog, name: str | None) -> Table | None:
    """Return the table that `firesteel.dead-letters.table` names; None if the option is not set.

    Args:
        catalog: The catalog.
        name: The option's value.

    Raises:
        ValidationError: There is no such table, or a job cannot write dead letters to it.
    """
    if not name:
        return None
    hint = f"'{TABLE}' names it"
    found = catalog.find(tuple(part.strip("`") for part in name.split(".")))
    if not isinstance(found, Table):
        raise ValidationError(f"There is no table '{name}' for dead letters.", hint=hint)
    table = found if found.traits is not None else validate_table(found)
    if table.traits is not None and not table.traits.writable:
        connector = dict(table.options).get("connector", "")
        raise ValidationError(
            f"Dead letters cannot be written to '{name}': "
            f"Connector '{connector}' can only be used as a source.",
            hint=hint,
        )
    _check_columns(table, name, hint)
    return table


def _check_columns(table: Table, name: str, hint: str) -> None:
    """Raise ValidationError if the table has other columns than dead letters, or of other types."""
    known = ", ".join(f"{column} {kind}" for column, kind in COLUMNS.items())
    for column in persisted_columns(table):
        wanted = COLUMNS.get(column.name)
        if wanted is None or column.metadata is not None:
            wrong = f"dead letters have no column '{column.name}'"
        elif column.type.with_nullable(True) != wanted:
            wrong = f"the column '{column.name}' is {column.type}, and must be {wanted}"
        elif not column.type.nullable and column.name in NULLABLE:
            wrong = f"the column '{column.name}' must take NULL"
        else:
            continue
        raise ValidationError(
            f"Dead letters do not fit the table '{name}': {wrong}.",
            hint=f"{hint}; columns of dead letters, of which a table may have some: {known}",
        )


def dead_letter_sinks(table: SinkSpec) -> list[SinkSpec]:
    """Return the two sinks of a job that write to its dead-letter table.

    The first sink gets messages that cannot be read. The second one gets rows that another sink refuses. A
    sink finds these rows only when it commits. By then, the tasks that write to the first sink have ended.
    """
    return [
        replace(table, takes_dead_letters=True),
        replace(table, takes_dead_letters=True, takes_refused_rows=True),
    ]


def with_sinks_of_messages(job: JobSpec) -> JobSpec:
    """Return the job with further sinks, for the unreadable messages of the tables that it scans.

    An option of a scanned table names the sink. A table without the option adds no sink.
    """
    scans = {chain.source.table: chain.source for chain in job.chains if isinstance(chain.source, ScanSpec)}
    found = (error_sink(scan) for _, scan in sorted(scans.items()))
    return replace(job, sinks=(*job.sinks, *(sink for sink in found if sink is not None)))
