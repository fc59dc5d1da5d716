"""Spark's logging: quiet unless the user sets a level or has a configuration of log4j."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from firesteel.spark.launch.settings import LOG_LEVEL

_CONFIGURATION = "log4j2.configurationFile"
_DRIVER_OPTIONS = "spark.driver.extraJavaOptions"
_SUBMIT_OPTIONS = "SPARK_SUBMIT_OPTS"


def logging_options(conf: Mapping[str, str]) -> list[str]:
    """Return the JVM's options for logging.

    Args:
        conf: The user's settings of Spark.
    """
    file = resources.files("firesteel.spark.launch").joinpath("log4j2.properties")
    level = conf.get(LOG_LEVEL)
    levels = [] if level is None else [f"-Dfiresteel.log.level={level}", f"-Dfiresteel.log.tasks={level}"]
    return [f"-D{_CONFIGURATION}={file}", *levels]


def has_logging(conf: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    """Return whether the user configures the logging of a JVM that spark-submit starts."""
    options = f"{conf.get(_DRIVER_OPTIONS, '')} {environment.get(_SUBMIT_OPTIONS, '')}"
    if _CONFIGURATION in options or "log4j.configuration" in options:
        return True
    folders = [environment.get("SPARK_CONF_DIR"), _below(environment.get("SPARK_HOME"))]
    return any(any(Path(folder).glob("log4j2.*")) for folder in folders if folder)


def _below(home: str | None) -> str | None:
    return None if home is None else os.path.join(home, "conf")  # noqa: PTH118
