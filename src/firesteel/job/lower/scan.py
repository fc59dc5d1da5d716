"""Translate scans of tables, and options that travel to the workers with each use of a table."""

from __future__ import annotations

from firesteel.catalog.schema import Table
from firesteel.config.secrets import referenced
from firesteel.connectors.registry import secret_keys
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.logical import scanned_columns
from firesteel.plan.properties.changelog_modes import source_mode
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.types.value_parts import Parts


def scan_of(node: physical.TableSourceScan, time_zone: str, parts: tuple[Parts, ...] = ()) -> ScanSpec:
    """Return the spec of a scan.

    Args:
        node: The scan.
        time_zone: Time zone of the session.
        parts: For each column, the nested parts that are read, () for the whole column.
    """
    table, mode = node.table, source_mode(node.table)
    columns = scanned_columns(table)
    return ScanSpec(
        connector=connector_of(table),
        options=sent_options(table),
        names=tuple(c.name for c in columns),
        types=tuple(c.type for c in columns),
        projection=tuple(range(len(columns))) if node.project is None else node.project,
        metadata=tuple(c.metadata for c in columns),
        time_zone=time_zone,
        table=".".join(table.path),
        upsert_key=table.primary_key if mode.update_after and not mode.update_before else (),
        partition_keys=table.partition_keys,
        parts=parts,
    )


def sent_options(table: Table) -> tuple[tuple[str, str], ...]:
    """Return the options of a table as they may be sent to workers: secrets are replaced by references."""
    return referenced(".".join(table.path), table.options, secret_keys(dict(table.options)))


def connector_of(table: Table) -> str:
    """Return the name of a table's connector."""
    return dict(table.options)["connector"]


def values_of(node: physical.Values, time_zone: str) -> ValuesSpec:
    """Return the spec of a VALUES node. Its rows are SQL texts, which the task that reads them evaluates."""
    types = tuple(f.type for f in node.fields)
    rows = [compile_calc(row, None, (), types, time_zone) for row in node.rows]
    functions = dict.fromkeys(name for row in rows for name in row.functions)
    return ValuesSpec(types, tuple(row.projection for row in rows), tuple(functions))
