"""Why a row of joins, ranks, windows and other operators is as it is. No Spark runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from firesteel.session.why.explanation import Explanation, OperatorReport
from firesteel.spark.why.condition import Condition
from tests.scale import FULL, part
from tests.why.past_job import PastJob, all_changes, write_lines

TABLES = """\
CREATE TABLE bids (item STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '{base}/bids', 'format' = 'json');
CREATE TABLE items (id STRING, seller STRING, since TIMESTAMP(3),
  WATERMARK FOR since AS since, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '{base}/items', 'format' = 'debezium-json');
CREATE TABLE sold (item STRING, price INT, at_ TIMESTAMP(3))
  WITH ('connector' = 'filesystem', 'path' = '{base}/sold', 'format' = 'json');
CREATE TABLE results (name STRING, number INT, other STRING)
  WITH ('connector' = 'filesystem', 'path' = '{base}/results', 'format' = 'debezium-json');
"""


def bid(item: str, price: int, second: int) -> Mapping[str, object]:
    return {"item": item, "price": price, "ts": f"2026-01-01 00:00:{second:02}"}


def item(name: str, seller: str, second: int) -> Mapping[str, object]:
    return {
        "before": None,
        "after": {"id": name, "seller": seller, "since": f"2026-01-01 00:00:{second:02}"},
        "op": "c",
    }


def made(base: Path, query: str, rows: int = 3, tables: str = TABLES) -> PastJob:
    write_lines(
        base / "bids" / "1.json",
        bid("cup", 10, 1),
        bid("pen", 3, 2),
        bid("cup", 12, 4),
        bid("cup", 5, 20),
        bid("pen", 4, 21),
        bid("cup", 7, 3),
        bid("cup", 9, 22),
        bid("pen", 8, 41),
    )
    write_lines(
        base / "items" / "1.json", item("cup", "Ann", 0), item("pen", "Bob", 0), item("hat", "Eve", 1)
    )
    return PastJob(base, f"{tables}INSERT INTO results {query};", rows)


WINDOWS = (
    "SELECT item, SUM(price), CAST(window_start AS STRING) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), "
    "INTERVAL '10' SECOND)) GROUP BY item, window_start, window_end"
)


def lines(found: Explanation, table: str = "bids") -> list[object]:
    """Return the lines of a table's source rows."""
    return [each.place["line"] for each in found.sources if each.table == table]


def the(found: Explanation, name: str) -> OperatorReport:
    """Return the only report of an operator."""
    (report,) = (each for each in found.operators if each.operator.startswith(f"{name}("))
    return report


def test_a_join(tmp_path: Path) -> None:
    query = "SELECT item, price, seller FROM bids JOIN items ON item = id"
    found = made(tmp_path, query).why("name = 'cup'")
    assert (lines(found), lines(found, "items")) == ([1, 3, 4, 6, 7], [1])
    join = the(found, "Join")
    assert join.key == ("cup",)
    assert [row for step in join.steps for row in step.sent][-1].startswith("+I[cup, 9, ")
    by_seller = made_again(tmp_path, query).why("other = 'Bob'")
    assert (lines(by_seller), lines(by_seller, "items")) == ([2, 5, 8], [2])


def made_again(base: Path, query: str, rows: int = 3) -> PastJob:
    folder = base / "again"
    folder.mkdir()
    return made(folder, query, rows)


def test_an_outer_join(tmp_path: Path) -> None:
    query = "SELECT id, price, seller FROM items LEFT JOIN bids ON item = id"
    found = made(tmp_path, query).why("name = 'hat'")
    assert (lines(found), lines(found, "items")) == ([], [3])
    assert found.rows == ["[hat, NULL, Eve]"]


def test_a_semi_join(tmp_path: Path) -> None:
    query = (
        "SELECT id, CHAR_LENGTH(id), seller FROM items WHERE id IN (SELECT item FROM bids WHERE price > 8)"
    )
    found = made(tmp_path, query).why("name = 'cup'")
    assert lines(found, "items") == [1]
    assert {1, 3, 7} <= set(lines(found))
    assert found.rows == ["[cup, 3, Ann]"]


def test_top_n(tmp_path: Path) -> None:
    query = (
        "SELECT item, price, CAST(ts AS STRING) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item "
        "ORDER BY price DESC) AS n FROM bids) WHERE n <= 2"
    )
    found = made(tmp_path, query).why("name = 'cup'")
    assert lines(found) == [1, 3, 4, 6, 7]
    rank = the(found, "Rank")
    assert [step.note for step in rank.steps] == ["", "", *["not sent: not among the first 2"] * 3]
    assert sorted(found.rows)[0].startswith("[cup, 10, ")
    lost = made_again(tmp_path, query).why("number = 7")
    assert lost.rows == []
    assert [step.note for step in the(lost, "Rank").steps if step.received[0].startswith("+I[cup, 7")] == [
        "not sent: not among the first 2"
    ]


def test_deduplication(tmp_path: Path) -> None:
    query = (
        "SELECT item, price, CAST(ts AS STRING) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item "
        "ORDER BY ts) AS n FROM bids) WHERE n = 1"
    )
    found = made(tmp_path, query).why("name = 'pen'")
    assert lines(found) == [2, 5, 8]
    assert found.rows == ["[pen, 3, 2026-01-01 00:00:02.000]"]
    assert the(found, "Rank").steps[-1].note == "not sent: the first row of the key stays the same"


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_a_window(tmp_path: Path, rows: int) -> None:
    tables = f"SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';\n{TABLES}"
    found = made(tmp_path, WINDOWS, rows, tables).why("name = 'cup'")
    assert lines(found) == [1, 3, 4, 6, 7]
    assert found.rows == ["[cup, 22, 2026-01-01 00:00:00.000]", "[cup, 14, 2026-01-01 00:00:20.000]"]
    steps = the(found, "WindowAggregate").steps
    assert [step.note for step in steps if step.received and "cup, 7" in step.received[0]] == [
        "late by 13000 ms: its time is 2026-01-01 00:00:03.000, the watermark 2026-01-01 00:00:16.000"
    ]
    assert [step.watermark for step in steps if step.sent][-1] == "end of the input"


def test_a_window_in_two_phases(tmp_path: Path) -> None:
    found = made(tmp_path, WINDOWS).why("name = 'cup'")
    assert lines(found) == [1, 3, 4, 6, 7]
    assert found.rows == ["[cup, 22, 2026-01-01 00:00:00.000]", "[cup, 14, 2026-01-01 00:00:20.000]"]


def test_over(tmp_path: Path) -> None:
    query = (
        "SELECT item, SUM(price) OVER (PARTITION BY item ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT "
        "ROW), CAST(ts AS STRING) FROM bids"
    )
    found = made(tmp_path, query).why("name = 'pen'")
    assert lines(found) == [2, 5, 8]
    assert [row.split(",")[1] for row in found.rows] == [" 3", " 7", " 12"]


def test_a_union(tmp_path: Path) -> None:
    query = (
        "SELECT item, SUM(price), 'all' FROM (SELECT item, price FROM bids WHERE price < 8 "
        "UNION ALL SELECT item, price FROM bids WHERE price > 9) GROUP BY item"
    )
    found = made(tmp_path, query).why("name = 'cup'")
    assert set(lines(found)) == {1, 3, 4, 6, 7}
    assert found.rows == ["[cup, 34, all]"]
    assert all(step.causes for step in the(found, "GroupAggregate").steps)


def test_unnest(tmp_path: Path) -> None:
    query = "SELECT w, price, item FROM bids, UNNEST(ARRAY[item, 'x']) AS t(w)"
    found = made(tmp_path, query).why("name = 'pen'")
    assert lines(found) == [2, 5, 8]
    assert len(found.rows) == 3


def test_a_temporal_join(tmp_path: Path) -> None:
    query = (
        "SELECT item, price, seller FROM bids LEFT JOIN items FOR SYSTEM_TIME AS OF bids.ts "
        "ON bids.item = items.id"
    )
    found = made(tmp_path, query).why("name = 'pen'")
    assert (lines(found), lines(found, "items")) == ([2, 5, 8], [2])
    assert found.rows == ["[pen, 3, Bob]", "[pen, 4, Bob]", "[pen, 8, Bob]"]


def test_an_interval_join(tmp_path: Path) -> None:
    query = (
        "SELECT a.item, a.price, CAST(b.price AS STRING) FROM bids a JOIN bids b ON a.item = b.item "
        "AND b.ts BETWEEN a.ts + INTERVAL '1' SECOND AND a.ts + INTERVAL '3' SECOND"
    )
    found = made(tmp_path, query).why("name = 'cup'")
    assert set(lines(found)) == {1, 3, 4, 6, 7}
    assert {"[cup, 10, 12]", "[cup, 5, 9]"} <= set(found.rows)


_TUMBLED = "TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
QUERIES = {
    "join": "SELECT item, price, seller FROM bids JOIN items ON item = id",
    "outer join": "SELECT id, price, seller FROM items LEFT JOIN bids ON item = id",
    "windows": WINDOWS,
    "sessions": """SELECT item, SUM(price), CAST(window_start AS STRING) FROM TABLE(SESSION(TABLE bids
        PARTITION BY item, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY item, window_start, window_end""",
    "group windows": """SELECT item, SUM(price),
        CAST(HOP_START(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND) AS STRING) FROM bids
        GROUP BY item, HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)""",
    "window rank": f"""SELECT item, price, CAST(window_start AS STRING) FROM (SELECT *, ROW_NUMBER() OVER (
        PARTITION BY item, window_start, window_end ORDER BY price) AS n FROM {_TUMBLED}) WHERE n <= 1""",
    "window join": f"""SELECT a.item, a.price, CAST(b.price AS STRING) FROM (SELECT * FROM {_TUMBLED}) a
        JOIN (SELECT * FROM {_TUMBLED}) b ON a.item = b.item AND a.window_start = b.window_start
        AND a.window_end = b.window_end AND a.price < b.price""",
    "over": """SELECT item, MAX(price) OVER (PARTITION BY item ORDER BY ts
        RANGE BETWEEN INTERVAL '3' SECOND PRECEDING AND CURRENT ROW), CAST(ts AS STRING) FROM bids""",
    "temporal join": """SELECT item, price, seller FROM bids
        LEFT JOIN items FOR SYSTEM_TIME AS OF bids.ts ON bids.item = items.id""",
    "interval join": """SELECT a.item, a.price, CAST(b.price AS STRING) FROM bids a LEFT JOIN bids b
        ON a.item = b.item AND b.ts BETWEEN a.ts + INTERVAL '1' SECOND AND a.ts + INTERVAL '3' SECOND""",
    "distinct": "SELECT item, CAST(COUNT(DISTINCT price) AS INT), 'x' FROM bids GROUP BY item",
    "rank of sums": """SELECT item, total, 'x' FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY total DESC) AS n
        FROM (SELECT item, SUM(price) AS total FROM bids GROUP BY item)) WHERE n <= 1""",
}


@pytest.mark.parametrize("rows", [1, 3, 100] if FULL else [3])
@pytest.mark.parametrize("query", part(list(QUERIES), 3))
def test_the_sink_got_the_same(tmp_path: Path, query: str, rows: int) -> None:
    job = made(tmp_path, QUERIES[query], rows)
    for name in ("cup", "pen"):
        wanted = all_changes(job, Condition({0: pa.scalar(name)}))
        found = job.why(f"name = '{name}'", limit=1000)
        assert [each.row for each in found.changes] == wanted
        assert found.all_sources > 0


@pytest.mark.parametrize(
    ("join", "name", "expected"),
    [
        ("LEFT", "Bob", [("c.json", 2)]),
        ("LEFT", "Zoe", [("c.json", 3)]),
        ("FULL", "Ann", [("c.json", 1), ("o.json", 1)]),
    ],
)
def test_null_in_the_key_of_an_outer_join_leads_to_no_other_row(
    tmp_path: Path, join: str, name: str, expected: list[tuple[str, object]]
) -> None:
    tables = customers(tmp_path, [(1, "Ann"), (2, "Bob"), (None, "Zoe")], [1, None, None])
    query = f"INSERT INTO t SELECT name, COUNT(amt) FROM c {join} JOIN o ON o.cust = c.id GROUP BY name;"
    found = PastJob(tmp_path, tables + query, 9, {}).why(f"name = '{name}'")
    assert (
        sorted((Path(str(each.place["file"])).name, each.place["line"]) for each in found.sources) == expected
    )


@pytest.mark.parametrize("kind", ["interval", "temporal", "window"])
def test_null_of_a_missing_row_leads_to_all_rows_of_its_side(tmp_path: Path, kind: str) -> None:
    queries = {
        "interval": """SELECT a.item, a.price, b.item FROM bids a LEFT JOIN bids b ON a.item = b.item
            AND b.ts BETWEEN a.ts + INTERVAL '1' SECOND AND a.ts + INTERVAL '3' SECOND""",
        "temporal": """SELECT item, price, id FROM bids
            LEFT JOIN items FOR SYSTEM_TIME AS OF bids.ts ON bids.item = items.id AND price > 5""",
        "window": f"""SELECT a.item, a.price, b.item FROM (SELECT * FROM {_TUMBLED}) a
            LEFT JOIN (SELECT * FROM {_TUMBLED}) b ON a.item = b.item AND a.price < b.price
            AND a.window_start = b.window_start AND a.window_end = b.window_end""",
    }
    job = made(tmp_path, queries[kind])
    wanted = all_changes(job, Condition({2: pa.scalar(None, pa.string())}))
    found = job.why("other IS NULL", limit=1000)
    assert wanted
    assert sorted(each.row for each in found.changes) == sorted(wanted)


def test_null_in_place_of_a_row_that_an_outer_join_does_not_find(tmp_path: Path) -> None:
    tables = customers(tmp_path, [(1, "Ann"), (2, "Bob")], [1, 3])
    query = "INSERT INTO t SELECT name, id FROM c FULL JOIN o ON o.cust = c.id;"
    found = PastJob(tmp_path, tables + query, 1, {}).why("n IS NULL")
    assert found.rows == ["[NULL, NULL]"]


def customers(base: Path, names: Sequence[tuple[int | None, str]], orders: Sequence[int | None]) -> str:
    """Write the rows of a table of customers and of one of their orders; return the statements of both."""
    write_lines(base / "c" / "c.json", *({"id": id, "name": name} for id, name in names))
    write_lines(base / "o" / "o.json", *({"cust": cust, "amt": 5} for cust in orders))
    with_files = "WITH ('connector' = 'filesystem', 'path' = '{base}/%s', 'format' = '%s');\n"
    return (
        "CREATE TABLE c (id BIGINT, name STRING) "
        + with_files % ("c", "json")
        + "CREATE TABLE o (cust BIGINT, amt INT) "
        + with_files % ("o", "json")
        + "CREATE TABLE t (name STRING, n BIGINT) "
        + with_files % ("t", "debezium-json")
    )


def test_columns_of_a_row(tmp_path: Path) -> None:
    """Columns that a Calc appends for the parts of a row are none of its input."""
    for number in range(3):
        order = {"id": number, "of_": {"name": "Tom", "n": number}}
        write_lines(tmp_path / "orders" / f"{number}.json", order)
    table = (
        "CREATE TABLE orders (id INT, of_ ROW<name STRING, n INT>, twice AS of_.n * 2) "
        "WITH ('connector' = 'filesystem', 'path' = '{base}/orders', 'format' = 'json');\n"
    )
    query = "SELECT of_.name, of_.n, CAST(twice AS STRING) FROM orders WHERE id > 0"
    found = made(tmp_path, query, tables=TABLES + table).why("name = 'Tom'")
    assert found.rows == ["[Tom, 1, 2]", "[Tom, 2, 4]"]
    assert [Path(str(each.place["file"])).name for each in found.sources] == ["1.json", "2.json"]
