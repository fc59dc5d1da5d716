"""Options are checked when a table is created, in Flink's words."""

from __future__ import annotations

import warnings

import pytest

from firesteel.catalog.schema import Column, Table
from firesteel.changelog import ALL, INSERT_ONLY
from firesteel.connectors.registry import validate_table
from firesteel.errors import FiresteelWarning, NotSupportedError, SqlError, ValidationError
from firesteel.types.sql import BIGINT, DATE, INT, STRING, SqlType, TypeRoot, char


def table(options: dict[str, str], **columns: SqlType) -> Table:
    made = tuple(Column(name, kind) for name, kind in (columns or {"a": INT, "s": STRING}).items())
    return Table("c", "d", "t", made, tuple(options.items()))


FILES = {"connector": "filesystem", "path": "/x", "format": "json"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Table options do not contain an option key 'connector'"),
        ({"connector": "nope"}, "Could not find any factory for identifier 'nope' that implements"),
        ({"connector": "filesystem"}, "missing.\n\nMissing required options are:\n\nformat\npath"),
        ({**FILES, "format": "xml"}, "Could not find any factory for identifier 'xml' that implements"),
        (
            {**FILES, "bogus": "1"},
            "Unsupported options found for 'filesystem'.\n\nUnsupported options:\n\nbogus",
        ),
        ({**FILES, "csv.null-literal": "1"}, "Unsupported options"),
        ({**FILES, "source.path.regex-pattern": "("}, "Invalid value for option 'source.path.regex-pattern'"),
        ({**FILES, "source.monitor-interval": "soon"}, "Invalid value for option 'source.monitor-interval'"),
        ({**FILES, "source.monitor-interval": "PT0S"}, "Invalid value for option 'source.monitor-interval'"),
        ({**FILES, "sink.parallelism": "0"}, "Invalid value for option 'sink.parallelism'"),
        ({**FILES, "sink.parallelism": " 1"}, "Invalid value for option 'sink.parallelism'"),
        ({**FILES, "auto-compaction": "x"}, "Invalid value for option 'auto-compaction'"),
        (
            {**FILES, "scan.watermark.emit.strategy": "on_event"},
            "option 'scan.watermark.emit.strategy'",
        ),
        (
            {**FILES, "format": "canal-json", "canal-json.table.include": "("},
            "Invalid value for option 'canal-json.table.include'",
        ),
        (
            {**FILES, "scan.watermark.emit.strategy": "sometimes"},
            "Invalid value for option 'scan.watermark.emit.strategy'",
        ),
        (
            {**FILES, "scan.watermark.idle-timeout": "soon"},
            "Invalid value for option 'scan.watermark.idle-timeout'",
        ),
        (
            {**FILES, "scan.watermark.alignment.group": "g", "scan.watermark.alignment.max-drift": "far"},
            "Invalid value for option 'scan.watermark.alignment.max-drift'",
        ),
        (
            {**FILES, "scan.watermark.alignment.group": "g"},
            "Error configuring watermark for 'filesystem', 'scan.watermark.alignment.group' and "
            "'scan.watermark.alignment.max-drift' must be set when configuring watermark alignment",
        ),
        (
            {**FILES, "scan.watermark.alignment.max-drift": "1 s"},
            "must be set when configuring watermark alignment",
        ),
        (
            {**FILES, "scan.watermark.alignment.update-interval": "1 s"},
            "must be set when configuring watermark alignment",
        ),
        ({"connector": "print", "x": "1"}, "Unsupported options found for 'print'"),
        ({"connector": "print", "standard-error": "si"}, "Invalid value for option 'standard-error'"),
        ({"connector": "blackhole", "x": "1"}, "Unsupported options found for 'blackhole'"),
        ({"connector": "datagen", "fields.b.min": "1"}, "Unsupported options found for 'datagen'"),
        ({"connector": "datagen", "fields.a.kind": "odd"}, "Unsupported generator kind: odd"),
        (
            {"connector": "datagen", "fields.a.kind": "sequence"},
            "Could not find required property 'fields.a.start'",
        ),
        (
            {"connector": "datagen", "fields.a.min": "7", "fields.a.max": "7"},
            r"lower bound \(7\) must be strictly less than upper bound \(7\)",
        ),
        ({"connector": "datagen", "rows-per-second": "x"}, "Invalid value for option 'rows-per-second'"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        validate_table(table(options))


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(SqlError) as caught:
        validate_table(table({**FILES, "source.monitor-intervall": "1 s"}))
    assert caught.value.hint == "in the options of table 't': did you mean source.monitor-interval?"


def test_a_required_option_is_distinguished_from_one_that_is_nearly_it() -> None:
    with pytest.raises(ValidationError, match="Missing required options are:\n\npath") as caught:
        validate_table(table({"connector": "filesystem", "pth": "/x", "format": "json"}))
    assert caught.value.hint == "in the options of table 't': did you mean 'path' instead of 'pth'?"


def test_any_option_of_the_format_is_taken() -> None:
    """As in Flink's FactoryUtil: what begins with the format's name is the format's."""
    with pytest.warns(FiresteelWarning, match="has no effect"):
        validate_table(table({**FILES, "json.bogus": "1"}))


def test_partitions_that_flink_cannot_read_are_refused() -> None:
    one = table(FILES)
    columns = (*one.columns, Column("day", DATE))
    with pytest.raises(NotSupportedError, match="PARTITIONED BY day, a DATE"):
        validate_table(
            Table(one.catalog, one.database, one.name, columns, one.options, partition_keys=("day",))
        )


@pytest.mark.parametrize(("kind", "error"), [("metastore", ValidationError), ("custom", NotSupportedError)])
def test_policies_of_partitions_that_there_are_not(kind: str, error: type[SqlError]) -> None:
    with pytest.raises(error, match=kind):
        validate_table(table({**FILES, "sink.partition-commit.policy.kind": f"success-file, {kind}"}))


def test_unknown_metadata() -> None:
    columns = (Column("a", INT), Column("m", STRING, metadata="bogus"))
    with pytest.raises(ValidationError, match="Invalid metadata key 'bogus' in column 'm'"):
        validate_table(Table("c", "d", "t", columns, tuple(FILES.items())))


def test_traits() -> None:
    plain = validate_table(table(FILES)).traits
    assert plain is not None
    assert (plain.changelog_mode, plain.bounded, plain.sink_mode) == (INSERT_ONLY, True, "insert-only")
    canal = validate_table(table({**FILES, "format": "canal-json", "source.monitor-interval": "1s"})).traits
    assert canal is not None
    assert (canal.changelog_mode, canal.bounded, canal.sink_mode) == (ALL, False, "all")
    made = validate_table(table({"connector": "datagen"})).traits
    assert made is not None
    assert not made.bounded
    ended = validate_table(table({"connector": "datagen", "number-of-rows": "5"})).traits
    assert ended is not None
    assert ended.bounded
    shown = validate_table(table({"connector": "print"})).traits
    assert shown is not None
    assert (shown.readable, shown.writable, shown.sink_mode) == (False, True, "requested")


def test_datagen_option_names_follow_the_types() -> None:
    kind = SqlType(TypeRoot.ARRAY, children=(BIGINT,))
    options = {
        "connector": "datagen",
        "fields.l.element.max": "5",
        "fields.l.length": "2",
        "fields.c.null-rate": "1",
    }
    validate_table(table(options, l=kind, c=char(3)))
    with pytest.raises(ValidationError, match=r"Unsupported options:\n\nfields\.c\.length"):
        validate_table(table({**options, "fields.c.length": "2"}, l=kind, c=char(3)))


@pytest.mark.parametrize(
    ("name", "key", "said"),
    [
        ("json", "json.ignore-parse-error", "did you mean 'json.ignore-parse-errors'?"),
        ("csv", "csv.field-delimeter", "did you mean 'csv.field-delimiter'?"),
        ("canal-json", "canal-json.databse.include", "did you mean 'canal-json.database.include'?"),
        ("json", "json.zzz", "has no effect."),
    ],
)
def test_an_option_of_the_format_that_there_is_not_is_reported_once(name: str, key: str, said: str) -> None:
    """Flink takes it without a word."""
    made = table({**FILES, "format": name, key: "x"})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        validate_table(made)
        validate_table(made)
    # What other tests have left open may be collected here.
    (told,) = (each for each in found if each.category is not ResourceWarning)
    assert told.category is FiresteelWarning
    assert str(told.message).startswith(f"'{key}' is no option and has no effect")
    assert str(told.message).endswith(said)


def test_options_of_the_format_are_no_news() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        validate_table(table({**FILES, "json.ignore-parse-errors": "true"}))
