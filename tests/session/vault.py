"""A connector that another package brings, with options that hold secrets: files, for those who know them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from firesteel.catalog.schema import Table
from firesteel.config.option import Kind, Option
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.filesystem.connector import Filesystem
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

PASSWORD, TOKEN, NUMBER = "open sesame 4711", "key-0815-token", "9182736455"
_KEYS = ("password", "client.token", "pin")


class Vault(Filesystem):
    """Refuses whoever has other secrets."""

    name = "vault"
    options = (*Filesystem.options, Option("pin", Kind.STRING, None, "Of the door.", secret=True))

    def validate(self, table: Table) -> None:
        super().validate(replace(table, options=_plain(table.options)))

    def source(self, scan: ScanSpec) -> Source:
        return super().source(_opened(scan))

    def sink(self, sink: SinkSpec) -> Sink:
        return super().sink(_opened(sink))


def _plain(options: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in options if key not in _KEYS)


def _opened(spec: Any) -> Any:
    found = dict(spec.options)
    if tuple(map(found.get, _KEYS)) != (PASSWORD, TOKEN, NUMBER):
        raise RuntimeError("the vault stays closed")
    return replace(spec, options=_plain(spec.options))
