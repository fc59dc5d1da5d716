"""Start of the Spark of a session, from the session's options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from firesteel.errors import UsageError
from firesteel.spark.launch import launch
from firesteel.spark.launch.launch import Spark
from firesteel.spark.launch.settings import MASTER, LaunchOptions
from firesteel.spark.launch.submitted import submitted_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel.spark.checkpoint.lock import CheckpointLock

FAST = "firesteel.fast-start"
HOST = "firesteel.host"
NAME = "pipeline.name"
CHECKPOINT = "execution.checkpointing.dir"


def launch_options(options: Mapping[str, str], own_process: bool = False, script: str = "") -> LaunchOptions:
    """Return the options with which Spark is started.

    Args:
        options: Options of the session. The ones that begin with `spark.` are settings of Spark.
        own_process: Whether the process is that of the command `firesteel`.
        script: File name of the script. It names an application that has no `pipeline.name`.
    """
    conf = submitted_settings() | settings_of_spark(options)
    master = conf.pop(MASTER, None)
    streams = options.get(HOST) == launch.STREAM or CHECKPOINT in options
    host = launch.STREAM if streams else launch.BATCH
    fast, name = options.get(FAST, "auto").lower() != "off", options.get(NAME) or script or "firesteel"
    return LaunchOptions(master, host, conf, own_process, fast, name)


def settings_of_spark(options: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of Spark: the options whose keys begin with `spark.`."""
    return {key: value for key, value in options.items() if key.startswith("spark.")}


def prepare(options: Mapping[str, str], own_process: bool = False, script: str = "") -> Spark:
    """Begin to start a Spark and return it at once, while it starts. Arguments: see `launch_options`."""
    return launch.prepare(launch_options(options, own_process, script))


def open_checkpoint(options: Mapping[str, str]) -> CheckpointLock | None:
    """Lock the checkpoint that the options name, and return the lock; None if they name no checkpoint.

    Raises:
        UsageError: The checkpoint cannot be used, or another command holds it.
    """
    if CHECKPOINT not in options:
        return None
    from firesteel.spark.checkpoint.folder import open_folder
    from firesteel.spark.checkpoint.lock import RUN_FILE
    from firesteel.spark.checkpoint.trust import OPTION

    trusts_others = options.get(OPTION, "false").lower() == "true"
    return open_folder(options[CHECKPOINT], RUN_FILE, trusts_others=trusts_others)


def spark_of(given: SparkSession | Spark) -> Spark:
    """Return the Spark handle of a user's SparkSession. Return a Spark as it is. Else raise UsageError."""
    if isinstance(given, Spark):
        return given
    if hasattr(given, "sparkContext") or type(given).__name__ == "SparkSession":
        return launch.of_session(given)
    raise UsageError(f"a SparkSession is expected, got {type(given).__name__}")
