"""Options that hold a secret, and texts with the secrets removed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

HIDDEN = "******"
_SENSITIVE = (
    "password", "secret", "fs.azure.account.key", "apikey", "api-key", "auth-params", "service-key", "token",
    "basic-auth", "jaas.config", "http-headers",
)  # fmt: skip
"""Parts of the keys of secret options (Flink: GlobalConfiguration.SENSITIVE_KEYS)."""
_ASSIGNED = re.compile(r"('(?:[^']|'')*'\s*=?\s*')((?:[^']|'')*)(?=')")
_SHORTEST = 3
"""Least length of a secret that is searched in messages. A shorter one would be found in any message."""


_IN_URL = re.compile(r"(?:[?&;]password=([^&;\s']+)|://[^/@\s']*?:([^/@\s']+)@)", re.IGNORECASE)
"""Password in a URL."""


def has_password(value: str) -> bool:
    """Return whether a value is a JDBC URL (it begins with `jdbc:`) that contains a password.

    A password is the value of a parameter (`?password=x`) or follows the user (`//user:x@host`).
    """
    return value.startswith("jdbc:") and _IN_URL.search(value) is not None


def is_sensitive(key: str) -> bool:
    """Return whether an option's value is a secret, judged by the option's key."""
    lower = key.lower()
    return any(part in lower for part in _SENSITIVE)


def is_hidden(key: str, value: str) -> bool:
    """Return whether an option's value is a secret, judged by its key or by a password in it."""
    return is_sensitive(key) or has_password(value)


def shown(key: str, value: str) -> str:
    """Return the value of an option as it may be printed: asterisks for a secret."""
    return HIDDEN if is_hidden(key, value) else value


def redacted(sql: str, declared: Collection[str] = ()) -> str:
    """Return a SQL text with asterisks for secret option values. Lines and columns stay.

    Args:
        sql: The text.
        declared: Keys of secret options, besides those that are recognized by name or value.
    """

    def hide(match: re.Match[str]) -> str:
        key, value = match.groups()
        hidden = is_hidden(key, value) or key.split("'")[1] in declared
        return key + re.sub(r"[^\n]", "*", value) if hidden else match.group()

    return _ASSIGNED.sub(hide, sql)


def without_secrets(text: str, sql: str) -> str:
    """Return a message about a SQL text, without the secrets of that text."""
    for secret in _secrets_in(sql):
        text = text.replace(secret, "*" * len(secret))
    return text


def _secrets_in(sql: str) -> Iterator[str]:
    for match in _ASSIGNED.finditer(sql):
        key, value = match.groups()
        if has_password(value):
            found = (one[1] or one[2] for one in _IN_URL.finditer(value))
            yield from (value, *(secret for secret in found if len(secret) >= _SHORTEST))
        elif is_sensitive(key):
            lines = {*value.split("\n"), *value.replace("''", "'").split("\n")}
            yield from sorted((line for line in lines if len(line) >= _SHORTEST), key=len, reverse=True)
