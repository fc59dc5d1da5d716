"""Environment, the state of a session: catalog, options and Spark. Handlers of statements get it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from firesteel.bind.names import BindContext
from firesteel.catalog.catalog import Catalog
from firesteel.config.registry import Configuration
from firesteel.connectors.registry import validate_table
from firesteel.notices import say
from firesteel.session.checkpoints import KnownStatements
from firesteel.session.launch import prepare, settings_of_spark, spark_of
from firesteel.session.started_jobs import StartedJobs
from firesteel.spark.launch.launch import prepared
from firesteel.spark.progress import Progress
from firesteel.types.zones import session_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.session.restart.supervisor import Restart
    from firesteel.spark.checkpoint.replays import Replay
    from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript
    from firesteel.spark.launch.launch import Spark

Watch = Callable[[Progress], None]
"""A function that is called with the progress of a job."""


class Environment:
    """State of a session: a catalog, a configuration, and a Spark session, started at the first query."""

    def __init__(self, configuration: Mapping[str, str], spark: SparkSession | Spark | None) -> None:
        self.catalog = Catalog()
        self.configuration = Configuration(configuration)
        self.frames: dict[str, DataFrame] = {}
        """DataFrames that are read as tables, by the table's path."""
        self.functions_folder = ""
        """Folder of modules for CREATE FUNCTION, in addition to Python's own search path."""
        self.own_process = False
        """Whether the process is that of the command `firesteel`."""
        self.tells_resumed = False
        """Whether a query that continues from its checkpoint prints a notice about this."""
        self.script = ""
        """File name of the running script. It names jobs that have no `pipeline.name`."""
        self.known_statements = KnownStatements()
        self.started = StartedJobs()
        """Jobs with a checkpoint that this environment has started."""
        self.replay: Replay | None = None
        """Dead letters that the next job reads instead of its sources. None: it reads its sources."""
        self.kept_script: KeptScript | None = None
        """The running script, which checkpoints store. None if statements run one by one, not as a script."""
        self.tell_restart: Callable[[Restart], object] = lambda restart: say(str(restart))
        """Function that is called with each restart of a failed job, before the wait for the restart."""
        self._correlations = count()
        self._given = spark
        self._spark: Spark | None = None

    @property
    def spark(self) -> Spark:
        """The Spark that runs the queries. It starts now if it does not run yet."""
        if self._spark is None or self._spark.has_ended:
            given = self._given
            self._spark = (
                prepare(self.options, self.own_process, self.script) if given is None else spark_of(given)
            )
            self._spark.hold(self)
        if settings := settings_of_spark(self.configuration):
            self._spark.check(settings)
        return self._spark

    def set_option(self, key: str, value: str) -> None:
        """Set an option, as the statement SET does.

        Raises:
            ValidationError: The value is not of the option's type.
            UsageError: The option is a Spark setting, and Spark already runs or starts with another value.
        """
        running = prepared() if self._given is None else self.spark
        if running is not None and key.startswith("spark."):
            running.check({key: value})
        self.configuration.set(key, value)

    @property
    def options(self) -> dict[str, str]:
        """The options that are set, with their values as written."""
        return self.configuration.to_dict()

    @property
    def time_zone(self) -> str:
        """Value of `table.local-time-zone`, by default the machine's. Raises ValidationError if unknown."""
        return session_zone(self.configuration.get("table.local-time-zone"))

    def bind_context(self, text: str) -> BindContext:
        """Return the context in which the binder binds a statement of `text`."""
        return BindContext(
            catalog=self.catalog,
            options=self.configuration,
            sql=text,
            validate=validate_table,
            correlations=self._correlations,
        )

    def close(self) -> None:
        """Release the Spark session that this environment started.

        The Spark session ends when no environment uses it any more. A Spark session that the caller passed in
        does not end. A later query of this environment starts another one, or uses the one passed in.
        """
        if self._spark is not None and self._given is None:
            self._spark.release(self)
        self._spark = None


@dataclass(frozen=True)
class Call:
    """The context of one statement that runs."""

    environment: Environment
    """The session."""
    text: str
    """The text that the statement was parsed from."""
    watch: Watch | None = None
    """Function that is called with the job's progress."""
