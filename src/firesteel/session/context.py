"""What statements run in: names, options and a Spark. Statements know this, and not TableEnvironment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firesteel.bind.names import BindContext
from firesteel.catalog.catalog import Catalog
from firesteel.config.registry import Configuration
from firesteel.connectors.registry import validate_table
from firesteel.session.checkpoints import KnownStatements
from firesteel.session.launch import prepare, settings_of_spark, spark_of
from firesteel.spark.launch.launch import prepared
from firesteel.spark.progress import Progress
from firesteel.types.zones import session_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.spark.launch.launch import Spark

Watch = Callable[[Progress], None]


class Environment:
    """A catalog, a configuration, and a Spark to run queries on, which is started at the first query."""

    def __init__(self, configuration: Mapping[str, str], spark: SparkSession | Spark | None) -> None:
        self.catalog = Catalog()
        self.configuration = Configuration(configuration)
        self.frames: dict[str, DataFrame] = {}
        """The DataFrames that tables stand for, by the table's path."""
        self.functions_folder = ""
        """Where modules that CREATE FUNCTION names may lie besides the places where Python looks."""
        self.own_process = False
        """Whether the process is Firesteel's own, the command's."""
        self.script = ""
        """The file name of the script that runs, by which jobs without `pipeline.name` are called."""
        self.known_statements = KnownStatements()
        self._given = spark
        self._spark: Spark | None = None

    @property
    def spark(self) -> Spark:
        """The Spark that runs the queries; started now if it is not yet."""
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
        """SET. Raises ValidationError where the value is not of the option's type, UsageError for a setting
        of a Spark that runs already, or that begins to."""
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
        """table.local-time-zone, by default the machine's. Raises ValidationError for an unknown one."""
        return session_zone(self.configuration.get("table.local-time-zone"))

    def bind_context(self, text: str) -> BindContext:
        """What binding a statement of `text` needs."""
        return BindContext(
            catalog=self.catalog,
            options=self.configuration,
            sql=text,
            validate=validate_table,
        )

    def close(self) -> None:
        """Let go of a Spark that was started here, which ends when nobody has it; one that was given is left
        alone. A query that is run later has another one."""
        if self._spark is not None and self._given is None:
            self._spark.release(self)
        self._spark = None


@dataclass(frozen=True)
class Call:
    """A statement that is run: where, the text that it was parsed from, and who is told its progress."""

    environment: Environment
    text: str
    watch: Watch | None = None
