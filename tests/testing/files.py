"""Files of tests, for tests."""

from __future__ import annotations

from pathlib import Path

from firesteel.testing.run import Outcome, run_case
from firesteel.testing.test_case import TestFile, read_tests

SCRIPT = """\
CREATE TABLE orders (id BIGINT, name STRING, cnt INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'nowhere:1',
      'format' = 'canal-json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE names (name STRING, city STRING)
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
CREATE TABLE totals (name STRING, total INT, PRIMARY KEY (name) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'totals', 'properties.bootstrap.servers' = 'nowhere:1',
      'key.format' = 'json', 'value.format' = 'json');
CREATE VIEW sizes AS
SELECT id, CASE WHEN cnt > 100 THEN 'large' WHEN cnt > 10 THEN 'middle' ELSE 'small' END AS size
FROM orders WHERE name <> '';
CREATE VIEW cities AS
SELECT orders.id, names.city FROM orders LEFT JOIN names ON orders.name = names.name;
INSERT INTO totals SELECT name, SUM(cnt) FROM orders GROUP BY name;
"""


def read(folder: Path, tests: str, script: str = SCRIPT) -> TestFile:
    """Return a file of tests of a script, both written to a folder."""
    (folder / "job.sql").write_text(script, encoding="utf-8")
    file = folder / "job.firesteel.yaml"
    file.write_text(f"script: job.sql\ntests:\n{tests}", encoding="utf-8")
    return read_tests(file)


def outcome(folder: Path, tests: str, script: str = SCRIPT) -> Outcome:
    """Return the outcome of the only test of a file."""
    file = read(folder, tests, script)
    (case,) = file.cases
    return run_case(file, case)
