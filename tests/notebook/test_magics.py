"""The magics in a shell of IPython in this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("IPython", reason="of the extra `notebook`")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, UsageError, ValidationError
from firesteel.notebook import magics

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

TOTALS = """%%firesteel --no-widget -D NAME=Tom
CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES ('${NAME}', 12), ('Tom', 9), ('Ann', 7)) AS t (name, cnt);
SELECT name, SUM(cnt) AS total FROM v GROUP BY name;
"""


@pytest.fixture
def shell() -> Iterator[Any]:
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "firesteel.notebook")
    yield made
    InteractiveShell.clear_instance()


def run(shell: Any, code: str) -> tuple[str, list[str]]:
    """Return what a cell prints, and the HTML that it shows. Raises the cell's error."""
    with capture_output() as found:
        ran = shell.run_cell(code)
    if ran.error_in_exec is not None:
        raise ran.error_in_exec
    assert ran.error_before_exec is None
    return found.stdout, [output.data["text/html"] for output in found.outputs if is_html(output)]


def is_html(output: RichOutput) -> bool:
    return "text/html" in (output.data or {})


def test_a_cell_runs_its_statements_and_an_environment_is_made(shell: Any) -> None:
    out, shown = run(shell, "%%firesteel\nCREATE TABLE t (a INT) WITH ('connector' = 'print');\nSHOW TABLES;")
    assert out == "OK\n"
    assert shown == [
        "<table><thead><tr><th>table name</th></tr></thead><tbody><tr><td>t</td></tr></tbody></table>"
    ]
    assert isinstance(shell.user_ns["env"], TableEnvironment)
    assert "<td>a</td>" in run(shell, "%firesteel DESCRIBE t")[1][0]


def test_plans_are_shown_section_by_section(shell: Any) -> None:
    (shown,) = run(shell, "%firesteel EXPLAIN SELECT a FROM (VALUES '<') AS t (a)")[1]
    assert "<summary>Optimized Physical Plan</summary><pre>" in shown
    assert "&#x27;&lt;&#x27;" in shown


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        (
            "%%firesteel\nSELECT a\nFROM nothing",
            ValidationError,
            r"Object 'nothing' not found.*\(line 2, column 6\)",
        ),
        ("%%firesteel --rows many\nSELECT 1", UsageError, "argument --rows"),
        ("%%firesteel -D NAME\nSELECT 1", UsageError, "NAME=VALUE is expected, not 'NAME'"),
        ("%%firesteel --env other\nSELECT 1", UsageError, "the variable other is a int"),
        ("%%firesteel\nSELECT '${NAME}'", FiresteelError, "variable NAME is not defined"),
        ("%firesteel_plot 12345", UsageError, "there is no job 12345"),
    ],
)
def test_a_mistake_is_an_error_of_the_cell(
    shell: Any, code: str, error: type[Exception], message: str
) -> None:
    shell.user_ns["other"] = 1
    with pytest.raises(error, match=message):
        run(shell, code)


@pytest.mark.spark
def test_a_query_is_folded_in_the_cell_and_its_job_is_plotted(
    shell: Any, spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.user_ns["env"] = TableEnvironment.create(spark)
    shown = run(shell, TOTALS)[1]
    assert "<td>Tom</td><td>21</td>" in shown[-1]
    assert "2 rows, 4 changes; finished" in shown[-1]
    monkeypatch.setattr(magics.importlib.util, "find_spec", lambda _: None)
    plot = run(shell, "%firesteel_plot")[1][-1]
    assert plot.startswith("<div>job ")
    assert ": FINISHED</div><svg" in plot


@pytest.mark.spark
def test_an_insert_runs_as_a_job(shell: Any, spark: Spark) -> None:
    shell.user_ns["env"] = TableEnvironment.create(spark)
    table = "CREATE TABLE b (a INT) WITH ('connector' = 'blackhole')"
    out, _ = run(shell, f"%%firesteel --wait\n{table};\nINSERT INTO b VALUES 1;")
    assert out.splitlines()[0] == "OK"
    assert ": FINISHED. %firesteel_plot " in out.splitlines()[-1]
