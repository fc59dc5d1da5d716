"""From the options of a session to the Spark that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from firesteel.errors import UsageError
from firesteel.spark import launch
from firesteel.spark.launch import LaunchOptions, Spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel.spark.checkpoint_lock import CheckpointLock

MASTER = "spark.master"
HOST = "firesteel.host"
CHECKPOINT = "execution.checkpointing.dir"


def launch_options(options: Mapping[str, str], lean: bool = False) -> LaunchOptions:
    """How to start Spark: options that begin with `spark.` are Spark's own. lean: for the command."""
    conf = {key: value for key, value in options.items() if key.startswith("spark.") and key != MASTER}
    streams = options.get(HOST) == launch.STREAM or CHECKPOINT in options
    return LaunchOptions(options.get(MASTER), launch.STREAM if streams else launch.BATCH, conf, lean)


def prepare(options: Mapping[str, str], lean: bool = False) -> Spark:
    """Begin to start a Spark of our own; returns at once. lean: for the command (spark/lean.py)."""
    return launch.prepare(launch_options(options, lean))


def open_checkpoint(options: Mapping[str, str]) -> CheckpointLock | None:
    """Hold the checkpoint that a command names, before anything is started for it.

    Raises UsageError where it cannot be used, or another command holds it.
    """
    if CHECKPOINT not in options:
        return None
    from firesteel.spark.checkpoint_folder import open_folder
    from firesteel.spark.checkpoint_lock import RUN_FILE

    return open_folder(options[CHECKPOINT], RUN_FILE)


def spark_of(given: SparkSession | Spark) -> Spark:
    """The user's session, or a Spark that was started before. Raises UsageError for anything else."""
    if isinstance(given, Spark):
        return given
    if hasattr(given, "sparkContext") or type(given).__name__ == "SparkSession":
        return launch.of_session(given)
    raise UsageError(f"a SparkSession is expected, got {type(given).__name__}")
