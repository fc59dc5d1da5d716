"""The options of the connector `filesystem`. Flink: FileSystemConnectorOptions."""

from __future__ import annotations

from firesteel.connectors.options import CONNECTOR, PARALLELISM, VERSION, WATERMARKS
from firesteel.option import Kind, Option

_UNREAD = "Taken as Flink takes it; not read."


def _unread(key: str, kind: Kind = Kind.STRING, default: str | None = None) -> Option:
    return Option(key, kind, default, _UNREAD)


OPTIONS = (
    CONNECTOR,
    Option("path", Kind.STRING, None, "A file or a folder.", required=True, decides_offsets=True),
    Option("format", Kind.STRING, None, "The files' format.", required=True, decides_offsets=True),
    Option(
        "source.monitor-interval",
        Kind.DURATION,
        None,
        "Look for new files as long as the query runs, so often.",
    ),
    Option(
        *("source.path.regex-pattern", Kind.STRING, None, "Read only files whose whole path matches."),
        decides_offsets=True,
    ),
    Option(
        "sink.rolling-policy.file-size", Kind.MEMORY, "128 mb", "A larger file is ended and a new one begun."
    ),
    PARALLELISM,
    VERSION,
    *WATERMARKS,
    _unread("auto-compaction", Kind.BOOLEAN, "false"),
    _unread("compaction.file-size", Kind.MEMORY),
    _unread("partition.default-name", default="__DEFAULT_PARTITION__"),
    _unread("partition.time-extractor.class"),
    _unread("partition.time-extractor.kind", default="default"),
    _unread("partition.time-extractor.timestamp-formatter"),
    _unread("partition.time-extractor.timestamp-pattern"),
    _unread("sink.partition-commit.delay", Kind.DURATION, "0 s"),
    _unread("sink.partition-commit.policy.class"),
    _unread("sink.partition-commit.policy.class.parameters"),
    _unread("sink.partition-commit.policy.kind"),
    _unread("sink.partition-commit.success-file.name", default="_SUCCESS"),
    _unread("sink.partition-commit.trigger", default="process-time"),
    _unread("sink.partition-commit.watermark-time-zone", default="UTC"),
    _unread("sink.rolling-policy.check-interval", Kind.DURATION, "1 min"),
    _unread("sink.rolling-policy.inactivity-interval", Kind.DURATION, "30 min"),
    _unread("sink.rolling-policy.rollover-interval", Kind.DURATION, "30 min"),
    _unread("sink.shuffle-by-partition.enable", Kind.BOOLEAN, "false"),
    _unread("source.report-statistics", default="all"),
)
