"""From the options of a session to the Spark that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from firesteel.errors import UsageError
from firesteel.spark.launch import launch
from firesteel.spark.launch.launch import Spark
from firesteel.spark.launch.settings import MASTER, LaunchOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel.spark.checkpoint.lock import CheckpointLock

FAST = "firesteel.fast-start"
HOST = "firesteel.host"
NAME = "pipeline.name"
CHECKPOINT = "execution.checkpointing.dir"


def launch_options(options: Mapping[str, str], own_process: bool = False, script: str = "") -> LaunchOptions:
    """Return how to start Spark.

    Args:
        options: The session's; those that begin with `spark.` are Spark's own.
        own_process: Whether the process is the command's.
        script: The script's file name, for an application without `pipeline.name`.
    """
    conf = settings_of_spark(options)
    master = conf.pop(MASTER, None)
    streams = options.get(HOST) == launch.STREAM or CHECKPOINT in options
    host = launch.STREAM if streams else launch.BATCH
    fast, name = options.get(FAST, "auto").lower() != "off", options.get(NAME) or script or "firesteel"
    return LaunchOptions(master, host, conf, own_process, fast, name)


def settings_of_spark(options: Mapping[str, str]) -> dict[str, str]:
    """The options that are Spark's own."""
    return {key: value for key, value in options.items() if key.startswith("spark.")}


def prepare(options: Mapping[str, str], own_process: bool = False, script: str = "") -> Spark:
    """Begin to start a Spark of our own and return at once; arguments as of `launch_options`."""
    return launch.prepare(launch_options(options, own_process, script))


def open_checkpoint(options: Mapping[str, str]) -> CheckpointLock | None:
    """Hold the checkpoint that a command names, before anything is started for it.

    Raises UsageError where it cannot be used, or another command holds it.
    """
    if CHECKPOINT not in options:
        return None
    from firesteel.spark.checkpoint.folder import open_folder
    from firesteel.spark.checkpoint.lock import RUN_FILE
    from firesteel.spark.checkpoint.trust import OPTION

    trusts_others = options.get(OPTION, "false").lower() == "true"
    return open_folder(options[CHECKPOINT], RUN_FILE, trusts_others=trusts_others)


def spark_of(given: SparkSession | Spark) -> Spark:
    """The user's session, or a Spark that was started before. Raises UsageError for anything else."""
    if isinstance(given, Spark):
        return given
    if hasattr(given, "sparkContext") or type(given).__name__ == "SparkSession":
        return launch.of_session(given)
    raise UsageError(f"a SparkSession is expected, got {type(given).__name__}")
