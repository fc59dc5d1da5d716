"""Spark starts as pyspark starts it where the fast way fails, or is not wanted."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from firesteel.session.launch import launch_options
from firesteel.spark.launch.settings import LaunchOptions

PROGRAM = """
import sys, time
from firesteel import TableEnvironment
{breaking}
environment = TableEnvironment.create(configuration={{"spark.master": "local[1]", **{options}}})
for _ in range(2):
    table = environment.sql_query("SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t(a)")
    print(table.to_pandas()["n"][0], environment.spark._fast is not None)
print(environment.spark.context.getConf().get("spark.python.daemon.module"))
environment.close()
"""
BROKEN = {
    "no such gateway": "from firesteel.spark.launch import jvm; jvm._GATEWAY = 'no.such.Class'",
    "a pyspark that takes no gateway": (
        "from pyspark.core import context\\n"
        "def no_gateway(conf=None, popen_kwargs=None, launch=context.launch_gateway):\\n"
        "    import os\\n"
        "    if 'PYSPARK_GATEWAY_PORT' in os.environ: raise TypeError('unexpected gateway')\\n"
        "    return launch(conf, popen_kwargs)\\n"
        "context.launch_gateway = no_gateway"
    ),
}


def run(breaking: str = "", options: str = "{}") -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(breaking=breaking, options=options)],
        capture_output=True,
        text=True,
        timeout=280,
        env=environment,
    )


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    "broken",
    [pytest.param(broken, marks=pytest.mark.full) for broken in BROKEN],
)
def test_where_the_direct_launcher_fails_spark_submit_is_used_and_reported_once(broken: str) -> None:
    began = time.monotonic()
    done = run(BROKEN[broken].encode().decode("unicode_escape"))
    assert done.stdout.splitlines()[:2] == ["2 False"] * 2, done.stderr
    assert done.stderr.count("Spark is started in a slower way, with the same results (pyspark ") == 1
    assert time.monotonic() - began < 200


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_off_starts_it_plainly_without_a_word() -> None:
    done = run(options='{"firesteel.fast-start": "off"}')
    assert done.stdout.splitlines() == ["2 False", "2 False", "None"], done.stderr
    assert done.stderr == ""


@pytest.mark.spark
@pytest.mark.slow
def test_a_jvm_that_does_not_start_plainly_is_quoted_without_a_stack() -> None:
    done = run(
        "import sys\nsys.excepthook = lambda kind, error, _: print(kind.__name__, error, file=sys.stderr)",
        '{"spark.driver.memory": "nonsense"}',
    )
    assert done.stderr.startswith("JobError Spark's JVM ended while it started: "), done.stderr
    assert "nonsense" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_off_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert LaunchOptions().may_start_directly
    assert not launch_options({"firesteel.fast-start": "off"}).may_start_directly
    assert not any("firesteel" in v for k, v in LaunchOptions(fast=False).settings().items() if "daemon" in k)
    assert not LaunchOptions(conf={"spark.jars": "x"}).may_start_directly
    assert not LaunchOptions("spark://there:1").may_start_directly
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    assert not LaunchOptions().may_start_directly
