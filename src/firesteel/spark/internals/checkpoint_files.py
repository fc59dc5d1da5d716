"""How Spark writes the small files of a checkpoint that lies in a folder of this machine: with few programs.

Hadoop without its native library, as pyspark has it, runs a program of the system for each permission that it
sets (chmod) and each link that it asks for (readlink): several for each file that is written and renamed,
forked from the JVM, a quarter of the time of a small micro-batch. So it is one a file.

Spark replaces files by renaming: a micro-batch that runs again writes its state over that of the first
attempt. Hive's class for local files, which pyspark's jars register, renames nothing onto a file that is
there, and Spark only logs a warning. The state of the first attempt would stay. So Hive's class is put aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.spark.launch.spark_submit_launcher import tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITER = "spark.sql.streaming.checkpointFileManagerClass"
_BY_FILE_SYSTEM = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)


_LOCAL = "org.apache.hadoop.fs.LocalFileSystem"
"""Hadoop's own class for local files. Its rename replaces a file."""
_LOCAL_SETTING = "fs.file.impl"


def write_with_few_programs(session: SparkSession, *, owned: bool) -> None:
    """Let the streams of a session write local checkpoints by Hadoop's FileSystem, which asks for no links.

    A setting of the user stays. Where the JVM has another class for local files than Hadoop's, Spark's own
    way stays, which runs more programs.

    Private: the class that writes so, the setting that names it, and the way into the JVM.

    Args:
        session: The session of one job.
        owned: Whether the JVM is Firesteel's own. Then it gets Hadoop's class for local files, and writes no
            checksums, a second file each: Spark has its own of the state.
    """
    from py4j.protocol import Py4JError

    if session.conf.get(WRITER, None) is not None:
        return
    context: Any = session.sparkContext
    try:
        context._jvm.java.lang.Class.forName(_BY_FILE_SYSTEM)
        if not _is_hadoops(context, owned=owned):
            return
        if owned:
            _local_files(context).setWriteChecksum(False)
    except Py4JError as error:
        tell("a checkpoint is written", error)
        return
    session.conf.set(WRITER, _BY_FILE_SYSTEM)


def _is_hadoops(context: Any, *, owned: bool) -> bool:
    """Return whether local files are Hadoop's. If the JVM is Firesteel's own, make them so first."""
    if owned and _class_of(_local_files(context)) != _LOCAL:
        context._jsc.hadoopConfiguration().set(_LOCAL_SETTING, _LOCAL)
        _local_files(context).close()  # Hadoop keeps it for all until it is closed, then makes another one
    return _class_of(_local_files(context)) == _LOCAL


def _local_files(context: Any) -> Any:
    return context._jvm.org.apache.hadoop.fs.FileSystem.getLocal(context._jsc.hadoopConfiguration())


def _class_of(made: Any) -> str:
    return str(made.getClass().getName())
