"""Small files on any file system that Spark can write to: what is kept beside its checkpoints.

Private: the way from a context into its JVM and to its Hadoop settings (`_jvm`, `_jsc`). Python knows the
local file system only. Errors of the file system are Py4JJavaErrors. Reading a local folder needs no Spark:
the context is None then, while Spark starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext


def read_text(context: SparkContext | None, file: str) -> str | None:
    """The text of a file, None where there is none."""
    if context is None:
        return Path(file).read_text(encoding="utf-8") if Path(file).exists() else None
    system, path = _located(context, file)
    if not system.exists(path):
        return None
    stream = system.open(path)
    try:
        text: str = _jvm(context).org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
    finally:
        stream.close()
    return text


def write_text(context: SparkContext, file: str, text: str) -> None:
    """Write a file in place of what is there."""
    system, path = _located(context, file)
    stream = system.create(path, True)
    stream.write(bytearray(text.encode()))
    stream.close()


def create_new(context: SparkContext, file: str, text: str) -> bool:
    """Write a file that must not be there yet. Return False if it is."""
    from py4j.protocol import Py4JJavaError

    system, path = _located(context, file)
    try:
        stream = system.create(path, False)
    except Py4JJavaError as error:
        if "AlreadyExists" in type_of(error):
            return False
        raise
    stream.write(bytearray(text.encode()))
    stream.close()
    return True


def type_of(error: Any) -> str:
    """Return the name of the Java class that a Py4JJavaError carries."""
    return str(error.java_exception.getClass().getName())


def modified(context: SparkContext, file: str) -> int | None:
    """Return when a file was written, in milliseconds of the file system's clock; None for no file."""
    system, path = _located(context, file)
    return int(system.getFileStatus(path).getModificationTime()) if system.exists(path) else None


def delete(context: SparkContext, file: str) -> None:
    """Remove a file, if it is there."""
    system, path = _located(context, file)
    system.delete(path, False)


def move(context: SparkContext, file: str, to: str) -> bool:
    """Give a file another name; whether that was done."""
    system, path = _located(context, file)
    return bool(system.rename(path, _located(context, to)[1]))


def exists(context: SparkContext | None, path: str) -> bool:
    """Whether there is such a file or folder."""
    if context is None:
        return Path(path).exists()
    system, located = _located(context, path)
    return bool(system.exists(located))


def names(context: SparkContext | None, folder: str, *, folders_only: bool = False) -> list[str]:
    """The names in a folder, sorted; none where it is not there."""
    if context is None:
        here = Path(folder).iterdir() if Path(folder).is_dir() else ()
        return sorted(path.name for path in here if path.is_dir() or not folders_only)
    system, path = _located(context, folder)
    if not system.exists(path):
        return []
    found = system.listStatus(path)
    return sorted(s.getPath().getName() for s in found if s.isDirectory() or not folders_only)


def files_under(context: SparkContext, folder: str) -> Iterator[str]:
    """Yield the paths of all files in a folder and its subfolders; none if it is not there."""
    system, path = _located(context, folder)
    if not system.exists(path):
        return
    found = system.listFiles(path, True)
    while found.hasNext():
        yield str(found.next().getPath().toString())


def _located(context: SparkContext, name: str) -> tuple[Any, Any]:
    """The file system, and the path on it."""
    made: Any = context
    path = _jvm(context).org.apache.hadoop.fs.Path(name)
    return path.getFileSystem(made._jsc.hadoopConfiguration()), path


def _jvm(context: Any) -> Any:
    return context._jvm
