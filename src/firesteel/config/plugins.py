"""Connectors and formats by name: Firesteel's own, and those that other packages bring as entry points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Plugins:
    """group: of the entry points. own: name to `module:class`, as in pyproject.toml; known here, too, as a
    worker searches installed packages for longer than it loads one of them."""

    group: str
    own: Mapping[str, str]
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Those that are found and not listed: no statement names them."""

    def names(self) -> list[str]:
        """All that there are."""
        return sorted({*self.own, *self._entries()})

    def find(self, name: str) -> Any | None:
        """An object of the class of that name; None where there is none. It is loaded when first asked for: a
        worker imports the one that it runs."""
        place = self.own.get(name) or self.hidden.get(name) or self._entries().get(name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)()

    def _entries(self) -> dict[str, str]:
        from importlib.metadata import entry_points

        return {entry.name: entry.value for entry in entry_points(group=self.group)}
