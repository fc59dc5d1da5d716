"""In a Jupyter kernel: results print into the cell, tables show as HTML, an interrupt stops a query."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

jupyter_client = pytest.importorskip("jupyter_client", reason="needs ipykernel, of the extra `dev`")

SECONDS = 180
PATIENCE_SECONDS = 5.0
"""An interrupt that meets the kernel while it sends output may be lost; rows still come then."""

START = """
from firesteel import TableEnvironment
environment = TableEnvironment.create()
"""
ENDLESS = """
environment.execute_sql("CREATE TABLE g (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5')")
environment.sql_query("SELECT * FROM g").execute().print()
"""


class Kernel:
    """A kernel of this interpreter."""

    def __init__(self) -> None:
        self._manager = jupyter_client.KernelManager()
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._manager.kernel_spec.argv = command
        self._manager.start_kernel()
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=SECONDS)

    def run(self, code: str, interrupt_at: str = "") -> dict[str, str]:
        """What a cell shows: its `stdout` and `stderr`, its `result` as HTML, the `error` that ended it."""
        shown = {"stdout": "", "stderr": "", "result": "", "error": ""}
        interrupted = -PATIENCE_SECONDS

        def take(message: dict[str, Any]) -> None:
            nonlocal interrupted
            content, kind = message["content"], message["msg_type"]
            if kind == "stream":
                shown[content["name"]] += content["text"]
                if (
                    interrupt_at
                    and interrupt_at in content["text"]
                    and time.monotonic() - interrupted > PATIENCE_SECONDS
                ):
                    interrupted = time.monotonic()
                    self._manager.interrupt_kernel()
            elif kind == "execute_result":
                shown["result"] = content["data"].get("text/html", content["data"]["text/plain"])
            elif kind == "error":
                shown["error"] = content["ename"]
                shown["traceback"] = "\n".join(content["traceback"])

        self._client.execute_interactive(code, timeout=SECONDS, output_hook=take, store_history=False)
        return shown

    def stop(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    started = Kernel()
    yield started
    started.stop()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_cells_show_tables_rows_and_changes(kernel: Kernel) -> None:
    assert kernel.run(START)["error"] == ""
    table = kernel.run(
        "t = environment.sql_query('SELECT a, COUNT(*) AS n FROM (VALUES 1, 1) AS v(a) GROUP BY a'); t"
    )
    assert "<td>n</td><td>BIGINT NOT NULL</td>" in table["result"]
    assert "| +U |           1 |                    2 |" in kernel.run("t.execute().print()")["stdout"]
    assert "<td>2</td>" in kernel.run("t.to_pandas()")["result"]
    assert "<th>table name</th>" in kernel.run("environment.execute_sql('SHOW TABLES')")["result"]
    interrupted = kernel.run(ENDLESS, interrupt_at="| +I |")
    assert interrupted["error"] == "KeyboardInterrupt"
    assert "Query terminated" in interrupted["stdout"]
    assert "py4j" not in interrupted["stderr"]
    assert "| +I |           7 |" in kernel.run("environment.execute_sql('SELECT 7').print()")["stdout"]


@pytest.mark.spark
@pytest.mark.slow
def test_a_traceback_ends_where_the_users_code_ends(kernel: Kernel) -> None:
    assert kernel.run(START)["error"] == ""
    cell = "def ask(text):\n    return environment.sql_query(text)\nask('SELECT a FROM nothing')"
    failed = kernel.run(cell)
    assert failed["error"] == "ValidationError"
    # From Python 3.13 on, marks stand below the code.
    lines = [line for line in failed["traceback"].splitlines() if line.strip("~^ ")]
    assert len(lines) <= 9, failed["traceback"]
    assert "return environment.sql_query(text)" in failed["traceback"]
    assert "Object 'nothing' not found" in failed["traceback"]
    assert "firesteel/" not in failed["traceback"]
