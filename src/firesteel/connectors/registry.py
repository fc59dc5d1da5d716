"""Lookup of connectors by name, and the check of a table's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from firesteel.catalog.schema import Table
from firesteel.config.plugins import Plugins
from firesteel.config.secrets import resolved
from firesteel.connectors.base import Connector, ErrorSinkConnector, LookupConnector, Sink, Source
from firesteel.connectors.option_place import locate
from firesteel.connectors.options import check_watermarks
from firesteel.errors import FiresteelError, InternalError, ValidationError
from firesteel.formats.base import Format
from firesteel.formats.registry import FORMATS
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

CONNECTORS = Plugins(
    "firesteel.connectors",
    {
        "blackhole": "firesteel.connectors.blackhole.connector:Blackhole",
        "datagen": "firesteel.connectors.datagen.connector:Datagen",
        "filesystem": "firesteel.connectors.filesystem.connector:Filesystem",
        "jdbc": "firesteel.connectors.jdbc.connector:Jdbc",
        "kafka": "firesteel.connectors.kafka.connector:Kafka",
        "nexmark": "firesteel.connectors.nexmark.connector:Nexmark",
        "print": "firesteel.connectors.print.connector:Print",
        "upsert-kafka": "firesteel.connectors.kafka.upsert:UpsertKafka",
    },
    {"dataframe-snapshot": "firesteel.connectors.dataframe:Snapshot"},
)


def connector(name: str) -> Connector:
    """Return the connector called `name`.

    Raises:
        ValidationError: No connector has the name; the text is Flink's.
    """
    found: Connector | None = CONNECTORS.find(name)
    if found is None:
        names = CONNECTORS.names()
        listed, near = "\n".join(names), get_close_matches(name, names, 1)
        raise ValidationError(
            f"Could not find any factory for identifier '{name}' that implements "
            "'org.apache.flink.table.factories.DynamicTableFactory' in the classpath.\n\n"
            f"Available factory identifiers are:\n\n{listed}",
            hint=f"did you mean '{near[0]}'?" if near else None,
            option="connector",
        )
    return found


def deciding(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a source that must stay the same while a job continues from its checkpoint.

    These options, such as `topic`, decide which rows an offset in the checkpoint stands for. The result also
    has each option that neither the connector nor its formats define, because it may do the same.

    Args:
        options: All options of the source's table.
    """
    found: Connector | None = CONNECTORS.find(options.get("connector", ""))
    known = {option.key: option for option in found.options} if found is not None else {}
    for part in ("", "value.", "key."):
        name = options.get(f"{part}format", "")
        read: Format | None = FORMATS.find(name)
        if read is not None:
            known.update({f"{part}{name}.{option.key}": option for option in read.options})
    cuts_files = not getattr(found, "reads_messages", False)
    free = {k for k, each in known.items() if not (each.decides_offsets or (cuts_files and each.cuts_files))}
    return {k: v for k, v in options.items() if k not in free}


def secret_keys(options: Mapping[str, str]) -> set[str]:
    """Return the keys of the options that the table's connector declares as secrets."""
    found: Connector | None = CONNECTORS.find(options.get("connector", ""))
    return set() if found is None else {option.key for option in found.options if option.is_secret}


def open_source(scan: ScanSpec) -> Source:
    """Return the source of a scan, with the secrets in its options resolved."""
    return connector(scan.connector).source(replace(scan, options=resolved(scan.options)))


def open_lookup(table: LookupTable) -> Lookup:
    """Return a table for lookups, with the secrets in its options resolved."""
    found = connector(table.scan.connector)
    if not isinstance(found, LookupConnector):
        raise InternalError(f"the connector '{table.scan.connector}' has no lookups")
    return found.lookup(replace(table, scan=replace(table.scan, options=resolved(table.scan.options))))


def error_sink(scan: ScanSpec) -> SinkSpec | None:
    """Return the sink that a table's options name for its messages that cannot be read; None if none do."""
    found: Connector | None = CONNECTORS.find(scan.connector)
    return found.error_sink(scan) if isinstance(found, ErrorSinkConnector) else None


def open_sink(spec: SinkSpec) -> Sink:
    """Return the sink of a job, with the secrets in its options resolved."""
    assert spec.connector is not None
    return connector(spec.connector).sink(replace(spec, options=resolved(spec.options)))


def validate_table(table: Table) -> Table:
    """Check a table's options, and return the table with `traits` set: what its connector can read and write.

    Raises:
        ValidationError: An option is wrong. The error points at the option. The hint names the table,
            because options are checked only when the table is used.
    """
    try:
        return _validated(table)
    except ValidationError as error:
        locate(error, table, by_words=True)
        whose = f"in the options of table '{table.name}'"
        error.hint = f"{whose}: {error.hint}" if error.hint else f"see {whose.removeprefix('in ')}"
        raise
    except FiresteelError as error:
        locate(error, table, by_words=True)
        raise


def _validated(table: Table) -> Table:
    options = dict(table.options)
    if "connector" not in options:
        raise ValidationError(
            "Table options do not contain an option key 'connector' for discovering a connector."
        )
    found = connector(options["connector"])
    found.validate(table)
    check_watermarks(found.name, options)
    return replace(table, traits=found.traits(table))
