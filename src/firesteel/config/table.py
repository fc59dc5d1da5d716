"""The session options, one entry each. The documentation is generated from this table."""

from __future__ import annotations

from firesteel.config.option import Kind, Option
from firesteel.config.restart import RESTART_OPTIONS

_BOOLEAN, _INTEGER, _LONG, _DURATION = Kind.BOOLEAN, Kind.INTEGER, Kind.LONG, Kind.DURATION
_STRING, _ENUM = Kind.STRING, Kind.ENUM

OPTIONS = (
    # state and mini-batch
    Option(
        "table.exec.state.ttl",
        _DURATION,
        "0 ms",
        "How long state that is not written is kept; 0: no limit.",
    ),
    Option("table.dynamic-table-options.enabled", _BOOLEAN, "true", "Allow OPTIONS hints on tables."),
    Option(
        "table.exec.mini-batch.enabled", _BOOLEAN, "false", "Collect input into bundles before aggregating."
    ),
    Option(
        "table.exec.mini-batch.allow-latency", _DURATION, "0 ms", "The longest time a bundle is collected."
    ),
    Option(
        "table.exec.mini-batch.size",
        _LONG,
        "-1",
        "The most records a bundle holds; must be set with mini-batch.",
    ),
    Option(
        "table.optimizer.agg-phase-strategy",
        _ENUM,
        "AUTO",
        "Aggregate in one phase, in two (local, then global), or as it fits.",
        ("AUTO", "ONE_PHASE", "TWO_PHASE"),
    ),
    Option(
        "table.optimizer.distinct-agg.split.enabled",
        _BOOLEAN,
        "false",
        "Split distinct aggregates by bucket.",
    ),
    Option(
        "table.optimizer.distinct-agg.split.bucket-num", _INTEGER, "1024", "How many buckets that split uses."
    ),
    Option(
        "table.optimizer.incremental-agg-enabled",
        _BOOLEAN,
        "true",
        "Join the final local and partial global steps.",
    ),
    # sinks
    Option(
        "table.exec.sink.upsert-materialize",
        _ENUM,
        "AUTO",
        "Keep the rows of a sink with a primary key in order where the query's key is another.",
        ("NONE", "AUTO", "FORCE"),
    ),
    Option(
        "table.exec.sink.upsert-materialize-strategy.type",
        _ENUM,
        "LEGACY",
        "How the rows of a key are kept; has no effect.",
        ("LEGACY", "MAP", "VALUE", "ADAPTIVE"),
    ),
    Option(
        "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.high",
        _LONG,
        None,
        "Rows of a key above which ADAPTIVE uses a map; has no effect.",
    ),
    Option(
        "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.low",
        _LONG,
        None,
        "Rows of a key below which ADAPTIVE uses a list; has no effect.",
    ),
    Option("table.exec.sink.require-on-conflict", _BOOLEAN, "true", "Ask for ON CONFLICT where keys differ."),
    Option(
        "table.exec.sink.not-null-enforcer",
        _ENUM,
        "ERROR",
        "NULL for a NOT NULL column: fail or drop the row.",
        ("ERROR", "DROP"),
    ),
    Option(
        "table.exec.sink.type-length-enforcer",
        _ENUM,
        "IGNORE",
        "Text and bytes longer or shorter than their type: leave, fit, or fail.",
        ("IGNORE", "TRIM_PAD", "ERROR"),
    ),
    Option(
        "table.exec.sink.nested-constraint-enforcer",
        _ENUM,
        "IGNORE",
        "Check the constraints of fields and elements in ROW, ARRAY and MAP, too.",
        ("IGNORE", "ROWS", "ROWS_AND_COLLECTIONS"),
    ),
    Option(
        "table.exec.sink.keyed-shuffle",
        _ENUM,
        "AUTO",
        "Shuffle by primary key before a sink.",
        ("NONE", "AUTO", "FORCE"),
    ),
    Option(
        "table.exec.sink.rowtime-inserter",
        _ENUM,
        "ENABLED",
        "Write the rowtime as the record's timestamp.",
        ("ENABLED", "DISABLED"),
    ),
    # sources and time
    Option("table.exec.source.cdc-events-duplicate", _BOOLEAN, "false", "A change source may repeat events."),
    Option(
        "table.exec.source.idle-timeout",
        _DURATION,
        "0 ms",
        "After it a silent source no longer holds time back.",
    ),
    Option(
        "pipeline.auto-watermark-interval",
        _DURATION,
        "200 ms",
        "How often watermarks are sent; 0: after each row.",
    ),
    Option("table.local-time-zone", Kind.ZONE, "default", "The session's time zone; default: the machine's."),
    # other operators
    Option(
        "table.exec.deduplicate.insert-update-after-sensitive-enabled",
        _BOOLEAN,
        "true",
        "Tell first rows from later ones.",
    ),
    Option(
        "table.exec.deduplicate.mini-batch.compact-changes-enabled",
        _BOOLEAN,
        "false",
        "Send only the last change of a bundle.",
    ),
    Option("table.exec.rank.topn-cache-size", _LONG, "10000", "Rows that Top-N keeps at hand."),
    Option(
        "table.exec.window-agg.buffer-size-limit", _INTEGER, "100000", "Rows that a window aggregate buffers."
    ),
    Option(
        "table.exec.interval-join.min-cleanup-interval",
        _DURATION,
        "0 ms",
        "How long interval joins keep rows after their last partner.",
    ),
    Option("table.exec.async-state.enabled", _BOOLEAN, "false", "Flink's asynchronous operators; no effect."),
    Option("table.exec.unbounded-over.version", _INTEGER, "2", "Which OVER operator Flink uses."),
    Option(
        "table.exec.emit.early-fire.enabled", _BOOLEAN, "false", "Group windows show results before they end."
    ),
    Option("table.exec.emit.early-fire.delay", _DURATION, None, "Time between two early results."),
    Option("table.exec.emit.late-fire.enabled", _BOOLEAN, "false", "Group windows show late rows."),
    Option("table.exec.emit.late-fire.delay", _DURATION, None, "Time between two late results."),
    Option("table.exec.emit.allow-lateness", _DURATION, None, "How long group windows wait for late rows."),
    Option(
        "table.optimizer.non-deterministic-update.strategy",
        _ENUM,
        "IGNORE",
        "What to do about columns that change when computed again.",
        ("IGNORE", "TRY_RESOLVE"),
    ),
    Option("table.optimizer.reuse-sub-plan-enabled", _BOOLEAN, "true", "Run equal parts of a plan once."),
    Option(
        "table.optimizer.reuse-source-enabled", _BOOLEAN, "true", "Read a table once for several readers."
    ),
    Option("table.optimizer.reuse-sink-enabled", _BOOLEAN, "true", "Write equal sinks as one."),
    Option("table.optimizer.multi-join.enabled", _BOOLEAN, "false", "Join several inputs in one operator."),
    Option(
        "table.optimizer.delta-join.strategy",
        _ENUM,
        "AUTO",
        "Joins by look-up of both sides.",
        ("AUTO", "FORCE", "NONE"),
    ),
    # what a query means
    Option(
        "table.column-expansion-strategy", _STRING, "", "Columns that `*` leaves out; none can be left out."
    ),
    Option(
        "table.exec.legacy-cast-behaviour",
        _ENUM,
        "DISABLED",
        "Casts as Flink before 1.15; not supported.",
        ("ENABLED", "DISABLED"),
    ),
    Option("table.legacy-nested-row-nullability", _BOOLEAN, "false", "As Flink before 2.2; not supported."),
    Option(
        "table.sql-dialect", _ENUM, "default", "Flink's own is supported, Hive's not.", ("default", "hive")
    ),
    # the job
    Option(
        "table.exec.resource.default-parallelism",
        _INTEGER,
        "-1",
        "If above 0, it replaces parallelism.default.",
    ),
    Option(
        "parallelism.default",
        _INTEGER,
        "2",
        "Tasks that share the keys: Spark's shuffle partitions. If not set: one for each core.",
    ),
    Option(
        "pipeline.max-parallelism",
        _INTEGER,
        "128",
        "Key groups, fixed for the life of a checkpoint. If not set: four for each task.",
    ),
    Option("pipeline.name", _STRING, None, "The job's name."),
    Option(
        "execution.runtime-mode",
        _ENUM,
        "STREAMING",
        "STREAMING alone is supported.",
        ("STREAMING", "BATCH", "AUTOMATIC"),
    ),
    Option("execution.checkpointing.dir", _STRING, None, "Where state is kept, to go on after a stop."),
    Option(
        "execution.checkpointing.interval", _DURATION, None, "Has no effect: every micro-batch is committed."
    ),
    *RESTART_OPTIONS,
    Option("table.dml-sync", _BOOLEAN, "false", "INSERT waits for its job to end."),
    Option("table.display.max-column-width", _INTEGER, "30", "Longer values are cut in printed results."),
    Option(
        "sql-client.execution.result-mode",
        _ENUM,
        "TABLEAU",
        "How the terminal shows results.",
        ("TABLE", "CHANGELOG", "TABLEAU"),
    ),
    # Firesteel's own
    Option(
        "firesteel.shell.detach",
        _BOOLEAN,
        "false",
        "The shell runs INSERTs and endless queries in the background.",
    ),
    Option(
        "firesteel.dead-letters.late-rows",
        _BOOLEAN,
        "false",
        "firesteel.dead-letters.table also gets the rows that windows, OVER and other operators drop as "
        "late, with their time and the watermark.",
    ),
    Option(
        "firesteel.dead-letters.table",
        _STRING,
        None,
        "Table that gets each message that cannot be read and each row that a sink refuses, with its place, "
        "its error and its bytes. If not set, the first of them ends the job.",
    ),
    Option(
        "firesteel.host",
        _ENUM,
        "auto",
        "Run as one Spark job or as a stream; auto: by the query.",
        ("auto", "batch", "stream"),
    ),
    Option(
        "firesteel.fast-start",
        _ENUM,
        "auto",
        "How a local Spark is started; off: as pyspark does it, without what Spark does not promise to keep.",
        ("auto", "off"),
    ),
    Option(
        "firesteel.checkpoint.allow-writable-by-others",
        _BOOLEAN,
        "false",
        "Use a checkpoint folder that other users of the machine may write to: they can run code in the job.",
    ),
    Option(
        "firesteel.source.max-rows-per-batch",
        _INTEGER,
        None,
        "Cut a source into micro-batches of at most so many rows on the stream host, of about 2,000,000 if "
        "not set; under mini-batch of no fewer than table.exec.mini-batch.size.",
    ),
    Option(
        "firesteel.source.max-bytes-per-batch",
        Kind.MEMORY,
        None,
        "Cut files and topics of Kafka into micro-batches of about so many bytes at most on the stream host. "
        "If not set: a 32nd of the memory of the machine or container, at least 32 mb, at most 512 mb.",
    ),
    Option(
        "firesteel.sink-recovery",
        _ENUM,
        "refuse",
        "The action if the checkpoint and a sink disagree, as after one of them was restored from an older "
        "copy: fail; deliver again what came after the older of the two, so that consumers may see it twice; "
        "read on to the position of a sink that is ahead without delivering; or go on although a sink lacks "
        "rows that the checkpoint has delivered.",
        ("refuse", "deliver-again", "resume-from-sink", "accept-loss"),
    ),
    Option(
        "firesteel.source-recovery",
        _ENUM,
        "refuse",
        "The action if files have changed after they were found and before their rows were committed: fail; "
        "read them as they are now; or leave out their rows that are not committed.",
        ("refuse", "read-changed-files", "skip-changed-files"),
    ),
)
