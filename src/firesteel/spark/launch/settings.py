"""Settings for the start of Spark: those of the user, and measured defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from firesteel.spark.launch.java import spark_home

BATCH, STREAM = "batch", "stream"

MASTER = "spark.master"
UI = "spark.ui.enabled"
LOG_LEVEL = "spark.log.level"
PYTHON = "spark.pyspark.python"
"""Setting for the executors' Python.

pyspark reads it only if spark-submit starts the program. So Firesteel sets PYSPARK_PYTHON to its value.
"""

_ALWAYS = {
    UI: "false",
    "spark.ui.showConsoleProgress": "false",
    LOG_LEVEL: "ERROR",
    "spark.sql.adaptive.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.driver.maxResultSize": "0",
    # Spark allocates and clears a page in each micro-batch, even for a few rows. Its default is 64 MB.
    "spark.buffer.pageSize": "2m",
}
ARENAS = "2"
"""Maximum number of arenas of glibc's malloc, in the JVM and in each Python worker (MALLOC_ARENA_MAX).

glibc's default is eight for each core. An arena keeps the memory that was freed in it. With the default, at
300,000 messages a second (benchmarks/kafka_sustained.py), the JVM kept 100 MB and two workers 200 MB.
"""
_ALLOCATOR = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 29),
    "MALLOC_ARENA_MAX": ARENAS,
    "NUMPY_MADVISE_HUGEPAGE": "0",
}
"""Variables for Arrow, glibc and NumPy in the Python workers.

Each batch frees its columns, and the next batch allocates as much memory again. So Arrow uses glibc's
allocator, and glibc keeps the freed memory. Giving it back to the system after each batch took a sixth of
the run time (benchmarks/decode.py).

NumPy does not ask for huge pages. The system takes up to three times as long to provide and clear them as
small pages. That was a tenth of a job's time, and more if several workers waited for huge pages.
"""

_ALWAYS |= {f"spark.executorEnv.{name}": value for name, value in _ALLOCATOR.items()}
_ON_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_LOCAL = {
    **_ON_LOOPBACK,
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
}
_WITHOUT_UI = {
    "spark.ui.retainedJobs": "4",
    "spark.ui.retainedStages": "8",
    "spark.ui.retainedTasks": "100",
    "spark.sql.ui.retainedExecutions": "4",
}
"""Limits on the history that Spark keeps for its UI, even if the UI is off.

By default Spark keeps a thousand entries of each kind. A stream fills them in a quarter of an hour, and they
take some 100 MB. The limits are low, because even twenty entries live so long that Java moves them from the
young to the old generation.
"""
_MASTER_HERE = ("spark://127.0.0.1:", "spark://localhost:")
_OWN_DAEMON = {"spark.python.daemon.module": "firesteel.spark.launch.daemon"}

_NEEDS_SUBMIT = ("spark.jars", "spark.submit.", "spark.driver.extra", "spark.driver.memory", "spark.files")
"""Prefixes of settings that only `spark-submit` acts on."""
_FOR_SUBMIT = ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT")
"""Variables that `spark-submit` reads, or that tell pyspark to use another JVM."""


@dataclass(frozen=True)
class LaunchOptions:
    """Options for starting Spark.

    Attributes:
        master: Spark master; None for this machine with all its cores.
        host: Expected host (batch or stream), which selects the class-data archive.
        conf: Spark settings of the user.
        own_process: Whether this process is the command `firesteel`, not a Python program of the user. For
            the command, parts that only programs of users need are not loaded (without_pandas.py,
            class_path.py).
        fast: Whether Firesteel may use private parts of Spark to start Spark and its Python workers faster
            (option `firesteel.fast-start`).
        name: Name of the application if `conf` sets none.
    """

    master: str | None = None
    host: str = BATCH
    conf: Mapping[str, str] = field(default_factory=dict)
    own_process: bool = False
    fast: bool = True
    name: str = "firesteel"

    @property
    def is_local(self) -> bool:
        return self.master is None or self.master.startswith("local")

    @property
    def may_start_directly(self) -> bool:
        """Return whether Spark can start without `spark-submit`.

        It cannot if a setting or variable is set that only `spark-submit` reads.
        """
        if not self.fast or not self.is_local:
            return False
        if any(name in os.environ for name in _FOR_SUBMIT):
            return False
        if os.environ.get("SPARK_HOME", str(spark_home())) != str(spark_home()):
            return False
        return not any(key.startswith(_NEEDS_SUBMIT) for key in self.conf)

    @property
    def shows_traces(self) -> bool:
        """Return whether the user has set a log level, and so expects stack traces."""
        return LOG_LEVEL in self.conf

    def given(self) -> dict[str, str]:
        """Return the settings that the user has set, including the master."""
        return dict(self.conf) if self.master is None else {MASTER: self.master, **self.conf}

    def settings(self) -> dict[str, str]:
        """Return all Spark settings. The user's settings override the defaults."""
        settings = {MASTER: self.master or "local[*]", "spark.app.name": self.name, **_ALWAYS}
        if self.is_local:
            settings |= _LOCAL | (_OWN_DAEMON if self.fast else {})
        elif (self.master or "").startswith(_MASTER_HERE):
            settings |= _ON_LOOPBACK
        settings |= self.conf
        return settings if settings[UI].lower() == "true" else _WITHOUT_UI | settings
