"""Which options hold a secret, and texts without them."""

from __future__ import annotations

import re
from collections.abc import Iterator

HIDDEN = "******"
_SENSITIVE = (
    "password", "secret", "fs.azure.account.key", "apikey", "api-key", "auth-params", "service-key", "token",
    "basic-auth", "jaas.config", "http-headers",
)  # fmt: skip
"""Flink's GlobalConfiguration.SENSITIVE_KEYS: parts of keys."""
_ASSIGNED = re.compile(r"('(?:[^']|'')*'\s*=?\s*')((?:[^']|'')*)(?=')")
_SHORTEST = 3
"""A shorter line of a secret is not looked for in messages: it would be found in any."""


_IN_URL = re.compile(r"(?:[?&;]password=([^&;\s']+)|://[^/@\s']*?:([^/@\s']+)@)", re.IGNORECASE)
"""A password in a URL."""


def has_password(value: str) -> bool:
    """Whether a value is a URL with a password in it."""
    return value.startswith("jdbc:") and _IN_URL.search(value) is not None


def is_sensitive(key: str) -> bool:
    """Whether the option's value is a secret, by its name."""
    lower = key.lower()
    return any(part in lower for part in _SENSITIVE)


def is_hidden(key: str, value: str) -> bool:
    """Whether the option's value is a secret, by the option's name or because there is a password in it."""
    return is_sensitive(key) or has_password(value)


def shown(key: str, value: str) -> str:
    """The value as it may be printed."""
    return HIDDEN if is_hidden(key, value) else value


def redacted(sql: str) -> str:
    """SQL with asterisks for the values of options that hold secrets; nothing moves to another place."""

    def hide(match: re.Match[str]) -> str:
        key, value = match.groups()
        return key + re.sub(r"[^\n]", "*", value) if is_hidden(key, value) else match.group()

    return _ASSIGNED.sub(hide, sql)


def without_secrets(text: str, sql: str) -> str:
    """A message about the SQL without the secrets that stand there."""
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
