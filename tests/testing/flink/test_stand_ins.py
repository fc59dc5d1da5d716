"""Files in place of tables that Flink cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.catalog.schema import Table
from firesteel.errors import FiresteelError, UsageError
from firesteel.testing.flink.stand_ins import as_file, as_sink, definition, drop_statement, source_reason
from firesteel.testing.script import Script

COLUMNS = "id BIGINT, name STRING"
FILES = "'connector' = 'filesystem', 'path' = '${DATA}/x', 'format' = "
ENDLESS = "'source.monitor-interval' = '1 s'"
JDBC = "'connector' = 'jdbc', 'url' = 'jdbc:sqlite:${DATA}/x.db', 'table-name' = 't'"
KAFKA = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x', 'format' = "


def table(folder: Path, definition: str) -> tuple[Script, Table]:
    text = f"CREATE TABLE t {definition};".replace("${DATA}", str(folder))
    script = Script.load("job.sql", text, str(folder), {})
    found = script.environment.catalog.find(("t",))
    assert isinstance(found, Table)
    return script, found


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (f"{FILES}'json'", None),
        (f"{FILES}'parquet'", "Flink's package has no format parquet"),
        (f"{FILES}'json', {ENDLESS}", "it has no end"),
        ("'connector' = 'datagen', 'number-of-rows' = '3'", "each run of datagen makes other rows"),
        (JDBC, "Flink's package has no connector jdbc"),
    ],
)
def test_why_a_file_stands_in(tmp_path: Path, options: str, reason: str | None) -> None:
    _, found = table(tmp_path, f"({COLUMNS}) WITH ({options})")
    assert source_reason(found, has_jars=False) == reason
    lacks = reason is not None and reason.startswith("Flink's package")
    assert source_reason(found, has_jars=True) == (None if lacks else reason)


def test_the_rows_of_a_folder_without_end_are_read_up_to_now(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.csv").write_text('1,Tom\n2,"Ann, B"\n', encoding="utf-8")
    options = f"{FILES}'csv', {ENDLESS}"
    columns = (
        f"{COLUMNS}, upper_name AS UPPER(name), ts AS TO_TIMESTAMP('2026-01-01'), WATERMARK FOR ts AS ts"
    )
    script, found = table(tmp_path, f"({columns}) WITH ({options})")
    (tmp_path / "out").mkdir()
    other = as_file(script, found, tmp_path / "out")
    assert dict(other.options)["format"] == "json"
    (file,) = (tmp_path / "out").iterdir()
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines == [{"id": 1, "name": "Tom"}, {"id": 2, "name": "Ann, B"}]
    assert [column.name for column in other.columns] == ["id", "name", "upper_name", "ts"]
    assert other.watermark is not None
    assert other.traits is not None
    assert other.traits.bounded
    assert "`upper_name` AS UPPER(`name`)" in definition(other)


def test_changes_are_kept_as_canal_messages(tmp_path: Path) -> None:
    messages = [
        {"type": "INSERT", "data": [{"id": 1, "name": "Tom"}], "old": None},
        {"type": "UPDATE", "data": [{"id": 1, "name": "Ann"}], "old": [{"name": "Tom"}]},
    ]
    (tmp_path / "x.json").write_text("".join(f"{json.dumps(m)}\n" for m in messages), encoding="utf-8")
    options = "'connector' = 'filesystem', 'path' = '${DATA}/x.json', 'format' = 'canal-json'"
    script, found = table(tmp_path, f"({COLUMNS}, PRIMARY KEY (id) NOT ENFORCED) WITH ({options})")
    (tmp_path / "out").mkdir()
    other = as_file(script, found, tmp_path / "out")
    assert dict(other.options)["format"] == "canal-json"
    (file,) = (tmp_path / "out").iterdir()
    written = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(m["type"], m["data"][0]["name"]) for m in written] == [
        ("INSERT", "Tom"),
        ("DELETE", "Tom"),
        ("INSERT", "Ann"),
    ]


def test_rows_that_are_generated_without_end_are_refused(tmp_path: Path) -> None:
    script, found = table(tmp_path, f"({COLUMNS}) WITH ('connector' = 'datagen')")
    with pytest.raises(UsageError, match="'t' has no end: bound it"):
        as_file(script, found, tmp_path)


def test_a_table_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    options = "'connector' = 'filesystem', 'path' = '${DATA}/none', 'format' = 'parquet'"
    script, found = table(tmp_path, f"({COLUMNS}) WITH ({options})")
    with pytest.raises(FiresteelError):
        as_file(script, found, tmp_path)


@pytest.mark.parametrize(
    ("options", "connector", "format_"),
    [
        (JDBC, "blackhole", None),
        (f"{FILES}'parquet'", "filesystem", "json"),
        (f"{KAFKA}'json'", "filesystem", "json"),
        (f"{KAFKA}'debezium-json'", "filesystem", "canal-json"),
    ],
)
def test_a_sink_that_takes_the_same_changes_stands_in(
    tmp_path: Path, options: str, connector: str, format_: str | None
) -> None:
    key = ", PRIMARY KEY (id) NOT ENFORCED" if "jdbc" in options else ""
    _, found = table(tmp_path, f"({COLUMNS}{key}) WITH ({options})")
    other = as_sink(found, tmp_path)
    assert dict(other.options)["connector"] == connector
    assert dict(other.options).get("format") == format_
    assert (other.columns, other.primary_key) == (found.columns, found.primary_key)
    assert drop_statement(other) == "DROP TABLE `default_catalog`.`default_database`.`t`"
