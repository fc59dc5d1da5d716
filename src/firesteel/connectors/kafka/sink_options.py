"""Options for writing a Kafka table. Flink: KafkaConnectorOptions, KafkaConnectorOptionsUtil."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.errors import NotSupportedError, ValidationError

NONE, AT_LEAST_ONCE, EXACTLY_ONCE = "none", "at-least-once", "exactly-once"
DEFAULT, FIXED, ROUND_ROBIN = "default", "fixed", "round-robin"
_GUARANTEES = (EXACTLY_ONCE, AT_LEAST_ONCE, NONE)

SINK_OPTIONS = (
    Option(
        "sink.delivery-guarantee",
        Kind.ENUM,
        AT_LEAST_ONCE,
        "What a crash may do: exactly-once, at-least-once or none.",
        _GUARANTEES,
    ),
    Option("sink.semantic", Kind.ENUM, None, "The older name of sink.delivery-guarantee.", _GUARANTEES),
    Option(
        "sink.transactional-id-prefix",
        Kind.STRING,
        None,
        "Begins the names of transactions and of the consumer groups that hold their batches' numbers.",
    ),
    Option("sink.transaction-naming-strategy", Kind.STRING, "DEFAULT", "Has no effect."),
)
FLUSH = (
    Option(
        "sink.buffer-flush.max-rows",
        Kind.INTEGER,
        "0",
        "Of so many rows of a micro-batch only the last of each key is sent; 0 for all.",
    ),
    Option("sink.buffer-flush.interval", Kind.DURATION, "0 s", "Set together with max-rows."),
)
"""Options of `upsert-kafka` alone."""
PARTITIONER = Option(
    "sink.partitioner",
    Kind.STRING,
    DEFAULT,
    "default and round-robin (by the key, else any partition), or fixed (one partition a task).",
)


@dataclass(frozen=True)
class SinkOptions:
    """Checked options of a sink.

    Attributes:
        guarantee: Flink's delivery guarantee: exactly-once, at-least-once or none.
        prefix: Prefix of transactional IDs.
        fixed: Whether a task writes to only one partition.
        flush: Size of a group of rows, of which only the last row of each key is sent. 0 sends all rows.
    """

    guarantee: str
    prefix: str
    fixed: bool
    flush: int = 0

    @property
    def in_transactions(self) -> bool:
        return self.guarantee == EXACTLY_ONCE


def sink_options(options: Mapping[str, str]) -> SinkOptions:
    """Return the checked options of a sink.

    Raises:
        ValidationError: An option is wrong. The text is Flink's.
        NotSupportedError: An option names a Java class.
    """
    typed = TypedOptions((*SINK_OPTIONS, *FLUSH, PARTITIONER), options)
    partitioner = typed["sink.partitioner"]
    if partitioner == ROUND_ROBIN and "key.fields" in options:
        raise ValidationError(
            "Currently 'round-robin' partitioner only works when option 'key.fields' is not specified."
        )
    if not partitioner:
        raise ValidationError("Option 'sink.partitioner' should be a non-empty string.")
    if partitioner not in (DEFAULT, FIXED, ROUND_ROBIN):
        raise NotSupportedError(
            f"'sink.partitioner' = '{partitioner}': a partitioner that is a Java class cannot run.",
            hint="it can be default, fixed or round-robin",
        )
    guarantee, prefix = typed["sink.semantic"] or typed["sink.delivery-guarantee"], ""
    if guarantee == EXACTLY_ONCE:
        prefix = typed["sink.transactional-id-prefix"]
        if prefix is None:
            raise ValidationError(
                "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE."
            )
    rows, interval = (typed[option.key] for option in FLUSH)
    if (rows > 0) != (interval > 0):
        raise ValidationError(
            "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than "
            "zero together to enable sink buffer flushing."
        )
    return SinkOptions(guarantee, prefix, partitioner == FIXED, max(0, rows))
