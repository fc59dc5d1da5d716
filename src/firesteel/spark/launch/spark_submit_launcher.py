"""Start of Spark by `spark-submit`, as pyspark does it.

It is used in each of these cases:

- The master is not `local`.
- A setting or an environment variable is set that only spark-submit reads, such as `spark.jars` or
  SPARK_CONF_DIR, or SPARK_HOME names another Spark (LaunchOptions.may_start_directly).
- The user has set `firesteel.fast-start` to `off`.
- pyspark has a JVM in this process already.
- The direct launcher has failed.

The function `tell` prints a notice that a faster way, such as the direct launcher, has failed and that a
slower way with the same results is used.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from firesteel.errors import JobError
from firesteel.notices import say
from firesteel.spark.launch.jvm_output import JvmOutput
from firesteel.spark.launch.private_sockets import java_temporary_folder, private_variables
from firesteel.spark.launch.settings import LaunchOptions
from firesteel.spark.launch.spark_logging import has_logging, logging_options
from firesteel.spark.launch.variables import set_variables
from firesteel.spark.start.ended_peers import quiet_counters

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext

_JAVA_OPTIONS = "SPARK_SUBMIT_OPTS"
"""The variable with options of Java for the JVM that spark-submit starts."""
_SECRET = re.compile(r"(?i)secret|password|token|access[.]?key|credential")


def spark_submit_context(
    options: LaunchOptions,
    settings: Mapping[str, str],
    step: Callable[[str], object] = lambda _: None,
) -> SparkContext:
    """Return a context. If pyspark already has a JVM in this process, the context uses that JVM.

    Otherwise a JVM is started before the context is made, by pyspark's private `_ensure_initialized`. Its
    command line has no secrets. A JVM that the context itself starts has all settings on its command line.

    Args:
        options: Options of the start.
        settings: All Spark settings. Passwords and secrets are kept out of the command line.
        step: Function that is called with the name of each step of the start.

    Raises:
        JobError: The JVM ended before it could be reached. Other errors are pyspark's.
    """
    from pyspark import SparkConf, SparkContext

    conf = SparkConf()
    for key, value in settings.items():
        conf.set(key, value)
    step("its JVM")
    with set_variables(_variables(options)):
        output = None if has_jvm() else _start_jvm(without_secrets(conf), options)
        step("its context" if options.is_local else f"the cluster at {options.master}")
        context = quiet_counters(SparkContext(conf=conf))
    if output is not None:
        output.forward()
    return context


def _variables(options: LaunchOptions) -> dict[str, str]:
    """Return the environment variables with which spark-submit is started."""
    java: list[str] = []
    if not has_logging(options.conf, os.environ):
        java += logging_options(options.conf)
    variables = {"PYTHONSAFEPATH": "1"}
    if options.is_local:
        java.append(java_temporary_folder())
        variables |= private_variables(os.environ)
    if java:
        variables[_JAVA_OPTIONS] = " ".join([os.environ.get(_JAVA_OPTIONS, ""), *java]).strip()
    return variables


def _start_jvm(conf: SparkConf, options: LaunchOptions) -> JvmOutput:
    """Start the JVM in its own session, as LocalJvm does, so that Ctrl-C reaches only Python."""
    from pyspark import SparkContext
    from pyspark.core import context

    launcher: Any = context
    reader, writer = os.pipe()
    shows = options.shows_traces
    output = JvmOutput(os.fdopen(reader, "rb"), shows_traces=shows, holds=not shows)
    problem: Exception | None = None
    try:
        pipes = {"stdout": writer, "stderr": writer, "start_new_session": True}
        SparkContext._ensure_initialized(gateway=launcher.launch_gateway(conf, pipes))
    except Exception as error:
        problem = error
    finally:
        os.close(writer)
    if problem is not None:
        said = output.last_words() or str(problem)
        raise JobError(f"Spark's JVM ended while it started: {said}") from problem
    return output


def without_secrets(conf: SparkConf) -> SparkConf:
    """Return the settings without secrets, for a command line that other users of the machine can read.

    A setting is a secret if its key matches `_SECRET`, which is modelled on Spark's spark.redaction.regex.
    """
    from pyspark import SparkConf

    kept = SparkConf(loadDefaults=False)
    kept.setAll([pair for pair in conf.getAll() if not _SECRET.search(pair[0])])
    return kept


def forget_jvm() -> None:
    """Make pyspark forget its JVM and its context, so that the next context starts another JVM.

    This depends on the private attributes in which pyspark keeps both.
    """
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    if gateway is not None:
        with suppress(Exception):  # The JVM may have ended.
            gateway.shutdown()


def end_jvm() -> None:
    """Kill the JVM that pyspark has started, if there is one, and make pyspark forget it.

    This depends on pyspark's private attribute `proc`.
    """
    module: Any = sys.modules.get("pyspark.core.context")
    process = getattr(module.SparkContext._gateway, "proc", None) if module is not None else None
    if process is not None:
        process.kill()
    if has_jvm():
        forget_jvm()


def has_jvm() -> bool:
    """Return whether pyspark has a JVM in this process. Does not import pyspark."""
    module = sys.modules.get("pyspark.core.context")
    return module is not None and module.SparkContext._gateway is not None


def is_sparks_own(error: BaseException) -> bool:
    """Return whether an error was raised by Spark in the JVM, not by the connection to the JVM."""
    from py4j.protocol import Py4JJavaError

    return isinstance(error, Py4JJavaError)


def has_ended(context: SparkContext) -> bool:
    """Return whether `SparkContext.stop` was called in this process, by the private attribute `_jsc`."""
    return context._jsc is None


def is_stopped(context: SparkContext) -> bool:
    """Return whether no job can run on a context: its JVM has ended, or Spark has stopped it.

    This depends on the private attribute `_jsc`, which leads from a context to its JVM.
    """
    made: Any = context
    try:
        return made._jsc is None or bool(made._jsc.sc().isStopped())
    except Exception:  # py4j has many errors for a JVM that has ended
        return True


_told: set[str] = set()


def tell(what: str, error: BaseException) -> None:
    """Print that the fast way to do something does not work with this pyspark, so that a slower one is used.

    The notice is printed once in a process for each `what`.

    Args:
        what: Beginning of the notice: what is done in a slower way, such as "Spark is started".
        error: Error of the fast way.
    """
    if what in _told:
        return
    _told.add(what)
    words = str(error).strip().splitlines() or [type(error).__name__]
    say(f"{what} in a slower way, with the same results (pyspark {version('pyspark')}): {words[0]}")
