"""Positions for errors about a table's options: each points to the option in CREATE TABLE that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Table
from firesteel.connectors.option_place import locate
from firesteel.errors import FiresteelError, NotSupportedError, SqlError
from firesteel.job.lookups import looked_up
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec


def table_of(catalog: Catalog, spec: ScanSpec | SinkSpec) -> Table | None:
    """Return the table of a scan or sink, None if the catalog does not have it.

    `option_places` of the returned table has the position of each option in CREATE TABLE. If the job has
    another value of an option, such as that of a hint, the option is left out: CREATE TABLE is not wrong.
    """
    table = next((each for each in catalog.tables() if ".".join(each.path) == spec.table), None)
    if table is None:
        return None
    pairs = {*spec.options} & {*table.options}
    places = {key: table.option_places[key] for key, _ in pairs if key in table.option_places}
    return replace(table, option_places=places)


def located(check: Callable[[], object], table: Table | None) -> None:
    """Run a check. If it fails, add the position of the table's wrong option to the error."""
    try:
        check()
    except FiresteelError as error:
        if table is not None:
            locate(error, table, by_words=isinstance(error, (SqlError, NotSupportedError)))
        raise


def locate_in_job(error: FiresteelError, catalog: Catalog, job: JobSpec) -> None:
    """Add the position of the wrong option to an error of a running job.

    Nothing is added unless exactly one table of the job has set that option.
    """
    specs: list[ScanSpec | SinkSpec] = [c.source for c in job.chains if isinstance(c.source, ScanSpec)]
    specs += looked_up(job)
    tables = {spec.table: table_of(catalog, spec) for spec in [*specs, *job.sinks]}
    found = [table for table in tables.values() if table is not None and error.option in table.option_places]
    if len(found) == 1:
        locate(error, found[0])
