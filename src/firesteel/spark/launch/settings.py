"""How Spark is to be started: what the user wants, and the settings that measurement chose."""

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
"""The executors' Python, which pyspark reads only where spark-submit starts the program."""

_ALWAYS = {
    UI: "false",
    "spark.ui.showConsoleProgress": "false",
    LOG_LEVEL: "ERROR",
    "spark.sql.adaptive.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.driver.maxResultSize": "0",
    "spark.buffer.pageSize": "2m",  # for 64, made and cleared in each micro-batch, the rows are too few
}
_ALLOCATOR = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 29),
    "NUMPY_MADVISE_HUGEPAGE": "0",
}
"""For glibc, in the Python workers: a batch's columns are freed and made again for the next one, and giving
their pages back to the system each time took a sixth of the time (benchmarks/decode.py shows it). NumPy asks
for large pages, which take the system up to three times as long to get and clear as small ones: a tenth of a
job's time, more where several workers wait for them."""

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
"""What Spark keeps about the past is for its UI, but kept without one, too: a thousand of each, for a stream
some 100 MB that grow over a quarter of an hour. Twenty of each still outlive the young generation of its
JVM."""
_MASTER_HERE = ("spark://127.0.0.1:", "spark://localhost:")
_OWN_DAEMON = {"spark.python.daemon.module": "firesteel.spark.launch.daemon"}

_NEEDS_SUBMIT = ("spark.jars", "spark.submit.", "spark.driver.extra", "spark.driver.memory", "spark.files")
"""Settings that only `spark-submit` acts on."""
_FOR_SUBMIT = ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT")
"""Variables that it reads, or that say that another JVM is to be used."""


@dataclass(frozen=True)
class LaunchOptions:
    """How to start Spark. master: a Spark master, None for this machine with all its cores. host: the
    host that is expected to run, for the class-data archive. conf: Spark settings of the user's.
    own_process: the process is Firesteel's own (without_pandas.py). fast: with what of Spark is private.
    name: the application's, if conf has none."""

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
        """Whether nothing of what `spark-submit` would look at is there."""
        if not self.fast or not self.is_local:
            return False
        if any(name in os.environ for name in _FOR_SUBMIT):
            return False
        if os.environ.get("SPARK_HOME", str(spark_home())) != str(spark_home()):
            return False
        return not any(key.startswith(_NEEDS_SUBMIT) for key in self.conf)

    @property
    def shows_traces(self) -> bool:
        """Whether the user has set a log level, so that stack traces are wanted, too."""
        return LOG_LEVEL in self.conf

    def given(self) -> dict[str, str]:
        """What of the settings the user gave."""
        return dict(self.conf) if self.master is None else {MASTER: self.master, **self.conf}

    def settings(self) -> dict[str, str]:
        """All Spark settings, the user's last."""
        settings = {MASTER: self.master or "local[*]", "spark.app.name": self.name, **_ALWAYS}
        if self.is_local:
            settings |= _LOCAL | (_OWN_DAEMON if self.fast else {})
        elif (self.master or "").startswith(_MASTER_HERE):
            settings |= _ON_LOOPBACK
        settings |= self.conf
        return settings if settings[UI].lower() == "true" else _WITHOUT_UI | settings
