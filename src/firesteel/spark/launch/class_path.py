"""Class path of Spark's JVM: the jars that most classes come from stand first.

For each class that it loads, a JVM that writes a class-data archive compares the class's jar with the entries
of the class path one by one. Each entry before the class's jar takes two calls of the operating system
(ClassLoader::record_result in HotSpot). Spark has about 280 jars and a job loads about 13,000 classes, so in
the order of the folder this takes a quarter of the first start on a machine.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

_FIRST = (
    "spark-catalyst",
    "spark-core",
    "scala-library",
    "spark-sql",
    "spark-sql-api",
    "scala-reflect",
    "log4j-core",
    "jackson-databind",
    "hadoop-client-api",
    "janino",
    "arrow-vector",
    "spark-config",
    "spark-network-common",
    "hadoop-client-runtime",
    "netty-common",
    "ivy",
    "antlr4-runtime",
    "kryo-shaded",
    "jackson-module-scala",
    "netty-transport",
    "spark-common-utils",
    "jackson-core",
    "log4j-api",
    "netty-buffer",
)
"""Names of jars without versions. The first one is the jar from which a stream loads most classes."""
_FOR_PROGRAMS = ("spark-mllib",)
"""Names of jars that Firesteel never needs, but a user's own Spark program may.

spark-mllib is Spark's machine learning library. If this jar is on the class path, each SQL session loads an
extension from it. The functions of the extension set up Scala's reflection, which takes half a second.
"""
_VERSION = re.compile(r"[-_]\d")
"""Start of the versions in a file's name, as in spark-core_2.13-4.3.0.jar."""


def class_path(jars: Path, *, own_process: bool = False) -> tuple[Path, ...]:
    """Return the jars of a folder, those of `_FIRST` first.

    Args:
        jars: The folder.
        own_process: Whether this is a process of the command `firesteel`, without a program of the user. The
            jars of `_FOR_PROGRAMS` are then left out.
    """
    by_name = defaultdict(list)
    for jar in sorted(jars.glob("*.jar")):
        by_name[_VERSION.split(jar.name)[0]].append(jar)
    for name in _FOR_PROGRAMS if own_process else ():
        by_name.pop(name, None)
    first = [jar for name in _FIRST for jar in by_name.pop(name, ())]
    return (*first, *(jar for found in by_name.values() for jar in found))
