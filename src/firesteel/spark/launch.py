"""Start Spark, or take the user's: in the background, with the settings that measurement chose.

`prepare` returns at once; the JVM, the context and the Python workers come up while the SQL is parsed
and planned. The batch host needs a context only; the SQL session costs another second and is made when
the stream host asks for it.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from firesteel.errors import FiresteelError, NotSupportedError
from firesteel.spark.archive import ClassArchive, class_archive
from firesteel.spark.fork_server import ForkServer, fork_server
from firesteel.spark.java import Gateway, find_java, spark_home
from firesteel.spark.lean import spare_pandas
from firesteel.spark.surroundings import check_master, check_variables, did_not_start
from firesteel.spark.temporary import private_folder, sweep

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

BATCH, STREAM = "batch", "stream"

_LOCAL_JVM = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:TieredStopAtLevel=1",
    "-XX:CICompilerCount=1",
    "-XX:+UseSerialGC",
    "-Xss8m",
]
"""The work is done in Python: quick compilation, in one thread, and the smallest collector start soonest. The
stack is for a stream that is stopped: Spark matches the error's text with a regular expression that
recurses."""

_QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.adaptive.enabled": "false",
    "spark.python.worker.reuse": "true",
}
_ALLOCATOR = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 29),
}
"""For glibc, in the Python workers: a batch's columns are freed and made again for the next one, and giving
their pages back to the system each time took a sixth of the time (benchmarks/decode.py shows it)."""

_LOCAL = {
    **{f"spark.executorEnv.{name}": value for name, value in _ALLOCATOR.items()},
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    "spark.driver.maxResultSize": "0",
    "spark.python.daemon.module": "firesteel.spark.daemon",
}
_SECRET = re.compile(r"(?i)secret|password|token|access[.]?key")
_NEEDS_SUBMIT = ("spark.jars", "spark.submit.", "spark.driver.extra", "spark.driver.memory", "spark.files")
"""Settings that only `spark-submit` acts on."""


@dataclass(frozen=True)
class LaunchOptions:
    """How to start Spark. master: a Spark master, None for this machine with all its cores. host: the
    host that is expected to run, for the class-data archive. conf: Spark settings of the user's. lean: the
    process is Firesteel's own (spark/lean.py)."""

    master: str | None = None
    host: str = BATCH
    conf: Mapping[str, str] = field(default_factory=dict)
    lean: bool = False

    @property
    def is_local(self) -> bool:
        return self.master is None or self.master.startswith("local")

    def settings(self) -> dict[str, str]:
        """All Spark settings, the user's last."""
        settings = {"spark.master": self.master or "local[*]", "spark.app.name": "firesteel", **_QUIET}
        if self.is_local:
            settings |= _LOCAL
        return settings | dict(self.conf)


class Spark:
    """A Spark to run jobs on. `context` and `session` wait for it and raise what kept it from starting."""

    def __init__(self, options: LaunchOptions | None = None, session: SparkSession | None = None) -> None:
        self._options = options or LaunchOptions()
        self._session = session
        self._context: SparkContext | None = _context_of(session) if session is not None else None
        self._owned = session is None
        self._gateway: Gateway | None = None
        self._fork_server: ForkServer | None = None
        self._archive = ClassArchive()
        self._failure: BaseException | None = None
        self._starting: threading.Thread | None = None
        self._has_started = threading.Event()
        self._is_awaited = False
        self._lock = threading.Lock()
        if self._owned:
            self._begin()

    @property
    def is_local(self) -> bool:
        """Whether driver and workers share this machine."""
        return bool(self.context.master.startswith("local"))

    @property
    def is_unwatched(self) -> bool:
        """Whether nobody looks at its jobs: it was started here, without a UI and without an event log."""
        settings = self._options.settings()
        watchers = ("spark.ui.enabled", "spark.eventLog.enabled")
        return self._owned and all(settings.get(key, "false") == "false" for key in watchers)

    @property
    def context(self) -> SparkContext:
        """The Spark context; waits until it is up."""
        self._is_awaited = True
        if self._starting is not None:  # not joined: a join that Ctrl-C interrupts counts as done
            self._has_started.wait()
        if self._failure is not None:
            raise self._failure
        assert self._context is not None
        return self._context

    @property
    def session(self) -> SparkSession:
        """The SQL session; made when first asked for."""
        context = self.context
        with self._lock:
            if self._session is None:
                self._session = _session_of(context)
            return self._session

    def keep_classes(self) -> None:
        """Keep what the JVM has loaded for later runs: a job has given results here."""
        self._archive.keep()

    def stop(self) -> None:
        """Stop a Spark that was started here; a user's own is left alone."""
        global _prepared
        if not self._owned:
            return
        if self._starting is not None:
            self._has_started.wait()
        if self._context is not None:
            self._context.stop()
            self._context = self._session = None
        if self._gateway is not None:
            _forget_gateway()
            self.abandon()
        if _prepared is self:
            _prepared = None

    def abandon(self) -> None:
        """Let a Spark that was started here end by itself while this process goes on to exit."""
        if self._owned and self._gateway is not None:
            self._gateway.stop()
        if self._fork_server is not None:
            self._fork_server.stop()

    def _begin(self) -> None:
        check_variables(os.environ, self._options.is_local)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
        java = find_java()
        settings = self._options.settings()
        if self._options.is_local and _may_start_directly(settings):
            self._archive = class_archive(java, spark_home() / "jars", self._options.host)
            options = [*_LOCAL_JVM, *self._archive.options, _log_option()]
            self._fork_server = fork_server()
            if "SPARK_LOCAL_DIRS" not in os.environ:
                settings.setdefault("spark.local.dir", str(private_folder("local")))
            own = {key: value for key, value in settings.items() if key not in self._options.conf}
            self._gateway = Gateway(java, options, own, self._python)  # ps shows what it is started with
        self._starting = threading.Thread(target=self._start, args=(settings,), daemon=True)
        self._starting.start()

    @property
    def _python(self) -> str | None:
        """What Spark is to start as Python, where that is not the usual one."""
        return str(self._fork_server.python) if self._fork_server is not None else None

    def _start(self, settings: dict[str, str]) -> None:
        try:
            check_master(self._options.master)
            from pyspark import SparkConf, SparkContext

            if self._options.lean:
                spare_pandas(spark=True)
            conf = SparkConf(loadDefaults=False) if self._gateway is not None else SparkConf()
            for key, value in settings.items():
                conf.set(key, value)
            variables = {"PYTHONSAFEPATH": "1"} if self._python is None else {}
            if self._gateway is not None:
                port, secret = self._gateway.connect()
                if self._fork_server is not None:  # not sooner: the JVM needs the cores
                    self._fork_server.start(settings)
                variables = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
            if self._python is not None:
                variables["PYSPARK_PYTHON"] = self._python
            with _environment(variables):
                if self._gateway is None:  # pyspark writes all settings into the command line
                    SparkContext._ensure_initialized(conf=_without_secrets(conf))
                self._context = SparkContext(conf=conf)
            sweep()
            if self._options.is_local and not (self._is_awaited and self._options.host == BATCH):
                threading.Thread(target=_warm, args=(self._context,), daemon=True).start()
            if self._options.host == STREAM:
                self._session = _session_of(self._context)
        except FiresteelError as error:
            self._failure = error
        except Exception as error:
            self._failure = did_not_start(error)
        finally:
            self._has_started.set()


_prepared: Spark | None = None


def prepare(options: LaunchOptions | None = None) -> Spark:
    """Begin to start a Spark and return at once. There is one a process; later calls give the same."""
    global _prepared
    if _prepared is None:
        _prepared = Spark(options)
    return _prepared


def create_session(options: LaunchOptions | None = None) -> Spark:
    """A running Spark: the one that was prepared, else a new one.

    Raises UsageError where Java is missing or too old, JobError where Spark does not start.
    """
    spark = prepare(options)
    _ = spark.context
    return spark


def of_session(session: SparkSession) -> Spark:
    """The user's own session, used as it is. On this machine its workers run with this interpreter unless
    the user named another: the `python3` that is first in PATH need not have Firesteel."""
    spark = Spark(session=session)
    named = "PYSPARK_PYTHON" in os.environ or "spark.pyspark.python" in dict(spark.context.getConf().getAll())
    if spark.is_local and not named:
        spark.context.pythonExec = sys.executable
    return spark


def _session_of(context: SparkContext) -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession(context)


def _context_of(session: SparkSession) -> SparkContext:
    try:
        return session.sparkContext
    except Exception as error:
        raise NotSupportedError(
            "a Spark Connect session cannot run Firesteel", hint="pass a classic SparkSession"
        ) from error


def _may_start_directly(settings: Mapping[str, str]) -> bool:
    """Whether nothing of what `spark-submit` would look at is there."""
    if any(name in os.environ for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT")):
        return False
    if os.environ.get("SPARK_HOME", str(spark_home())) != str(spark_home()):
        return False
    return not any(key.startswith(_NEEDS_SUBMIT) for key in settings)


def _without_secrets(conf: SparkConf) -> SparkConf:
    """The settings that may be seen in the list of processes (Spark: spark.redaction.regex)."""
    from pyspark import SparkConf

    kept = SparkConf(loadDefaults=False)
    kept.setAll([pair for pair in conf.getAll() if not _SECRET.search(pair[0])])
    return kept


def _log_option() -> str:
    file = resources.files("firesteel.spark").joinpath("log4j2.properties")
    return f"-Dlog4j2.configurationFile={file}"


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """These variables set in this process's environment, for as long as it takes."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _forget_gateway() -> None:
    """Let a later context of this process start a JVM of its own."""
    from pyspark import SparkContext

    if SparkContext._gateway is not None:
        SparkContext._gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None


def _warm(context: SparkContext) -> None:
    """While there is no job yet, have the worker daemon started, its workers forked, and the JVM load what a
    job with a shuffle needs."""
    try:
        slots = min(context.defaultParallelism, 8)
        pairs = context.parallelize([(n, n) for n in range(slots)], slots)
        pairs.repartitionAndSortWithinPartitions(slots, _first).foreachPartition(_nothing)
    except Exception:
        return  # the first job will meet whatever this was, and say it


def _first(key: int) -> int:
    return key


def _nothing(rows: Iterable[tuple[int, int]]) -> None:
    """A task without work."""
    for _ in rows:
        continue
