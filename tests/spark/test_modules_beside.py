"""A file that lies beside a job does not run because it has the name of a module: not in the command, not in
the fork server, the daemon, the workers, nor in other Python that the JVM starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.scale import part

FIRESTEEL = Path(sysconfig.get_path("scripts")) / "firesteel"
OTHERS = (
    "pyspark", "py4j", "pandas", "numpy", "pyarrow", "duckdb", "firesteel", "typer", "rich",
    "google", "pygments", "pip",
)  # fmt: skip
ABSENT = ("sitecustomize", "usercustomize", "psutil", "memory_profiler", "coverage", "simplejson", "cudf")
"""What others look for and get on without."""

PAYLOAD = """
import os
with open(os.path.join({marks!r}, __name__), "a") as mark:
    mark.write("run")
"""
SCRIPT = """
CREATE TABLE t (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');
{function}
SELECT {call}, COUNT(*) FROM t GROUP BY {call};
"""
FUNCTION = "CREATE FUNCTION f AS 'of_the_user.f' LANGUAGE PYTHON;"
MODULE = """
from firesteel.functions.python import udf
import helper_of_the_user

@udf(result_type="STRING")
def f(x):
    import helper_of_functions
    return x + "!"
"""


def trap(folder: Path, marks: Path, absent: tuple[str, ...] = ABSENT) -> None:
    """A file in `folder` for each module that somebody might import, which leaves a mark when it is run."""
    marks.mkdir(exist_ok=True)
    for name in {*sys.stdlib_module_names, *OTHERS, *absent}:
        (folder / f"{name}.py").write_text(PAYLOAD.format(marks=str(marks)), encoding="utf-8")


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A folder with data and modules of the user's."""
    (tmp_path / "t.json").write_text('{"id": 1, "name": "x"}\n', encoding="utf-8")
    (tmp_path / "of_the_user.py").write_text(MODULE, encoding="utf-8")
    for name in ("helper_of_the_user", "helper_of_functions"):
        (tmp_path / f"{name}.py").write_text("", encoding="utf-8")
    return tmp_path


def run(job: Path, *options: str, **environment: str) -> str:
    """What the command prints for job.sql."""
    done = subprocess.run(
        [str(FIRESTEEL), "run", "job.sql", *options],
        cwd=job,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "function", "is_direct"),
    [
        ("batch", "", True),
        ("stream", "", True),
        ("stream", FUNCTION, True),
        ("batch", FUNCTION, False),
    ],
)
@pytest.mark.full
def test_only_modules_of_functions_run(job: Path, host: str, function: str, is_direct: bool) -> None:
    text = SCRIPT.format(function=function, call="f(name)" if function else "name")
    (job / "job.sql").write_text(text, encoding="utf-8")
    trap(job, marks := job / "marks", absent=() if function else ABSENT)
    submit = {} if is_direct else {"PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
    said = run(job, "--set", f"firesteel.host={host}", **submit)
    assert f"x{'!' if function else ''} |" in said
    assert list(marks.iterdir()) == []


@pytest.mark.parametrize("name", part(["json", "code", "pyarrow"], 1))
def test_a_function_in_a_module_with_the_name_of_another_is_refused(job: Path, name: str) -> None:
    shutil.copy(job / "of_the_user.py", job / f"{name}.py")
    text = f"CREATE FUNCTION f AS '{name}.f' LANGUAGE PYTHON;"
    (job / "job.sql").write_text(text, encoding="utf-8")
    done = subprocess.run([str(FIRESTEEL), "run", "job.sql"], cwd=job, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"{name}.py has the name of another module, {name}" in done.stderr
    assert "hint: give it a name of its own" in done.stderr
