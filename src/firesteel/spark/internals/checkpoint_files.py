"""Writing of Spark's small checkpoint files on this machine with fewer external programs.

Without its native library, which pyspark does not have, Hadoop runs an external program for each permission
that it sets (chmod) and each link that it resolves (readlink). To write and rename one file, the JVM starts
several programs. They take a quarter of the time of a small micro-batch. With this module, the JVM starts
only one program for each file.

The module also makes Hadoop's own class write local files. pyspark's jars register a class of Hive instead,
which cannot rename a file onto an existing one. If a micro-batch runs again, Spark renames its new state
files onto those of the first attempt. With Hive's class, Spark would only log a warning, and the state of the
first attempt would stay.
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
"""Hadoop's own class for local files. Its rename replaces an existing file."""
_LOCAL_SETTING = "fs.file.impl"


def write_with_few_programs(session: SparkSession, *, owned: bool) -> None:
    """Make the streams of a session write local checkpoints through Hadoop's FileSystem.

    By default, Spark uses Hadoop's FileContext, which resolves links by readlink. FileSystem does not.

    A setting of the user is kept. If the JVM's class for local files is not Hadoop's own (_LOCAL), nothing
    changes.

    This depends on private parts of Spark: its class that writes checkpoints through FileSystem, the setting
    that names this class, and the access to the JVM.

    Args:
        session: The session of one job.
        owned: Whether Firesteel has started the JVM. Then the JVM gets Hadoop's class for local files, and
            writes no checksum files: Spark has checksums of its own for the state.
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
    """Make the JVM use Hadoop's class for local files if `owned`. Return whether the JVM uses it."""
    if owned and _class_of(_local_files(context)) != _LOCAL:
        context._jsc.hadoopConfiguration().set(_LOCAL_SETTING, _LOCAL)
        # Hadoop caches its object for local files. After `close`, it creates one of the class _LOCAL.
        _local_files(context).close()
    return _class_of(_local_files(context)) == _LOCAL


def _local_files(context: Any) -> Any:
    return context._jvm.org.apache.hadoop.fs.FileSystem.getLocal(context._jsc.hadoopConfiguration())


def _class_of(made: Any) -> str:
    return str(made.getClass().getName())
