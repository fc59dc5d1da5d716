"""`verify --sink` finds each planted fault in what a sink holds, and none where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.testing.verify.verify import assert_verified, verify_script
from tests.testing.verify.planted import LARGE, TOTALS, write_job, write_large, write_totals

IN_A_TABLE = {
    "a changed number": ("UPDATE totals SET total = 33 WHERE name = 'Tom'", "Tom"),
    "a missed retraction": ("UPDATE totals SET n = 3, total = 41 WHERE name = 'Tom'", "Tom"),
    "an old value": ("UPDATE totals SET total = 21 WHERE name = 'Tom'", "Tom"),
    "a row that was deleted": ("INSERT INTO totals VALUES ('Eve', 1, 7, 2.0)", "Eve"),
    "a row with zeros for a deleted group": ("INSERT INTO totals VALUES ('Eve', 0, 0, 0)", "Eve"),
    "a lost row": ("DELETE FROM totals WHERE name = 'Bob'", "Bob"),
    "NULL for 0": ("UPDATE totals SET total = NULL WHERE name = 'Ann'", "Ann"),
    "0 for NULL": ("UPDATE totals SET total = 0 WHERE name = 'Joe'", "Joe"),
    "0.0 for NULL": ("UPDATE totals SET price = 0.0 WHERE name = 'Bob'", "Bob"),
    "a row under another key": ("UPDATE totals SET name = 'Tim' WHERE name = 'Tom'", "Tim"),
    "rows under each other's keys": (
        "UPDATE totals SET name = CASE name WHEN 'Tom' THEN 'Ann' WHEN 'Ann' THEN 'Tom' ELSE name END", "Ann"
    ),
    "another case of a key": ("UPDATE totals SET name = 'tom' WHERE name = 'Tom'", "tom"),
    "a blank behind a key": ("UPDATE totals SET name = 'Tom ' WHERE name = 'Tom'", "Tom "),
    "a doubled count": ("UPDATE totals SET n = 2 * n WHERE name = 'Ann'", "Ann"),
    "a sum in another column": ("UPDATE totals SET n = total, total = n WHERE name = 'Tom'", "Tom"),
    "a sum that is a little off": ("UPDATE totals SET price = 0.3000001 WHERE name = 'Tom'", "Tom"),
    "a sum with the wrong sign": ("UPDATE totals SET total = -total WHERE name = 'Bob'", "Bob"),
    "an empty table": ("DELETE FROM totals", "Tom"),
}  # fmt: skip

EXTRA = ("+I", 9, "Zoe", 9)
IN_A_FILE = {
    "a dropped retraction": (lambda changes: changes.remove(("-U", 2, "Tom", 9)), 2),
    "a dropped deletion": (lambda changes: changes.remove(("-D", 5, "Eve", 7)), 5),
    "a retraction with a wrong value": (lambda changes: changes.__setitem__(3, ("-U", 2, "Tom", 8)), 2),
    "a doubled row": (lambda changes: changes.append(changes[0]), 1),
    "a doubled batch": (lambda changes: changes.extend(changes[:3]), 1),
    "a lost batch": (lambda changes: changes.__delitem__(slice(0, 3)), 1),
    "a lost update": (lambda changes: changes.__delitem__(slice(3, 5)), 2),
    "a deletion twice": (lambda changes: changes.append(changes[-1]), 5),
    "a row of another job": (lambda changes: changes.append(EXTRA), 9),
    "a changed key": (lambda changes: changes.__setitem__(2, ("+I", 44, "Bob", 5)), 4),
}


@pytest.mark.parametrize("fault", IN_A_TABLE)
def test_a_fault_in_a_table_is_found_at_its_key(tmp_path: Path, fault: str) -> None:
    script = write_job(tmp_path, TOTALS)
    sql, key = IN_A_TABLE[fault]
    write_totals(tmp_path, lambda database: database.execute(sql))
    (verdict,) = verify_script(script, define={"DATA": str(tmp_path)}, sink=True)
    assert not verdict.is_right
    assert (key,) in [each.key for each in verdict.first], verdict.text()


@pytest.mark.parametrize("fault", IN_A_FILE)
def test_a_fault_in_a_file_of_changes_is_found(tmp_path: Path, fault: str) -> None:
    script = write_job(tmp_path, LARGE)
    plant, key = IN_A_FILE[fault]
    write_large(tmp_path, plant)
    (verdict,) = verify_script(script, define={"DATA": str(tmp_path)}, sink=True)
    assert not verdict.is_right
    assert str(key) in [each.key[0] for each in verdict.first], verdict.text()


def test_right_sinks_are_right(tmp_path: Path) -> None:
    script = write_job(tmp_path, TOTALS + LARGE)
    write_totals(tmp_path, lambda database: None)
    write_large(tmp_path, lambda changes: None)
    assert_verified(script, define={"DATA": str(tmp_path)}, sink=True)
    texts = [each.text() for each in verify_script(script, define={"DATA": str(tmp_path)}, sink=True)]
    assert texts == [
        "totals: the rows of the table agree with the answer of DuckDB (4 rows)",
        "big: the rows of the table agree with the answer of DuckDB (3 rows)",
    ]


def test_the_report_shows_key_expected_and_found_rows(tmp_path: Path) -> None:
    script = write_job(tmp_path, TOTALS)
    write_totals(tmp_path, lambda database: database.execute("DELETE FROM totals WHERE n = 2"))
    with pytest.raises(AssertionError) as caught:
        assert_verified(script, define={"DATA": str(tmp_path)}, sink=True)
    assert str(caught.value) == (
        "totals: the rows of the table differ from the answer of DuckDB (4 rows) in 1 key\n"
        "  name = Tom\n"
        "    expected  [Tom, 2, 32, 0.30000000000000004]\n"
        "    found     no row"
    )
