"""The session configuration: options and the values that they are set to.

Keys, defaults and texts are Flink's (ExecutionConfigOptions, OptimizerConfigOptions, TableConfigOptions,
PipelineOptions, CheckpointingOptions), listed in table.py. Keys of Firesteel's own options start with
`firesteel.`. An unknown key is stored and has no effect, as in Flink.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from firesteel.config.option import Kind, Option, parse_duration, parse_memory
from firesteel.config.table import OPTIONS
from firesteel.errors import FiresteelWarning

_KNOWN = {option.key: option for option in OPTIONS}
_PREFIXES = {option.key.partition(".")[0] for option in OPTIONS}
_CLOSE = 0.92
"""Least similarity (difflib's ratio) at which an unknown key counts as a misspelling of a known key.

Two keys of 30 characters pass if they differ in two characters (0.93), but not if they differ in three (0.9).
"""


class Configuration(Mapping[str, str]):
    """Options that are set, as a mapping from keys to values as written."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, str] = {}
        for key, value in (values or {}).items():
            self.set(key, value)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value in the option's type: a duration in milliseconds, an enum as its name.

        Args:
            key: Key of the option. The value of an unknown key is returned as written.
            default: Result if the option is not set. If it is None, the result is the option's own default,
                or None for an unknown key.
        """
        option = _KNOWN.get(key)
        if key in self._values:
            text = self._values[key]
            return text if option is None else option.parse(text)
        if default is not None or option is None or option.default is None:
            return default
        return option.parse(option.default)

    def has_default(self, key: str) -> bool:
        """Return whether a known option is not set, or is set to its default value."""
        option = _KNOWN[key]
        return bool(self.get(key) == (None if option.default is None else option.parse(option.default)))

    def set(self, key: str, value: str) -> Configuration:
        """Set an option and return this configuration. Warn if the key looks misspelled.

        Raises:
            ValidationError: The value is not of the option's type.
        """
        option = _KNOWN.get(key)
        if option is not None:
            option.parse(str(value))
        elif meant := meant_by(key):
            warnings.warn(
                f"'{key}' is no option and has no effect: did you mean '{meant}'?",
                FiresteelWarning,
                stacklevel=2,
            )
        self._values[key] = str(value)
        return self

    def reset(self, key: str | None = None) -> None:
        """Reset one option to its default, or all if `key` is None."""
        if key is None:
            self._values.clear()
        else:
            self._values.pop(key, None)

    def to_dict(self) -> dict[str, str]:
        """Return the options that are set, sorted by key, with their values as written."""
        return dict(sorted(self._values.items()))

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._values))

    def __len__(self) -> int:
        return len(self._values)


def meant_by(key: str) -> str | None:
    """Return the known key that `key` is probably a misspelling of, or None.

    Flink has more options than Firesteel lists in config/table.py, so an unknown key may be right. Return
    None if `key` resembles no listed key. Return None also if no listed key has the same text before its
    first dot: no listed key begins with `spark.`, so `spark.master` counts as right.
    """
    if key.partition(".")[0] not in _PREFIXES:
        return None
    from difflib import get_close_matches

    near = get_close_matches(key.lower(), _KNOWN, n=1, cutoff=_CLOSE)
    return near[0] if near else None


__all__ = ["OPTIONS", "Configuration", "Kind", "Option", "parse_duration", "parse_memory"]
