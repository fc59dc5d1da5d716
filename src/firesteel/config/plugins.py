"""Connectors and formats by name: built-in ones and those of other packages (entry points)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Plugins:
    """Registry of plug-in classes of one kind, such as connectors."""

    group: str
    """Entry point group that other packages register their classes in."""
    own: Mapping[str, str]
    """Built-in classes: name to `module:class`.

    pyproject.toml has the same entries. They are repeated here because reading the entry points of all
    installed packages takes longer than importing the module of one class.
    """
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Further built-in classes, which only Firesteel itself looks up. `names` does not list them."""

    def names(self) -> list[str]:
        """Return the names of all listed plug-ins, sorted."""
        return sorted({*self.own, *self._entries()})

    def find(self, name: str) -> Any | None:
        """Return a new instance of the plug-in class with that name, or None if no class has the name.

        The class's module is imported only now, so that workers import only the plug-ins that they run.
        """
        place = self.own.get(name) or self.hidden.get(name) or self._entries().get(name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)()

    def _entries(self) -> dict[str, str]:
        from importlib.metadata import entry_points

        return {entry.name: entry.value for entry in entry_points(group=self.group)}
