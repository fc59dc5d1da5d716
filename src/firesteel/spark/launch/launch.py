"""Spark, the handle of the Spark that runs jobs: one started in the background, or the user's own.

`prepare` returns at once. The JVM, the context and the Python workers start while the SQL is parsed and
planned. The batch host needs only the context. The SQL session takes another second, so it is created when
the stream host needs it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

from firesteel.errors import FiresteelError, UsageError
from firesteel.spark.launch.direct_launcher import DirectLauncher
from firesteel.spark.launch.executors import await_executors
from firesteel.spark.launch.java import find_java
from firesteel.spark.launch.preflight import check_master, check_variables, did_not_start
from firesteel.spark.launch.private_sockets import LOCAL_FOLDER, with_private_sockets
from firesteel.spark.launch.settings import BATCH, PYTHON, STREAM, LaunchOptions
from firesteel.spark.launch.spark_submit_launcher import (
    end_jvm,
    forget_jvm,
    has_ended,
    has_jvm,
    is_sparks_own,
    is_stopped,
    spark_submit_context,
    tell,
)
from firesteel.spark.launch.user_session import context_of, use_this_python
from firesteel.spark.launch.warm import warm_up
from firesteel.spark.temporary import private_folder, sweep

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["BATCH", "STREAM", "LaunchOptions", "Spark", "create_session", "of_session", "prepare", "prepared"]


class Spark:
    """A Spark that runs jobs: one that Firesteel has started, or the user's own.

    `context` and `session` wait for the end of the start. If the start has failed, they raise its error.

    Attributes:
        waits_for: What the start of Spark waits for, as text for the user: "its JVM", for example.
    """

    def __init__(self, options: LaunchOptions | None = None, session: SparkSession | None = None) -> None:
        self._options = options or LaunchOptions()
        self._session = session
        self._context: SparkContext | None = context_of(session) if session is not None else None
        self._owned = session is None
        self._holders: WeakSet[object] = WeakSet()
        self._fast: DirectLauncher | None = None
        self._failure: BaseException | None = None
        self._starting: threading.Thread | None = None
        self._has_started = threading.Event()
        self._is_awaited = False
        self._has_executors = False
        self._is_over = False
        self.waits_for = "its JVM"
        self._lock = threading.Lock()
        if self._owned:
            self._begin()

    @property
    def is_local(self) -> bool:
        """Whether the driver and the workers run on this machine."""
        if self._owned:
            return self._options.is_local
        return (self.context.master or "").startswith("local")

    @property
    def is_owned(self) -> bool:
        """Whether this process has started this Spark. If not, it belongs to the user."""
        return self._owned

    @property
    def is_unwatched(self) -> bool:
        """Whether Firesteel started this Spark, without a UI and without an event log."""
        settings = self._options.settings()
        watchers = ("spark.ui.enabled", "spark.eventLog.enabled")
        return self._owned and all(settings.get(key, "false") == "false" for key in watchers)

    @property
    def context(self) -> SparkContext:
        """The Spark context. Waits until Spark has started, and raises the error if the start failed."""
        self._is_awaited = True
        if self._starting is not None:  # `join` of a thread is unreliable after Ctrl-C
            self._has_started.wait()
        if self._failure is not None:
            raise self._failure
        assert self._context is not None
        return self._context

    @property
    def session(self) -> SparkSession:
        """The SQL session, created at the first call. Waits until Spark has started."""
        context = self.context
        with self._lock:
            if self._session is None:
                self._session = _session_of(context)
            return self._session

    @property
    def has_started(self) -> bool:
        """Whether the start of Spark has ended, with or without success."""
        return self._starting is None or self._has_started.is_set()

    @property
    def was_up(self) -> bool:
        """Whether Spark has started successfully. It stays True after Spark has ended."""
        return self._context is not None

    @property
    def has_ended(self) -> bool:
        """Whether no job can run any more: Spark did not start, was stopped, or its JVM has ended."""
        if self._is_over:
            return True
        if self._starting is not None and not self._has_started.is_set():
            return False
        if self._context is None or has_ended(self._context):
            return True
        return self._fast is not None and self._fast.has_ended

    def end_if_broken(self) -> bool:
        """Return whether no job can run any more. If so, end the JVM unless it belongs to the user.

        The next `prepare` then starts another Spark.
        """
        if self._starting is not None and not self._has_started.is_set():
            return False
        if self._context is not None and not is_stopped(self._context):
            return False
        if self._owned:
            self.stop()
            end_jvm()
        return True

    def check(self, wanted: Mapping[str, str]) -> None:
        """Raise UsageError if a setting (`spark.…`) differs from the one that Spark was started with."""
        for key, value in wanted.items():
            now = self._setting(key)
            if now != value:
                with_it = "" if now is None else f" with '{now}'"
                raise UsageError(
                    f"'{key}' = '{value}' comes too late: Spark runs already{with_it}",
                    hint="set it before the first query (firesteel: --set), or where Spark is started",
                )

    def _setting(self, key: str) -> str | None:
        if self._owned:
            return self._options.settings().get(key)
        now: str | None = self.session.conf.get(key, None)
        return now

    @property
    def parallelism(self) -> int:
        """Number of cores for tasks.

        If Firesteel has started this Spark on a cluster, wait for the executors first, because Spark counts
        their cores. With dynamic allocation, do not wait: executors start only when there are tasks.
        """
        by_need = self._setting("spark.dynamicAllocation.enabled") == "true"
        if self._owned and not (self.is_local or by_need or self._has_executors):
            await_executors(self.context)
            self._has_executors = True
        return self.context.defaultParallelism

    def keep_classes(self) -> None:
        """Keep the JVM's loaded classes for later runs, because a job has returned results."""
        if self._fast is not None:
            self._fast.keep_classes()

    def hold(self, user: object) -> None:
        """Register an object that needs this Spark, such as a session. Spark runs until `release` for all."""
        self._holders.add(user)

    def release(self, user: object) -> None:
        """Remove an object that `hold` has registered. After the last one, a Spark of this process ends."""
        self._holders.discard(user)
        if self._owned and not self._holders:
            if self._options.own_process:
                self._abandon()
            else:
                self.stop()

    def stop(self) -> None:
        """Stop Spark if this process has started it. The user's own Spark continues."""
        if not self._owned:
            return
        self._is_over = True
        if self._starting is not None:
            self._has_started.wait()
        if self._context is not None:
            with suppress(Exception):  # The JVM may have ended.
                self._context.stop()
            self._context = self._session = None
        if self._fast is not None:
            forget_jvm()
            self._fast.stop()
            self._fast = None

    def _abandon(self) -> None:
        """Ask the JVM to end, and do not wait for it, because this process exits now."""
        self._is_over = True
        if self._fast is not None:
            self._fast.stop()

    def _begin(self) -> None:
        check_variables(os.environ, self._options.is_local)
        os.environ.setdefault("PYSPARK_PYTHON", self._options.conf.get(PYTHON, sys.executable))
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
        java = find_java()
        if self._options.may_start_directly and not has_jvm():
            self._fast = DirectLauncher(self._options, java)
        self._starting = threading.Thread(target=self._start, daemon=True)
        self._starting.start()

    def _start(self) -> None:
        try:
            self._wait_for(f"the master {self._options.master}")
            check_master(self._options.master)
            self._context = self._made_context()
            sweep()
            if self._options.is_local and not (self._is_awaited and self._options.host == BATCH):
                warm_up(self._context)
            if self._options.host == STREAM:
                self._wait_for("its SQL session")
                self._session = _session_of(self._context)
        except FiresteelError as error:
            self._failure = error
        except Exception as error:
            self._failure = did_not_start(error)
        finally:
            self._has_started.set()

    def _wait_for(self, step: str) -> None:
        self.waits_for = step

    def _private_settings(self) -> dict[str, str]:
        settings = with_private_sockets(self._options.settings())
        if self._options.is_local and "SPARK_LOCAL_DIRS" not in os.environ:
            settings.setdefault(LOCAL_FOLDER, str(private_folder("local")))
        return settings

    def _made_context(self) -> SparkContext:
        """Return a new context, by the direct launcher or else by `spark-submit`.

        An error of Spark itself is raised at once, because `spark-submit` would meet it again.
        """
        if self._fast is None:
            return spark_submit_context(self._options, self._private_settings(), self._wait_for)
        try:
            return self._fast.context(self._wait_for)
        except Exception as error:
            # `_is_over`: this process has stopped Spark, so the start failed. No other JVM is started.
            if is_sparks_own(error) or self._is_over:
                raise
            self._fast.stop()
            self._fast = None
            forget_jvm()
            try:
                context = spark_submit_context(self._options, self._private_settings(), self._wait_for)
            except Exception:
                raise error from None
            tell("Spark is started", error)
            return context


_shared: Spark | None = None
_sharing = threading.Lock()


def prepare(options: LaunchOptions | None = None) -> Spark:
    """Begin to start Spark and return its handle at once.

    A process starts at most one Spark at a time. Later calls return the same handle until that Spark ends.

    Raises:
        UsageError: `options` has a setting that differs from that of the Spark that runs already.
    """
    global _shared
    with _sharing:
        running = prepared()
        if running is None:
            if _shared is not None:
                _shared.stop()  # pyspark must forget the old context before there can be a new one
            _shared = running = Spark(options)
        elif options is not None:
            running.check(options.given())
        return running


def prepared() -> Spark | None:
    """Return the Spark that `prepare` has started; None if it was never called, or its Spark has ended."""
    return None if _shared is None or _shared.has_ended else _shared


def create_session(options: LaunchOptions | None = None) -> Spark:
    """Return a running Spark: the prepared one, or else a new one. It runs until it is stopped.

    Raises:
        UsageError: Java is missing or too old.
        JobError: Spark did not start.
    """
    spark = prepare(options)
    spark.hold(spark)
    _ = spark.context
    return spark


def of_session(session: SparkSession) -> Spark:
    """Return a handle of the Spark session that the user has started. Its settings stay as they are."""
    spark = Spark(session=session)
    use_this_python(spark.context)
    return spark


def _session_of(context: SparkContext) -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession(context)
