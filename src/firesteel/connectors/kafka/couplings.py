"""Adjustment of properties to librdkafka, where its limits and couplings differ from Kafka's Java client.

A value that only librdkafka rejects becomes the nearest valid one. For some pairs of settings, librdkafka,
unlike Java, requires that one value is at most the other. If the user sets only one setting of such a pair,
the other setting gets a value that fits:

    fetch.max.bytes = 50000  ->  message.max.bytes = 50000, as librdkafka's default, 1000000, is above 50000
"""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.errors import ValidationError

_RANGES = {
    "batch.size": (1, 2147483647),
    "connections.max.idle.ms": (0, 2147483647),  # Java's -1 (never) becomes 0, which has this meaning.
    "fetch.max.bytes": (1000, 2147483135),
    "fetch.min.bytes": (1, 100000000),
    "fetch.wait.max.ms": (0, 300000),
    "linger.ms": (0, 900000),
    "max.in.flight.requests.per.connection": (1, 1000000),
    "max.partition.fetch.bytes": (1, 1000000000),
    "message.max.bytes": (1000, 1000000000),
    "metadata.max.age.ms": (1, 86400000),
    "reconnect.backoff.max.ms": (0, 3600000),
    "reconnect.backoff.ms": (0, 3600000),
    "retry.backoff.max.ms": (1, 300000),
    "retry.backoff.ms": (1, 300000),
    "sasl.kerberos.min.time.before.relogin": (0, 86400000),
    "socket.connection.setup.timeout.ms": (1000, 2147483647),
    "socket.receive.buffer.bytes": (0, 100000000),  # Java's -1 (the system's default) becomes 0.
    "socket.send.buffer.bytes": (0, 100000000),
    "socket.timeout.ms": (10, 300000),
    "transaction.timeout.ms": (1000, 2147483647),
}
"""Least and greatest value that librdkafka accepts, for properties for which Java's client accepts more."""
_LEVELS = {"gzip": (0, 9), "lz4": (0, 12), "zstd": (-1, 12)}
_RECONNECT, _RECONNECT_MAX = 100, 10_000
"""librdkafka's defaults of reconnect.backoff.ms and reconnect.backoff.max.ms, in milliseconds."""
_MESSAGE_BYTES = 1_000_000
"""librdkafka's default of message.max.bytes."""
_DELIVERY, _REQUEST = 120_000, 30_000
"""Java's defaults of delivery.timeout.ms and request.timeout.ms, in milliseconds."""
_TRANSACTION, _LONGEST_TRANSACTION = 300_000, 900_000
"""Milliseconds: default time-out of a transaction, and the longest one that a broker allows by default.

The broker's setting is transaction.max.timeout.ms.
"""
_REQUEST_MARGIN = 100
"""Milliseconds by which transaction.timeout.ms must exceed socket.timeout.ms (Java: request.timeout.ms)."""
_MOST_IN_FLIGHT = 5
"""Maximum number of unanswered requests of an idempotent producer."""


def in_range(name: str, value: str) -> str:
    """Return `value`, or the nearest value that librdkafka accepts for the property.

    Args:
        name: librdkafka's name of the property.
        value: Value that the user wrote. If it is not an integer, it is returned unchanged.
    """
    if name not in _RANGES:
        return value
    number = _number(value)
    if number is None:
        return value
    least, most = _RANGES[name]
    return str(min(max(number, least), most)) if not least <= number <= most else value


def coupled(given: Mapping[str, str]) -> dict[str, str]:
    """Return the properties to add to `given`, so that librdkafka accepts all of them together.

    {"fetch.max.bytes": "50000"} -> {"message.max.bytes": "50000"}
    {"reconnect.backoff.ms": "20000"} -> {"reconnect.backoff.max.ms": "20000"}

    Args:
        given: Properties of a consumer or producer, with librdkafka's names.
    """
    made: dict[str, str] = {}
    fetch = _number(given.get("fetch.max.bytes", ""))
    if fetch is not None and fetch < _MESSAGE_BYTES and "message.max.bytes" not in given:
        made["message.max.bytes"] = str(fetch)
    first, last = (_number(given.get(f"reconnect.backoff.{name}", "")) for name in ("ms", "max.ms"))
    if first is not None and last is None and first > _RECONNECT_MAX:
        made["reconnect.backoff.max.ms"] = str(first)
    if last is not None and first is None and last < _RECONNECT:
        made["reconnect.backoff.ms"] = str(last)
    return made


def compression_level(properties: Mapping[str, str]) -> dict[str, str]:
    """Return librdkafka's `compression.level` for the codec in `compression.type`.

    Java's client has a property for each codec, such as `compression.gzip.level`. The result is {} if the
    codec's property is not set, or if the codec has no levels.
    """
    codec = properties.get("compression.type", "none").lower()
    level = _number(properties.get(f"compression.{codec}.level", ""))
    if level is None or codec not in _LEVELS:
        return {}
    least, most = _LEVELS[codec]
    return {"compression.level": str(min(max(level, least), most))}


def producer_coupled(given: Mapping[str, str], in_transactions: bool) -> dict[str, str]:
    """Return the properties that a producer needs in addition to the given ones, in librdkafka's names.

    Raises:
        ValidationError: The user has set two properties that librdkafka rejects together.
    """
    linger, delivery = (_number(given.get(name, "")) for name in ("linger.ms", "delivery.timeout.ms"))
    least = (linger or 0) + _REQUEST
    made = {} if delivery is not None else {"delivery.timeout.ms": str(max(_DELIVERY, least))}
    if in_transactions:
        return made | _of_transactions(given, delivery, int(made.get("delivery.timeout.ms", 0)))
    if _may_be_idempotent(given):
        made["enable.idempotence"] = "true"
    return made


def _of_transactions(given: Mapping[str, str], delivery: int | None, wanted: int) -> dict[str, str]:
    """Return the time-outs to add to the properties of a transactional producer, in librdkafka's names.

    They are `transaction.timeout.ms`, `delivery.timeout.ms` or both. librdkafka requires that
    `delivery.timeout.ms` is at most `transaction.timeout.ms`. It also requires that `socket.timeout.ms`
    (Java: `request.timeout.ms`) is at least 100 ms less than `transaction.timeout.ms`.

    Args:
        given: Properties that the user has set.
        delivery: The user's `delivery.timeout.ms`, None if it is not set.
        wanted: `delivery.timeout.ms` to add if the user has not set it.

    Raises:
        ValidationError: The time-outs that the user has set break one of these rules.
    """
    limit = _number(given.get("transaction.timeout.ms", ""))
    request = _number(given.get("socket.timeout.ms", ""))
    if limit is None:
        longest = max(_TRANSACTION, delivery or 0, (request or 0) + _REQUEST_MARGIN)
        limit = min(longest, _LONGEST_TRANSACTION)
        made = {"transaction.timeout.ms": str(limit)}
        if delivery is not None and delivery > limit:
            made["delivery.timeout.ms"] = str(limit)
        return made if delivery is not None else made | {"delivery.timeout.ms": str(min(wanted, limit))}
    if delivery is not None and delivery > limit:
        raise _too_long("delivery.timeout.ms", delivery, limit, limit)
    if request is not None and request > limit - _REQUEST_MARGIN:
        raise _too_long("request.timeout.ms", request, limit, limit - _REQUEST_MARGIN)
    return {} if delivery is not None else {"delivery.timeout.ms": str(min(wanted, limit))}


def _too_long(name: str, value: int, limit: int, most: int) -> ValidationError:
    return ValidationError(
        f"'properties.{name}' = '{value}' is longer than 'properties.transaction.timeout.ms' = '{limit}' "
        "allows.",
        hint=f"set 'properties.{name}' to at most {most}, or leave one of the two out",
    )


def _may_be_idempotent(given: Mapping[str, str]) -> bool:
    """Return whether a producer of Java's client with these properties is idempotent by default.

    It is not if the user has set `acks`, `retries` or the requests in flight to a value that rules this out.
    """
    flying = _number(given.get("max.in.flight.requests.per.connection", "1"))
    return (
        given.get("acks", "all").lower() in ("all", "-1")
        and given.get("retries") != "0"
        and flying is not None
        and flying <= _MOST_IN_FLIGHT
    )


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
