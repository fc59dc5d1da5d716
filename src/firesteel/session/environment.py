"""TableEnvironment: the way in from Python. Method names are PyFlink's where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from firesteel.bind.names import BindContext
from firesteel.catalog.catalog import Catalog
from firesteel.connectors.registry import validate_table
from firesteel.errors import FiresteelError, ValidationError
from firesteel.options import Configuration
from firesteel.session import statements
from firesteel.session.checkpoints import KnownStatements
from firesteel.session.launch import prepare, spark_of
from firesteel.session.result import TableResult
from firesteel.session.table import StatementSet, Table
from firesteel.sql.parser import is_complete, parse_script, parse_statement, split_script
from firesteel.sql.statements import Explain, Insert, Query, Statement
from firesteel.sql.statements import StatementSet as StatementSetStatement
from firesteel.types.zones import session_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.spark.launch import Spark
    from firesteel.spark.progress import Progress

Watch = Callable[["Progress"], None]


class TableEnvironment:
    """A catalog, a configuration, and a Spark to run queries on, which is started at the first query."""

    def __init__(self, configuration: Mapping[str, str], spark: SparkSession | Spark | None) -> None:
        self.catalog = Catalog()
        self.configuration = Configuration(configuration)
        self.frames: dict[str, DataFrame] = {}
        """The DataFrames that tables stand for, by the table's path."""
        self.functions_folder = ""
        """Where modules that CREATE FUNCTION names may lie besides the places where Python looks."""
        self.known_statements = KnownStatements()
        self._given = spark
        self._spark: Spark | None = None

    @classmethod
    def create(
        cls, spark: SparkSession | Spark | None = None, *, configuration: Mapping[str, str] | None = None
    ) -> TableEnvironment:
        """An environment on the given Spark, or on a local one of its own.

        Raises ValidationError for a configuration value that its option does not take.
        """
        return cls(configuration or {}, spark)

    @property
    def spark(self) -> Spark:
        """The Spark that runs the queries; started now if it is not yet."""
        if self._spark is None:
            self._spark = prepare(self.options) if self._given is None else spark_of(self._given)
        return self._spark

    @property
    def options(self) -> dict[str, str]:
        """The options that are set, with their values as written."""
        return self.configuration.to_dict()

    def get_config(self) -> Configuration:
        """The configuration: get(key, default), set(key, value)."""
        return self.configuration

    def close(self) -> None:
        """Let go of a Spark that was started here; one that was given is left alone."""
        if self._spark is not None:
            self._spark.abandon()

    # --- SQL -------------------------------------------------------------------------------------
    def execute_sql(self, statement: str) -> TableResult:
        """Run one statement. An INSERT runs in the background: `wait()` for its end.

        Raises SqlError where the statement is wrong, NotSupportedError where Firesteel cannot do it yet.
        """
        return self.execute(parse_statement(statement), statement)

    def sql_query(self, query: str) -> Table:
        """A query as a table, checked but not run."""
        return Table(self, query).checked()

    def explain_sql(self, statement: str, *details: str) -> str:
        """The plans of a query or INSERT; details as in EXPLAIN: CHANGELOG_MODE, JSON_EXECUTION_PLAN."""
        parsed = parse_statement(statement)
        if not isinstance(parsed, (Query, Insert, StatementSetStatement)):
            raise ValidationError(
                "only a query, an INSERT or a statement set can be explained",
                range=parsed.range,
                sql=statement,
            )
        explained = Explain(parsed.range, parsed, tuple(d.upper() for d in details))
        return "".join(row[0] for row in self.execute(explained, statement).collect())

    def create_statement_set(self) -> StatementSet:
        """Collects INSERTs that run together."""
        return StatementSet(self)

    # --- tables ----------------------------------------------------------------------------------
    def from_path(self, path: str) -> Table:
        """A registered table or view, by its name as SQL writes it."""
        return self.sql_query(f"SELECT * FROM {path}")

    def create_temporary_view(self, path: str, table: Table) -> None:
        """Give a query a name."""
        self.execute_sql(f"CREATE TEMPORARY VIEW {path} AS {table.query}")

    def drop_temporary_view(self, path: str) -> None:
        self.execute_sql(f"DROP TEMPORARY VIEW {path}")

    def list_tables(self) -> list[str]:
        """Names of the tables and views of the current database."""
        return [row[0] for row in self.execute_sql("SHOW TABLES").collect()]

    def list_views(self) -> list[str]:
        return [row[0] for row in self.execute_sql("SHOW VIEWS").collect()]

    # --- functions -------------------------------------------------------------------------------
    def create_temporary_function(self, path: str, function: object) -> None:
        """Register a function of the user's: what firesteel.udf's udf or udaf made, an AggregateFunction, or
        the text `module.name`."""
        self._register("temporary catalog", path, function)

    def create_temporary_system_function(self, name: str, function: object) -> None:
        """The same for a function that hides a built-in one of its name."""
        self._register("temporary system", name, function)

    def drop_temporary_function(self, path: str) -> bool:
        """Drop a function; whether there was one."""
        return self.catalog.functions.drop("temporary catalog", path.rpartition(".")[2], if_exists=True)

    def drop_temporary_system_function(self, name: str) -> bool:
        return self.catalog.functions.drop("temporary system", name, if_exists=True)

    def list_user_defined_functions(self) -> list[str]:
        """Names of the functions of the user's."""
        return self.catalog.functions.names()

    def _register(self, kind: str, path: str, function: object) -> None:
        from firesteel.session.functions import register

        register(self, kind, path, function)

    # --- DataFrames ------------------------------------------------------------------------------
    def to_changelog_stream(self, table: Table) -> DataFrame:
        """The changes of a table as a DataFrame; see session/changelog.py."""
        from firesteel.session.changelog import to_changelog_stream

        return to_changelog_stream(self, table)

    def from_changelog_stream(self, frame: DataFrame, *, primary_key: list[str] | None = None) -> Table:
        """A table of the changes in a DataFrame; see session/changelog.py."""
        from firesteel.session.changelog import from_changelog_stream

        return from_changelog_stream(self, frame, primary_key or [])

    # --- for the terminal ------------------------------------------------------------------------
    def parse(self, text: str) -> list[Statement]:
        """The statements of a script. Raises ParseError."""
        return parse_script(text)

    def split(self, text: str) -> list[str]:
        """The texts of the statements of a script, which may be wrong inside."""
        return [text[r.start : r.end] for r in split_script(text)]

    def expect(self, text: str) -> None:
        """The script that is going to run: its statements find their checkpoints by all of them."""
        for piece in self.split(text):
            with suppress(FiresteelError):  # it will be told when it is run
                self.known_statements.expect(self, self.parse(piece), piece)

    def is_complete(self, text: str) -> bool:
        """Whether what was typed ends with a statement's semicolon."""
        return is_complete(text)

    def execute(self, statement: Statement, text: str, watch: Watch | None = None) -> TableResult:
        """Run a parsed statement; `text` is what it was parsed from, `watch` is told its progress."""
        return statements.execute(self, statement, text, watch)

    def explain_statement(self, statement: Statement, text: str, *, code: bool = False) -> str | None:
        """The plans of a query or INSERT (code: with what the workers run), None for other statements,
        which are run, as the queries after them need what they define."""
        from firesteel.session.explain_code import explain_code

        if isinstance(statement, Explain):
            statement = statement.statement
        if not isinstance(statement, (Query, Insert, StatementSetStatement)):
            self.execute(statement, text)
            return None
        explained = Explain(statement.range, statement, ("CHANGELOG_MODE",))
        plans = "".join(row[0] for row in self.execute(explained, text).collect())
        return f"{plans}\n{explain_code(self, statement, text)}" if code else plans

    def bind_context(self, text: str) -> BindContext:
        """What binding a statement of `text` needs."""
        return BindContext(
            catalog=self.catalog,
            options=self.configuration,
            sql=text,
            validate=validate_table,
        )

    @property
    def time_zone(self) -> str:
        """table.local-time-zone, by default the machine's. Raises ValidationError for an unknown one."""
        return session_zone(self.configuration.get("table.local-time-zone"))
