"""How Spark writes the small files of a checkpoint that lies in a folder of this machine: with few programs.

Hadoop without its native library, as pyspark has it, runs a program of the system for each permission that it
sets (chmod) and each link that it asks for (readlink): several for each file that is written and renamed,
forked from the JVM, a quarter of the time of a small micro-batch. So it is one a file.
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


def write_with_few_programs(session: SparkSession, *, owned: bool) -> None:
    """Have the streams of a session write local checkpoints by Hadoop's FileSystem, whose rename asks for no
    links. Where the JVM is Firesteel's own (owned) also without Hadoop's checksums, a second file each: Spark
    has its own of the state. What the user has set stays.

    Private: the class that writes so and the setting that names it, and the way into the JVM.
    """
    from py4j.protocol import Py4JError

    if session.conf.get(WRITER, None) is not None:
        return
    context: Any = session.sparkContext
    try:
        context._jvm.java.lang.Class.forName(_BY_FILE_SYSTEM)
        if owned:
            settings = context._jsc.hadoopConfiguration()
            context._jvm.org.apache.hadoop.fs.FileSystem.getLocal(settings).setWriteChecksum(False)
    except Py4JError as error:
        tell("a checkpoint is written", error)
        return
    session.conf.set(WRITER, _BY_FILE_SYSTEM)
