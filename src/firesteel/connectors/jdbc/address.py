"""Conversion of a JDBC URL to an address for SQLAlchemy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from firesteel.connectors.jdbc.dialects import Dialect
from firesteel.errors import NotSupportedError, ValidationError

_SSL = {"true": "require", "false": "disable"}
_WITHOUT_EFFECT = frozenset(
    (
        *("useSSL", "allowPublicKeyRetrieval", "serverTimezone", "connectionTimeZone", "useUnicode"),
        *("characterEncoding", "autoReconnect", "rewriteBatchedStatements", "reWriteBatchedInserts"),
        *("zeroDateTimeBehavior", "tinyInt1isBit", "useCursorFetch", "useServerPrepStmts", "cachePrepStmts"),
        *("stringtype", "tcpKeepAlive", "socketTimeout", "loginTimeout", "defaultRowFetchSize"),
    )
)
"""Parameters of a JDBC URL that are ignored.

They only tune Java's drivers, or ask for what the drivers here do anyway.
"""


@dataclass(frozen=True)
class Address:
    """Address of a database.

    Attributes:
        driver: SQLAlchemy's name of the driver.
        shown: The URL without secrets.
        host: Host of the server, None for a file.
        port: Port of the server, None for the default.
        database: Name or path of the database.
        username: User, None for none.
        password: Password, None for none.
        query: Parameters for the driver.
    """

    driver: str
    shown: str
    host: str | None
    port: int | None
    database: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    query: tuple[tuple[str, str], ...] = ()


def address_of(dialect: Dialect, url: str, username: str | None, password: str | None) -> Address:
    """Return the address of a database.

    Args:
        dialect: The database's dialect.
        url: The JDBC URL, which may contain the user and the password.
        username: User from the table's options, which has priority over that in the URL; None for none.
        password: Password from the table's options, which has priority over that in the URL; None for none.

    Raises:
        ValidationError: The URL is invalid.
        NotSupportedError: A parameter of the URL is unknown.
    """
    shown = url.split("?")[0]
    scheme, _, rest = url.removeprefix("jdbc:").partition(":")
    if scheme == "sqlite":
        if not shown.removeprefix("jdbc:sqlite:") or ":memory:" in rest:
            raise ValidationError(
                f"'{shown}' names no file.", option="url", hint="jdbc:sqlite:/path/to/file.db"
            )
        return Address(dialect.driver, shown, None, None, rest.split("?")[0].removeprefix("//"))
    parts = urlsplit(rest if rest.startswith("//") else f"//localhost/{rest}")
    try:
        port = parts.port
    except ValueError:
        raise ValidationError(f"'{shown}' is no URL of one {dialect.name} server.", option="url") from None
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    username = username or given.pop("user", None) or _plain(parts.username)
    password = password or given.pop("password", None) or _plain(parts.password)
    if parts.username or parts.password:
        shown = shown.replace(parts.netloc, parts.netloc.rpartition("@")[2])
    query = tuple(pair for key, value in given.items() for pair in _parameter(dialect, key, value))
    return Address(
        dialect.driver, shown, parts.hostname, port, parts.path.strip("/"), username, password, query
    )


def _plain(text: str | None) -> str | None:
    return None if text is None else unquote(text)


def _parameter(dialect: Dialect, key: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of the driver's parameter for a parameter of the URL; nothing if it is ignored.

    Raises:
        NotSupportedError: The parameter is unknown.
    """
    if key in _WITHOUT_EFFECT:
        return
    if dialect.on_duplicate:
        raise _unknown(dialect, key)
    if key == "currentSchema":
        yield "options", f"-csearch_path={value}"
    elif key == "ssl":
        yield "sslmode", _SSL.get(value.lower(), "require")
    elif key in ("ApplicationName", "connectTimeout"):
        yield {"ApplicationName": "application_name", "connectTimeout": "connect_timeout"}[key], value
    elif key in ("sslmode", "sslrootcert", "sslcert", "sslkey", "options"):
        yield key, value
    else:
        raise _unknown(dialect, key)


def _unknown(dialect: Dialect, key: str) -> NotSupportedError:
    return NotSupportedError(
        f"The parameter '{key}' of a JDBC URL for {dialect.name} has no counterpart here.",
        hint="leave it out",
        option="url",
    )
