"""All connectors, by name, and the check of a table when it is created."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module

from firesteel.catalog.schema import Table
from firesteel.connectors.base import Connector
from firesteel.errors import ValidationError

_CONNECTORS = {
    "blackhole": ("firesteel.connectors.blackhole", "Blackhole"),
    "datagen": ("firesteel.connectors.datagen", "Datagen"),
    "filesystem": ("firesteel.connectors.filesystem", "Filesystem"),
    "print": ("firesteel.connectors.print", "Print"),
}
"""Loaded when first asked for: a worker imports the one connector that it runs."""


def names() -> list[str]:
    """The identifiers of all connectors."""
    return sorted(_CONNECTORS)


def connector(name: str) -> Connector:
    """The connector called `name`. Raises ValidationError in Flink's words."""
    place = _CONNECTORS.get(name)
    if place is None:
        listed = "\n".join(names())
        near = get_close_matches(name, names(), 1)
        raise ValidationError(
            f"Could not find any factory for identifier '{name}' that implements "
            "'org.apache.flink.table.factories.DynamicTableFactory' in the classpath.\n\n"
            f"Available factory identifiers are:\n\n{listed}",
            hint=f"did you mean '{near[0]}'?" if near else None,
        )
    module, attribute = place
    made: Connector = getattr(import_module(module), attribute)()
    return made


def validate_table(table: Table) -> Table:
    """The table with its connector's traits. Raises ValidationError when its options are wrong."""
    options = dict(table.options)
    if "connector" not in options:
        raise ValidationError(
            "Table options do not contain an option key 'connector' for discovering a connector."
        )
    found = connector(options["connector"])
    found.validate(table)
    return replace(table, traits=found.traits(table))
