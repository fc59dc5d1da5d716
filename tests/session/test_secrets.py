"""Secrets reach connectors, and no file that a run leaves and no output holds them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from firesteel.cache_folder import cache_folder
from firesteel.config.secrets import hand_on, referenced, resolved
from firesteel.errors import SourceRange, ValidationError
from firesteel.sensitive import is_sensitive, redacted
from tests.session.vault import NUMBER, PASSWORD, TOKEN

SCRIPT = f"""
CREATE TABLE orders (id INT, name STRING) WITH ('connector' = 'vault', 'path' = '{{folder}}/in',
  'format' = 'json', 'password' = '{PASSWORD}', 'pin' = '{NUMBER}');
CREATE TABLE counts (name STRING, n BIGINT) WITH ('connector' = 'vault', 'path' = '{{folder}}/out',
  'format' = 'debezium-json', 'password' = '{PASSWORD}', 'client.token' = '{TOKEN}',
  'pin' = '{NUMBER}');
SHOW CREATE TABLE counts;
CREATE VIEW hinted AS SELECT * FROM orders /*+ OPTIONS('client.token' = '{TOKEN}') */;
SHOW CREATE VIEW hinted;
EXPLAIN SELECT * FROM orders /*+ OPTIONS('client.token' = '{TOKEN}') */;
SET 'my.password' = '{PASSWORD}';
SET;
INSERT INTO counts SELECT name, COUNT(*)
  FROM orders /*+ OPTIONS('client.token' = '{TOKEN}') */ GROUP BY name;
CREATE TABLE wrong (id INT) WITH ('connector' = 'vault', 'password' = '{PASSWORD}', 'path' = 'x',
  'format' = 'xml');
SELECT * FROM wrong /*+ OPTIONS('client.token' = '{TOKEN}') */;
"""


@pytest.fixture
def short() -> Iterator[str]:
    """A folder with a name so short that sockets can lie in it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield folder


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the files below a folder. The JVM of the command may still be ending, and renames some."""
    while True:
        with suppress(FileNotFoundError):
            return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("host", [pytest.param("batch", marks=pytest.mark.full), "stream"])
@pytest.mark.slow
def test_no_file_and_no_output_holds_a_secret(host: str, tmp_path: Path, short: str) -> None:
    left, script = Path(short), tmp_path / "job.sql"
    for folder in (tmp_path / "in", tmp_path / "plugin/vault-1.dist-info", left / "home", left / "tmp"):
        folder.mkdir(parents=True)
    (tmp_path / "in" / "a.json").write_text('{"id":1,"name":"a"}\n{"id":2,"name":"a"}\n')
    package = tmp_path / "plugin" / "vault-1.dist-info"
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: vault\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[firesteel.connectors]\nvault = tests.session.vault:Vault\n")
    script.write_text(SCRIPT.format(folder=tmp_path))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "plugin"), str(Path(__file__).parents[2])]),
        "HOME": str(left / "home"),
        "FIRESTEEL_CACHE_DIR": str(cache_folder()),  # kernels and class data, which nobody compiles again
        "TMPDIR": str(left / "tmp"),
        "SPARK_LOCAL_DIRS": str(left / "tmp"),
    }
    options = ["--set", "spark.eventLog.enabled=true", "--set", f"spark.eventLog.dir={left / 'tmp'}"]
    if host == "stream":
        options += ["--checkpoint", str(left / "checkpoint")]
    command = [sys.executable, "-m", "firesteel.cli.main", "run", str(script), *options, "--verbose"]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=300, cwd=left, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 2, said.decode()
    assert b"'client.token' = '******'" in done.stdout
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").glob("part-*"))
    assert b'{"name":"a","n":2}' in written, said.decode()
    files = contents(left)
    assert host == "batch" or any("checkpoint" in str(file) for file in files)
    for secret in (PASSWORD.encode(), TOKEN.encode(), NUMBER.encode()):
        assert secret not in said
        assert [file for file, content in files.items() if secret in content] == []


@pytest.mark.parametrize(
    "key", ["password", "Sasl.JAAS.Config", "a.api-key", "x.http-headers.y", "accessToken"]
)
def test_what_flink_hides(key: str) -> None:
    assert is_sensitive(key)
    assert not is_sensitive("path")


def test_secrets_travel_by_reference() -> None:
    given = (("path", "/x"), ("password", "open"), ("pin", "12"))
    sent = referenced("c.d.t", given, declared=("pin",))
    assert sent[0] == given[0]
    assert not {"open", "12"} & {value for _, value in sent}
    assert sent == referenced("c.d.t", given, declared=("pin",))
    assert resolved(sent) == given
    workers: dict[str, str] = {}
    hand_on([sent], workers)
    assert sorted(workers.values()) == ["12", "open"]


def test_sql_in_errors_has_asterisks() -> None:
    sql = "CREATE TABLE t (a INT) WITH ('password' = 'it''s me',\n 'x' = 'y')"
    assert redacted(sql) == sql.replace("it''s me", "********")
    assert redacted(sql, declared=("x",)) == redacted(sql).replace("'y'", "'*'")
    error = ValidationError("no it's me", range=SourceRange(30, 40)).located(sql)
    assert "it" not in str(error).split("\n")[0]
    assert "it''s" not in str(error)
