"""Small files beside Spark's checkpoints, on any file system that Spark can write to.

The functions use a context's private attributes `_jvm` and `_jsc` (Hadoop settings), because Python itself
knows only the local file system. Errors of the file system are Py4JJavaErrors. Reading a local folder needs
no Spark: the context may be None, as while Spark starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext


def read_text(context: SparkContext | None, file: str) -> str | None:
    """Return the text of a file, or None if it does not exist."""
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
    """Write a file, replacing an existing one."""
    system, path = _located(context, file)
    stream = system.create(path, True)
    stream.write(bytearray(text.encode()))
    stream.close()


def create_new(context: SparkContext, file: str, text: str) -> bool:
    """Write a file, and return True. If it exists already, change nothing and return False."""
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
    """Return when a file was written, in milliseconds of the file system's clock; None if there is none."""
    system, path = _located(context, file)
    return int(system.getFileStatus(path).getModificationTime()) if system.exists(path) else None


def delete(context: SparkContext, file: str) -> None:
    """Remove a file, if it exists."""
    system, path = _located(context, file)
    system.delete(path, False)


def move(context: SparkContext, file: str, to: str) -> bool:
    """Rename a file, and return whether it was renamed.

    If a file `to` exists, the file system decides: it replaces that file, or returns False.
    """
    system, path = _located(context, file)
    return bool(system.rename(path, _located(context, to)[1]))


def exists(context: SparkContext | None, path: str) -> bool:
    """Return whether a file or folder exists."""
    if context is None:
        return Path(path).exists()
    system, located = _located(context, path)
    return bool(system.exists(located))


def names(context: SparkContext | None, folder: str, *, folders_only: bool = False) -> list[str]:
    """Return the names in a folder, sorted; empty if the folder does not exist."""
    if context is None:
        here = Path(folder).iterdir() if Path(folder).is_dir() else ()
        return sorted(path.name for path in here if path.is_dir() or not folders_only)
    system, path = _located(context, folder)
    if not system.exists(path):
        return []
    found = system.listStatus(path)
    return sorted(s.getPath().getName() for s in found if s.isDirectory() or not folders_only)


def files_under(context: SparkContext, folder: str) -> Iterator[str]:
    """Yield the paths of all files in a folder and its subfolders; nothing if the folder does not exist."""
    system, path = _located(context, folder)
    if not system.exists(path):
        return
    found = system.listFiles(path, True)
    while found.hasNext():
        yield str(found.next().getPath().toString())


def _located(context: SparkContext, name: str) -> tuple[Any, Any]:
    """Return the Hadoop file system of a path, and the path on it."""
    made: Any = context
    path = _jvm(context).org.apache.hadoop.fs.Path(name)
    return path.getFileSystem(made._jsc.hadoopConfiguration()), path


def _jvm(context: Any) -> Any:
    return context._jvm
