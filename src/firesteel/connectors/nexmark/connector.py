"""The connector `nexmark`: events of the Nexmark benchmark, as the public generator distributes them."""

from __future__ import annotations

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.nexmark.columns import COLUMNS
from firesteel.connectors.nexmark.options import OPTIONS, parsed
from firesteel.connectors.nexmark.source import NexmarkSource
from firesteel.connectors.options import check_unknown, keys
from firesteel.errors import ValidationError
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.types.sql import SqlType


class Nexmark:
    """The connector `nexmark`, which generates events."""

    name = "nexmark"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_unknown(self.name, options, keys(OPTIONS))
        parsed(options)
        physical = [column for column in table.columns if column.is_physical]
        for expected, column in zip(COLUMNS.values(), physical, strict=False):
            if not _is_like(column.type, expected):
                raise _wrong_schema(f"column '{column.name}' must be {expected}, not {column.type}")
        if len(physical) != len(COLUMNS):
            raise _wrong_schema(f"it must have {len(COLUMNS)} physical columns, not {len(physical)}")

    def traits(self, table: Table) -> SourceTraits:
        options = parsed(dict(table.options))
        is_bounded = options.total is not None and not options.is_kept_alive
        return SourceTraits(INSERT_ONLY, bounded=is_bounded, pushes_projection=False)

    def source(self, scan: ScanSpec) -> Source:
        return NexmarkSource(scan)

    def sink(self, sink: SinkSpec) -> Sink:
        raise ValidationError(
            f"Connector '{self.name}' can only be used as a source. It cannot be used as a sink."
        )


def _is_like(kind: SqlType, expected: SqlType) -> bool:
    """Return whether a column of an event table may have the type `kind`.

    `kind` must be equal to `expected`, except that nested fields may have other names, and that a scalar may
    be NOT NULL or nullable. A ROW must be nullable: in the row of a bid, the columns `person` and `auction`
    are NULL.
    """
    children = zip(kind.children, expected.children, strict=False)
    return (
        (kind.root, kind.length, kind.precision, len(kind.children))
        == (expected.root, expected.length, expected.precision, len(expected.children))
        and kind.nullable >= bool(expected.children)
        and all(_is_like(*pair) for pair in children)
    )


def _wrong_schema(reason: str) -> ValidationError:
    listed = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    return ValidationError(f"Connector 'nexmark' has another schema: {reason}.", hint=f"declare: {listed}")
