"""Options of the session, of connectors and of formats."""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.config.option import Kind, Option
from firesteel.config.registry import OPTIONS
from firesteel.connectors.registry import CONNECTORS
from firesteel.formats.registry import FORMATS

_CONNECTOR = Option(
    "connector", Kind.STRING, None, "Where the table's rows come from and go to.", required=True
)
_FORMAT_KEYS = ("format", "key.format", "value.format")


def settings() -> dict[str, Option]:
    """Return the options of SET by key."""
    return {option.key: option for option in OPTIONS}


def table_options(given: Mapping[str, str]) -> dict[str, Option]:
    """Return the options that a table may have, by key.

    Args:
        given: The options that the table has. Its connector and formats decide which others it may have.
    """
    found = {_CONNECTOR.key: _CONNECTOR}
    connector = CONNECTORS.find(given.get("connector", ""))
    if connector is not None:
        found.update({option.key: option for option in connector.options})
    for key in _FORMAT_KEYS:
        name = given.get(key, "")
        read = FORMATS.find(name)
        if read is not None:
            prefix = key.removesuffix("format")
            found.update({f"{prefix}{name}.{option.key}": option for option in read.options})
    return found


def values_of(key: str, option: Option | None) -> list[str]:
    """Return the values to offer for an option: all if its choice is fixed, else only its default.

    The list is empty if there is no default, or if `option` is None: the key is unknown.
    """
    if key == "connector":
        return CONNECTORS.names()
    if key in _FORMAT_KEYS:
        return FORMATS.names()
    if option is None:
        return []
    if option.kind is Kind.BOOLEAN:
        return ["true", "false"]
    return list(option.choices) or ([] if option.default is None else [option.default])


def described(option: Option) -> str:
    """Return the type, the default and the meaning of an option on one line."""
    default = "required" if option.required else option.default
    kind = option.kind.value if default is None or option.is_secret else f"{option.kind.value}, {default}"
    return f"{kind}: {option.doc}"
