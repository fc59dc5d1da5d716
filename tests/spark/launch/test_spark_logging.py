"""Spark is quiet unless the user sets a level or brings a configuration of log4j."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.spark.launch.settings import LaunchOptions
from firesteel.spark.launch.spark_logging import has_logging, logging_options
from firesteel.spark.launch.spark_submit_launcher import _variables


def test_a_level_is_handed_on() -> None:
    (quiet,) = logging_options({})
    assert quiet.startswith("-Dlog4j2.configurationFile=")
    assert quiet.endswith("log4j2.properties")
    assert logging_options({"spark.log.level": "INFO"})[1:] == [
        "-Dfiresteel.log.level=INFO",
        "-Dfiresteel.log.tasks=INFO",
    ]


@pytest.mark.parametrize(
    ("conf", "environment"),
    [
        ({"spark.driver.extraJavaOptions": "-Dlog4j2.configurationFile=own.properties"}, {}),
        ({}, {"SPARK_SUBMIT_OPTS": "-Dlog4j2.configurationFile=own.properties"}),
        ({}, {"SPARK_CONF_DIR": "{folder}"}),
        ({}, {"SPARK_HOME": "{folder}/.."}),
    ],
)
def test_a_configuration_of_the_users_stands(
    conf: dict[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "conf"
    folder.mkdir()
    environment = {key: value.replace("{folder}", str(folder)) for key, value in environment.items()}
    assert has_logging(conf, environment) == ("log4j2" in str([conf, environment]))
    (folder / "log4j2.properties").touch()
    assert has_logging(conf, environment)


@pytest.mark.parametrize("master", [None, "spark://127.0.0.1:7077"])
def test_spark_submit_gets_it(master: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Dmine=1")
    options = _variables(LaunchOptions(master))["SPARK_SUBMIT_OPTS"].split()
    assert options[0] == "-Dmine=1"
    assert options[1].startswith("-Dlog4j2.configurationFile=")
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Dlog4j2.configurationFile=mine")
    assert _variables(LaunchOptions("yarn")).get("SPARK_SUBMIT_OPTS") is None
