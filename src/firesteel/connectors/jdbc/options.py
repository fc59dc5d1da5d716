"""Options of the connector `jdbc`. Flink: JdbcConnectorOptions, JdbcDynamicTableFactory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.connectors.jdbc.address import Address, address_of
from firesteel.connectors.jdbc.dialects import Dialect, dialect_of
from firesteel.connectors.lookup import options as lookup_options
from firesteel.connectors.lookup.options import FullCache, PartialCache
from firesteel.connectors.options import CONNECTOR, PARALLELISM, VERSION, WATERMARKS
from firesteel.errors import ValidationError

_MISSING, _MOST, _TTL = (f"lookup.cache.{name}" for name in ("caching-missing-key", "max-rows", "ttl"))
_SCANS = ("column", "num", "lower-bound", "upper-bound")

OPTIONS = (
    CONNECTOR,
    Option("url", Kind.STRING, None, "jdbc:postgresql:, jdbc:mysql: or jdbc:sqlite:", required=True),
    Option("table-name", Kind.STRING, None, "The database's table.", required=True, decides_offsets=True),
    Option("username", Kind.STRING, None, "The user of the database."),
    Option("password", Kind.STRING, None, "The user's password; shown nowhere."),
    Option("driver", Kind.STRING, None, "Has no effect: the URL says it."),
    Option("compatible-mode", Kind.STRING, None, "Has no effect."),
    Option(
        "connection.max-retry-timeout", Kind.DURATION, "60 s", "Wait so long for a database that is away."
    ),
    Option(
        *(
            "scan.partition.column",
            Kind.STRING,
            None,
            "A number's column by which the rows are cut into reads.",
        ),
        decides_offsets=True,
    ),
    Option("scan.partition.num", Kind.INTEGER, None, "How many reads.", decides_offsets=True),
    Option("scan.partition.lower-bound", Kind.LONG, None, "The least number.", decides_offsets=True),
    Option("scan.partition.upper-bound", Kind.LONG, None, "The greatest number.", decides_offsets=True),
    Option(
        "scan.fetch-size", Kind.INTEGER, "0", "Rows that are fetched together; 0 for the driver's choice."
    ),
    Option("scan.auto-commit", Kind.BOOLEAN, "true", "Has no effect."),
    Option("sink.buffer-flush.max-rows", Kind.INTEGER, "100", "Rows that are sent together."),
    Option(
        "sink.buffer-flush.interval", Kind.DURATION, "1 s", "Has no effect: rows are sent by micro-batch."
    ),
    Option("sink.max-retries", Kind.INTEGER, "3", "How often a write that failed is tried again."),
    PARALLELISM,
    VERSION,
    Option("filter.handling.policy", Kind.STRING, "always", "Has no effect."),
    Option("lookup.max-retries", Kind.INTEGER, "3", "How often a lookup that failed is tried again."),
    *lookup_options.OPTIONS,
    Option(*(_MISSING, Kind.BOOLEAN, "true"), "Deprecated: `lookup.partial-cache.cache-missing-key`."),
    Option(
        *(_MOST, Kind.LONG, "-1"),
        "Deprecated: `lookup.partial-cache.max-rows`. Turns the cache on, with `lookup.cache.ttl`.",
    ),
    Option(*(_TTL, Kind.DURATION, "10 s"), "Deprecated: `lookup.partial-cache.expire-after-write`."),
    *WATERMARKS,
)


@dataclass(frozen=True)
class Partitions:
    """Partitioning of a read by a column: `number` ranges of its values, with a split for each range.

    Only rows whose `column` is from `lower` to `upper` are read.
    """

    column: str
    number: int
    lower: int
    upper: int


@dataclass(frozen=True)
class JdbcOptions:
    """Checked options of a table.

    `patience` is the number of seconds to wait for an unreachable database. `flush` is the number of rows to
    send together.
    """

    dialect: Dialect
    address: Address
    table: str
    partitions: Partitions | None
    fetch: int
    patience: float
    flush: int
    retries: int
    lookup_retries: int = 3
    """Number of retries of a failed lookup."""
    cache: PartialCache | FullCache | None = None
    """Cache of lookups, None for no cache."""


def jdbc_options(options: Mapping[str, str]) -> JdbcOptions:
    """Return the checked options of a table.

    Raises:
        ValidationError: An option is wrong. The text is Flink's.
    """
    typed = TypedOptions(OPTIONS, options)
    dialect = dialect_of(options["url"])
    _all_or_none(options, ("username", "password"))
    _all_or_none(options, tuple(f"scan.partition.{name}" for name in _SCANS))
    _all_or_none(options, (_MOST, _TTL))
    for key in ("lookup.max-retries", "sink.max-retries"):
        if typed[key] < 0:
            raise ValidationError(f"The value of '{key}' option shouldn't be negative, but is {typed[key]}.")
    patience = typed["connection.max-retry-timeout"] // 1000
    if patience <= 0:
        raise ValidationError(
            "The value of 'connection.max-retry-timeout' option must be in second granularity and shouldn't "
            f"be smaller than 1 second, but is {options['connection.max-retry-timeout']}."
        )
    return JdbcOptions(
        dialect,
        address_of(dialect, options["url"], options.get("username"), options.get("password")),
        options["table-name"],
        _partitions(typed),
        typed["scan.fetch-size"],
        patience,
        max(1, typed["sink.buffer-flush.max-rows"]),
        typed["sink.max-retries"],
        typed["lookup.max-retries"],
        _cache(options, typed),
    )


def _cache(options: Mapping[str, str], typed: TypedOptions) -> PartialCache | FullCache | None:
    """Return the cache of lookups, None for no cache.

    A cache by `lookup.cache` has precedence over one by the deprecated options. FULL without reload options
    is no cache, as in Flink's connector, which accepts the value and caches nothing.
    """
    is_full = options.get(lookup_options.CACHE, "").upper() == "FULL"
    reloads = any(key.startswith(lookup_options.FULL) for key in options)
    found = None if is_full and not reloads else lookup_options.cache_of(options)
    if found is None and typed[_MOST] > 0 and typed[_TTL] > 0:
        return PartialCache(None, typed[_TTL], typed[_MOST], typed[_MISSING])
    return found


def _partitions(typed: TypedOptions) -> Partitions | None:
    column, number, lower, upper = (typed[f"scan.partition.{name}"] for name in _SCANS)
    if column is None:
        return None
    if lower > upper:
        raise ValidationError(
            f"'scan.partition.lower-bound'='{lower}' must not be larger than "
            f"'scan.partition.upper-bound'='{upper}'."
        )
    if number < 1:
        raise ValidationError("Batch number must be positive", option="scan.partition.num")
    return Partitions(column, number, lower, upper)


def _all_or_none(options: Mapping[str, str], group: tuple[str, ...]) -> None:
    if any(key in options for key in group) and not all(key in options for key in group):
        listed = "\n".join(group)
        raise ValidationError(f"Either all or none of the following options should be provided:\n{listed}")
