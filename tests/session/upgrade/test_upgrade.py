"""The plan of an upgrade, and what refuses it before anything is touched. No Spark runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, JobError, NotSupportedError, UsageError
from firesteel.session.upgrade.kept_secrets import with_secrets
from firesteel.session.upgrade.operator_plan import State
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.spark.checkpoint.lock import RUN_FILE, CheckpointLock
from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript
from firesteel.spark.upgrade.repeatable import check_secrets
from tests.session.upgrade.stopped_job import SUMS, TABLES, StoppedJob
from tests.spark.savepoint.test_savepoint import files

FILTERED = "INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) FROM sales WHERE cnt > 3 GROUP BY name;"


def test_the_plan(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    with job.upgraded(FILTERED) as upgrade:
        (change,) = upgrade.changes
        assert [each.name for each in upgrade.upgrades] == ["insert-0"]
    assert [(each.operator.partition("(")[0], each.change, each.state) for each in change.operators] == [
        ("TableSourceScan", "extended", State.NONE),
        ("Calc", "new", State.NONE),
        ("Exchange", "its input changes", State.NONE),
        ("GroupAggregate", "its input changes", State.REBUILT),
        ("Sink", "its input changes", State.NONE),
    ]
    assert change.operators[3].tables == ("default_catalog.default_database.sales",)
    assert [(table.rpartition(".")[2], part.size) for table, part in change.sources] == [
        ("sales", "1 file, 35 bytes")
    ]
    assert change.sources[0][1].since == {"file": 0, "byte": 0}
    assert change.sources[0][1].until == {"file": 1, "byte": 0}
    assert change.sources[0][1].ranges == ("1.json, byte 0, to byte 35",)


def test_another_aggregate_over_the_same_input(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    with job.upgraded(SUMS.replace("SUM(cnt)", "MAX(cnt)")) as upgrade:
        (change,) = upgrade.changes
    assert [(each.operator.partition("(")[0], each.change, each.state) for each in change.operators] == [
        ("TableSourceScan", "unchanged", State.NONE),
        ("Exchange", "unchanged", State.NONE),
        ("GroupAggregate", "changed", State.REBUILT),
        ("Sink", "its input changes", State.NONE),
    ]
    assert "SUM(cnt)" in change.operators[2].before


@pytest.mark.parametrize("is_read", [False, True])
def test_a_filter_of_results_keeps_the_state(tmp_path: Path, is_read: bool) -> None:
    """Its sources need not have their history. Other changes do."""
    job = StoppedJob(tmp_path)
    (tmp_path / "in" / "1.json").unlink()
    changed = FILTERED if is_read else SUMS.replace(";", " HAVING COUNT(*) > 1;")
    if is_read:
        with pytest.raises(UsageError, match="no longer has its history"), job.upgraded(changed):
            raise AssertionError("it is opened")
        return
    with job.upgraded(changed) as upgrade:
        (change,) = upgrade.changes
    assert change.upgrade is not None
    assert change.upgrade.unchanged is not None
    assert not change.sources
    assert [(each.change, each.state) for each in change.operators if "GroupAggregate" in each.operator] == [
        ("unchanged", State.KEPT)
    ]


def test_an_aggregate_more(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    tables = TABLES.replace("n BIGINT)", "n BIGINT, m INT)", 1)
    with job.upgraded(SUMS.replace("COUNT(*)", "COUNT(*), MAX(cnt)"), tables) as upgrade:
        (change,) = upgrade.changes
    aggregate, sink = change.operators[2:]
    assert (aggregate.change, aggregate.added) == ("extended", ("select MAX(cnt)",))
    assert (sink.change, sink.added) == ("extended", ("fields EXPR$3",))


def test_an_operator_that_goes(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    with job.upgraded("INSERT INTO totals SELECT name, cnt, CAST(1 AS BIGINT) FROM sales;") as upgrade:
        (change,) = upgrade.changes
    (gone,) = (each for each in change.operators if each.operator.startswith("GroupAggregate"))
    assert (gone.change, gone.state) == ("dropped", State.DROPPED)


def test_nothing_has_changed(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    with job.upgraded(SUMS) as upgrade:
        assert not upgrade.upgrades
        assert [(each.name, each.is_new) for each in upgrade.changes] == [("insert-0", False)]


def test_a_source_that_is_new(tmp_path: Path) -> None:
    """A table with other files is read up to what it has now."""
    job = StoppedJob(tmp_path)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "1.json").write_text('{"name": "Ann"}\n' * 3)
    with job.upgraded(SUMS, TABLES.replace("{base}/in'", "{base}/new'")) as upgrade:
        ((_, part),) = upgrade.changes[0].sources
    assert part.size == "1 file, 48 bytes"


def test_statements_come_and_go(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path, SUMS + SUMS.replace("totals", "more"))
    with job.upgraded(SUMS + "INSERT INTO plain SELECT name, cnt FROM sales;") as upgrade:
        assert not upgrade.upgrades
        assert [each.is_new for each in upgrade.changes] == [False, True]
        assert upgrade.left == ["insert-1"]


def test_a_sink_joins_the_others(tmp_path: Path) -> None:
    """A statement set that writes to one table more is the same statement."""
    job = StoppedJob(tmp_path)
    both = f"EXECUTE STATEMENT SET BEGIN {SUMS} {SUMS.replace('totals', 'more')} END;"
    with job.upgraded(both) as upgrade:
        (found,) = upgrade.upgrades
        assert found.name == "insert-0"
        assert sorted(found.after.sinks) == [
            "default_catalog.default_database.more",
            "default_catalog.default_database.totals",
        ]


def _newer(job: StoppedJob) -> None:
    file = job.folder() / "firesteel.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 3}))


def _no_script(job: StoppedJob) -> None:
    (job.folder() / "script.json").unlink()


def _damaged_script(job: StoppedJob) -> None:
    (job.folder() / "script.json").write_text("{")


def _another_script(job: StoppedJob) -> None:
    file = job.folder() / "script.json"
    file.write_text(file.read_text().replace("SUM", "MIN"))


def _no_batch(job: StoppedJob) -> None:
    (job.folder() / "spark/commits/0").unlink()


def _lost_offsets(job: StoppedJob) -> None:
    (job.folder() / "spark/offsets/0").unlink()


def _file_gone(job: StoppedJob) -> None:
    (job.base / "in" / "1.json").unlink()


def _file_changed(job: StoppedJob) -> None:
    (job.base / "in" / "1.json").write_text('{"id": 2}\n')


def _file_left_out(job: StoppedJob) -> None:
    log = job.folder() / "sources/0/files.jsonl"
    first, *rest = log.read_text().splitlines()
    log.write_text("\n".join([json.dumps(json.loads(first) | {"left_out": True}), *rest, ""]))


def _command(job: StoppedJob) -> None:
    CheckpointLock(job.checkpoint, RUN_FILE)


def _statement(job: StoppedJob) -> None:
    CheckpointLock(job.folder())


def _early(job: StoppedJob) -> None:
    (job.checkpoint / "firesteel.json").write_text("{}")


REFUSED: list[tuple[Callable[[StoppedJob], None], type[FiresteelError], str]] = [
    (_newer, UsageError, "was made by a version of Firesteel that keeps state in another way"),
    (_no_script, UsageError, "does not keep the script it was made with"),
    (_damaged_script, JobError, "script.json: the checkpoint's file is damaged"),
    (_another_script, JobError, "keeps does not give its query"),
    (_no_batch, UsageError, "no micro-batch of the checkpoint .* has ended"),
    (_lost_offsets, JobError, "has offsets of 0 sources after micro-batch 0, and its query reads 1"),
    (_file_gone, UsageError, "sales no longer has its history: .*1.json: cannot be read: No such file"),
    (_file_changed, UsageError, "sales no longer has its history: .*the file has changed"),
    (_file_left_out, UsageError, "sales no longer has its history: .*were left out"),
    (_command, UsageError, "is in use by process"),
    (_statement, UsageError, "is in use by process"),
    (_early, UsageError, "was made by an early version, for one query"),
]


@pytest.mark.parametrize(("change", "kind", "message"), REFUSED, ids=[each[0].__name__ for each in REFUSED])
def test_a_checkpoint_that_is_refused(
    tmp_path: Path, change: Callable[[StoppedJob], None], kind: type[FiresteelError], message: str
) -> None:
    job = StoppedJob(tmp_path)
    change(job)
    before = files(job.checkpoint)
    with pytest.raises(kind, match=message) as refused, job.upgraded(FILTERED):
        raise AssertionError("it is opened")
    assert refused.value.hint
    assert without_locks(files(job.checkpoint)) == without_locks(before)


def without_locks(found: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in found.items() if not name.endswith(".lock")}


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (SUMS.replace("SUM(cnt)", "CAST(SUM(RAND() * cnt) AS INT)"), "it calls RAND"),
        (SUMS.replace("SUM(cnt)", "CAST(MAX(YEAR(CURRENT_DATE)) AS INT)"), "it calls CURRENT_DATE"),
        ("SET 'table.exec.state.ttl' = '1 h';" + SUMS, "its state has a time to live"),
    ],
)
def test_what_a_query_sent_cannot_be_computed_again(tmp_path: Path, before: str, message: str) -> None:
    job = StoppedJob(tmp_path, before)
    with (
        pytest.raises(NotSupportedError, match=f"cannot be computed again, because {message}"),
        job.upgraded(FILTERED),
    ):
        raise AssertionError("it is opened")


def test_a_function_whose_code_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "upgraded_functions.py"
    module.write_text(
        "from firesteel.functions.python import udf\n"
        "@udf(result_type='INT')\ndef twice(x: int) -> int:\n    return 2 * x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    create = "CREATE FUNCTION twice AS 'upgraded_functions.twice' LANGUAGE PYTHON;\n"
    job = StoppedJob(tmp_path, SUMS.replace("SUM(cnt)", "SUM(twice(cnt))"), TABLES + create)
    (job.folder() / "functions.json").write_text(json.dumps({"twice": "module:another"}))
    with (
        pytest.raises(NotSupportedError, match="the code of its function twice has changed"),
        job.upgraded(FILTERED),
    ):
        raise AssertionError("it is opened")


def test_a_query_by_the_clock(tmp_path: Path) -> None:
    """The rows of the history would all come at one moment."""
    job = StoppedJob(tmp_path)
    tables = TABLES.replace("name STRING, cnt INT)", "name STRING, cnt INT, p AS PROCTIME())", 1)
    windows = (
        "INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) "
        "FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(p), INTERVAL '1' HOUR)) "
        "GROUP BY name, window_start, window_end;"
    )
    with (
        pytest.raises(
            NotSupportedError, match="depends on the time at which rows come, and its sources are read again"
        ),
        job.upgraded(windows, tables),
    ):
        raise AssertionError("it is opened")


def test_a_job_with_replayed_dead_letters(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    (job.folder() / "replays").mkdir()
    with pytest.raises(NotSupportedError, match="it has taken replayed dead letters"), job.upgraded(FILTERED):
        raise AssertionError("it is opened")


def test_two_statements_become_one(tmp_path: Path) -> None:
    more = SUMS.replace("totals", "more")
    job = StoppedJob(tmp_path, SUMS + more)
    with (
        pytest.raises(NotSupportedError, match=r"several statements \(insert-0, insert-1\) to one"),
        job.upgraded(f"EXECUTE STATEMENT SET BEGIN {SUMS} {more} END;"),
    ):
        raise AssertionError("it is opened")


def test_a_script_that_is_refused(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    with (
        pytest.raises(NotSupportedError, match="CREATE TABLE AS"),
        job.upgraded("CREATE TABLE other WITH ('connector' = 'print') AS SELECT name FROM sales;"),
    ):
        raise AssertionError("it is opened")
    with (
        pytest.raises(UsageError, match="there is no folder"),
        job.upgraded(SUMS, options={"execution.checkpointing.dir": str(tmp_path / "nowhere")}),
    ):
        raise AssertionError("it is opened")


def test_secrets_are_not_kept() -> None:
    tables = TABLES.replace("'format' = 'json')", "'format' = 'json', 'x.password' = 'hush!')", 1)
    kept = KeptScript.of(tables, {"a.token": "hush!", "b": "c", "spark.master": "local"})
    assert "hush!" not in str(kept)
    assert kept.options == {"b": "c"}


_TOPIC = """\
CREATE TABLE topic (name STRING, cnt INT) WITH ('connector' = 'kafka', 'topic' = 't',
  'properties.bootstrap.servers' = 'localhost:1', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json',
  'properties.ssl.key.password' = 'it''s a secret', 'properties.group.id' = 'g');
INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) FROM topic GROUP BY name;
"""


def test_secrets_of_the_old_tables(tmp_path: Path) -> None:
    """They are those of the same table in the new script. A table that is not there has none."""
    text = TABLES.format(base=tmp_path) + _TOPIC
    kept = KeptScript.of(text, {})
    assert "a secret" not in kept.text
    (before,) = script_jobs(TableEnvironment.create(), with_secrets(kept.text, TABLES))
    with pytest.raises(UsageError, match=r"the secret 'properties.ssl.key.password' of .*topic"):
        check_secrets(before.job.job)
    (before,) = script_jobs(TableEnvironment.create(), with_secrets(kept.text, text))
    check_secrets(before.job.job)
    assert with_secrets(kept.text, text).count("'it''s a secret'") == 1


_SECOND = """\
CREATE TABLE later (id INT, name STRING, cnt INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json',
  'source.monitor-interval' = '1 s');
"""


@pytest.mark.parametrize(
    ("call", "is_ordered"), [("SUM(cnt)", False), ("LAST_VALUE(cnt)", True), ("MAX(cnt)", False)]
)
def test_rows_of_two_inputs_in_any_order(tmp_path: Path, call: str, is_ordered: bool) -> None:
    """The order of two endless inputs is that of arrival, and a replay does not know it."""
    union = "(SELECT name, cnt FROM sales UNION ALL SELECT name, cnt FROM later)"
    before = f"INSERT INTO totals SELECT name, {call}, COUNT(*) FROM {union} GROUP BY name;"
    job = StoppedJob(tmp_path, before, TABLES + _SECOND)
    if is_ordered:
        message = "its GroupAggregate depends on the order in which rows of several inputs"
        with pytest.raises(NotSupportedError, match=message) as refused, job.upgraded(FILTERED):
            raise AssertionError("it is opened")
        assert "--any-order" in str(refused.value.hint)
    with job.upgraded(FILTERED, any_order=is_ordered) as upgrade:
        assert len(upgrade.upgrades) == 1
