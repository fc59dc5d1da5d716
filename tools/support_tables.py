"""Tables of the formats and the connectors for docs/support.md (make_support.py).

A format is asked for a decoder and an encoder of each type, a connector for the traits of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

from tools.make_reference import _table

from firesteel import TableEnvironment
from firesteel.catalog.schema import SourceTraits, Table
from firesteel.connectors.nexmark.columns import COLUMNS
from firesteel.connectors.registry import CONNECTORS, validate_table
from firesteel.errors import FiresteelError
from firesteel.formats.base import Fields
from firesteel.formats.registry import FORMATS
from firesteel.sql.parser import parse_type

TYPES = (
    *(
        "CHAR(3)",
        "STRING",
        "BOOLEAN",
        "BYTES",
        "DECIMAL(10, 2)",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "FLOAT",
    ),
    *("DOUBLE", "DATE", "TIME(0)", "TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(3)"),
    *(
        "INTERVAL YEAR TO MONTH",
        "INTERVAL DAY TO SECOND",
        "ARRAY<INT>",
        "MAP<STRING, INT>",
        "MULTISET<STRING>",
    ),
    *("ROW<a INT, b STRING>", "VARIANT", "BITMAP"),
)
"""Types that formats are asked for."""
FORMAT_OPTIONS = {
    "avro-confluent": {"url": "http://registry", "subject": "s"},
    "debezium-avro-confluent": {"url": "http://registry", "subject": "s"},
}
"""Options that a format needs."""
_KAFKA = "'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'properties.group.id' = 'g'"
TABLES = {
    "blackhole": "(k STRING) WITH ('connector' = 'blackhole')",
    "datagen": "(k STRING) WITH ('connector' = 'datagen')",
    "filesystem": "(k STRING) WITH ('connector' = 'filesystem', 'path' = '/data/t', 'format' = 'json')",
    "jdbc": "(k STRING PRIMARY KEY NOT ENFORCED) "
    "WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:/data/t.db', 'table-name' = 't')",
    "kafka": f"(k STRING) WITH ('connector' = 'kafka', {_KAFKA}, 'scan.startup.mode' = 'earliest-offset', "
    "'format' = 'json')",
    "nexmark": f"({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())}) "
    "WITH ('connector' = 'nexmark')",
    "print": "(k STRING) WITH ('connector' = 'print')",
    "upsert-kafka": f"(k STRING PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'upsert-kafka', {_KAFKA}, "
    "'key.format' = 'json', 'value.format' = 'json')",
}
"""A table of each connector."""
SINK_MODES = {
    "all": "all changes",
    "requested": "all changes",
    "no-update-before": "all changes, without the old rows of updates",
    "upsert": "all changes, by key",
    "insert-only": "inserts",
}


def formats() -> str:
    rows = []
    for name in sorted(FORMATS.own):
        found, options = FORMATS.find(name), FORMAT_OPTIONS.get(name, {})
        holds = "rows" if found.changelog_mode.is_insert_only else "changes"
        places = " and ".join(
            place for place, works in (("messages", _messages), ("files", _files)) if works(found, options)
        )
        unread = [kind for kind in TYPES if not _works(_decoder, found, kind, options)]
        unwritten = [kind for kind in TYPES if not _works(_encoder, found, kind, options)]
        rows.append((f"`{name}`", holds, places, _listed(unread), _listed(unwritten)))
    heading = ("format", "holds", "in", "types that it does not read", "types that it does not write")
    return "## Formats\n\n" + _table(heading, rows)


def _listed(types: list[str]) -> str:
    return ", ".join(f"`{kind}`" for kind in types)


def _works(made: Callable[..., Any], found: Any, kind: str, options: dict[str, str]) -> bool:
    """Return whether a format makes a decoder or an encoder of a type."""
    type_ = parse_type(kind)
    with suppress(FiresteelError):
        found.validate(options, ("c",), (type_,))
        made(found, Fields(("c",), (type_,), ("c",), (type_,)), options)
        return True
    return False


def _decoder(found: Any, fields: Fields, options: dict[str, str]) -> None:
    if hasattr(found, "file_reader") and not _messages(found, options):
        found.file_reader(fields, options)
    else:
        found.decoder(fields, options)


def _encoder(found: Any, fields: Fields, options: dict[str, str]) -> None:
    if hasattr(found, "file_writer") and not _messages(found, options):
        found.file_writer(fields, options, BytesIO())
    else:
        found.encoder(fields, options)


def _messages(found: Any, options: dict[str, str]) -> bool:
    """Return whether a format has messages, such as those of Kafka."""
    kind = parse_type("STRING")
    with suppress(FiresteelError):
        found.decoder(Fields(("c",), (kind,), ("c",), (kind,)), options)
        return True
    return False


def _files(found: Any, options: dict[str, str]) -> bool:
    """Return whether a format has files."""
    if hasattr(found, "file_reader"):
        return True
    with suppress(FiresteelError):
        found.framing(options)
        return True
    return False


def connectors() -> str:
    rows = []
    for name in sorted(CONNECTORS.own):
        plain = _abilities(_traits(TABLES[name]))
        others = _abilities(_traits(TABLES[name].replace("'format' = 'json'", "'format' = 'canal-json'")))
        pairs = zip(plain, others, strict=True)
        cells = (a if a == b else f"{a}; {b or 'no'} with canal-json" for a, b in pairs)
        rows.append((f"`{name}`", *cells))
    heading = ("connector", "reads", "is looked up", "writes")
    return "## Connectors\n\n" + _table(heading, rows)


def _traits(definition: str) -> SourceTraits:
    environment = TableEnvironment.create()
    environment.execute_sql(f"CREATE TABLE t {definition}")
    table = environment.catalog.find(("t",))
    assert isinstance(table, Table)
    traits = validate_table(table).traits
    assert traits is not None
    return traits


def _abilities(traits: SourceTraits) -> tuple[str, str, str]:
    reads = ("inserts" if traits.changelog_mode.is_insert_only else "changes") if traits.readable else ""
    writes = SINK_MODES[traits.sink_mode] if traits.writable else ""
    return reads, "yes" if traits.has_lookups else "", writes
