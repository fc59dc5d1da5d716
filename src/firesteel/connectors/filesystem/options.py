"""Options of the connector `filesystem`. Flink: FileSystemConnectorOptions."""

from __future__ import annotations

import re
from pathlib import Path

from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.config.secrets import Pairs
from firesteel.connectors.lookup.options import OPTIONS as LOOKUPS
from firesteel.connectors.options import CONNECTOR, PARALLELISM, VERSION, WATERMARKS
from firesteel.errors import NotSupportedError, ValidationError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
MONITOR = "source.monitor-interval"
_POLICY = "sink.partition-commit.policy.kind"
_UNREAD = "Accepted for Flink's scripts; has no effect."


def _unread(key: str, kind: Kind = Kind.STRING, default: str | None = None) -> Option:
    return Option(key, kind, default, _UNREAD)


OPTIONS = (
    CONNECTOR,
    Option("path", Kind.STRING, None, "A file or a folder.", required=True, decides_offsets=True),
    Option("format", Kind.STRING, None, "The files' format.", required=True, decides_offsets=True),
    Option(MONITOR, Kind.DURATION, None, "Look for new files as long as the query runs, so often."),
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
    Option(
        *("partition.default-name", Kind.STRING, "__DEFAULT_PARTITION__"),
        "The folder of NULL and of an empty text.",
        decides_offsets=True,
    ),
    _unread("partition.time-extractor.class"),
    _unread("partition.time-extractor.kind", default="default"),
    _unread("partition.time-extractor.timestamp-formatter"),
    _unread("partition.time-extractor.timestamp-pattern"),
    _unread("sink.partition-commit.delay", Kind.DURATION, "0 s"),
    _unread("sink.partition-commit.policy.class"),
    _unread("sink.partition-commit.policy.class.parameters"),
    Option(
        *(_POLICY, Kind.STRING, None),
        "`success-file`: each partition that a batch wrote into gets an empty file.",
    ),
    Option(
        "sink.partition-commit.success-file.name",
        Kind.STRING,
        "_SUCCESS",
        "Name of the empty file of `success-file`.",
    ),
    _unread("sink.partition-commit.trigger", default="process-time"),
    _unread("sink.partition-commit.watermark-time-zone", default="UTC"),
    _unread("sink.rolling-policy.check-interval", Kind.DURATION, "1 min"),
    _unread("sink.rolling-policy.inactivity-interval", Kind.DURATION, "30 min"),
    _unread("sink.rolling-policy.rollover-interval", Kind.DURATION, "30 min"),
    _unread("sink.shuffle-by-partition.enable", Kind.BOOLEAN, "false"),
    _unread("source.report-statistics", default="all"),
    *LOOKUPS,
)


def placed(options: Pairs) -> Pairs:
    """Return the options of a sink; for the connector `filesystem`, a relative `path` is made absolute.

    The sink's tasks run in executors, where a relative path could mean another folder.
    """
    if ("connector", "filesystem") not in options:
        return options
    return tuple(
        (key, str(Path(value).absolute()) if key == "path" and not _SCHEME.match(value) else value)
        for key, value in options
    )


def success_file(values: TypedOptions) -> str | None:
    """Return the name of the empty file that marks a partition's folder as committed, such as `_SUCCESS`.

    The sink creates this file after the files with rows. Return None if the options request no such file.

    Raises:
        ValidationError: The commit policy is `metastore`, which Flink has only for Hive tables.
        NotSupportedError: The commit policy is any other one than `success-file`.
    """
    kinds = [kind.strip().lower() for kind in (values[_POLICY] or "").split(",") if kind.strip()]
    if "metastore" in kinds:
        raise ValidationError(
            "Can not configure a 'metastore' partition commit policy for a file system table. You can only "
            "configure 'metastore' partition commit policy for a hive table.",
            option=_POLICY,
        )
    if others := [kind for kind in kinds if kind != "success-file"]:
        raise NotSupportedError(f"'{_POLICY}' = '{others[0]}' is not supported", hint="use success-file")
    name: str = values["sink.partition-commit.success-file.name"]
    return name if kinds else None
