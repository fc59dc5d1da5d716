"""TableEnvironment, the entry point for Python programs. It has the names of PyFlink's methods."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from firesteel.config.registry import Configuration
from firesteel.errors import FiresteelError
from firesteel.session import statements
from firesteel.session.context import Environment, Watch
from firesteel.session.result import TableResult
from firesteel.session.table import StatementSet, Table
from firesteel.sql.parser import is_complete, parse_script, split_script
from firesteel.sql.statements import Explain, Insert, Query, Statement
from firesteel.sql.statements import StatementSet as StatementSetStatement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.functions.python import WatermarkStrategy
    from firesteel.spark.launch.launch import Spark


class TableEnvironment(Environment):
    """A session that runs SQL statements. Its state is in session/context.py."""

    @classmethod
    def create(
        cls, spark: SparkSession | Spark | None = None, *, configuration: Mapping[str, str] | None = None
    ) -> TableEnvironment:
        """Return a new environment.

        Args:
            spark: The Spark session to run on; None starts a local one at the first query.
            configuration: Options to set, by key.

        Raises:
            ValidationError: A value of the configuration is not valid for its option.
        """
        return cls(configuration or {}, spark)

    def get_config(self) -> Configuration:
        """Return the configuration, with `get(key, default)` and `set(key, value)`."""
        return self.configuration

    # --- SQL -------------------------------------------------------------------------------------
    def execute_sql(self, statement: str) -> TableResult:
        """Run one statement and return its result. An INSERT runs in the background: `wait()` for its end.

        Raises:
            SqlError: The statement is wrong.
            NotSupportedError: Firesteel does not support the statement.
        """
        return statements.execute_text(self, statement)

    def sql_query(self, query: str) -> Table:
        """Return a query as a table. The query is checked and does not run."""
        return Table(self, query).checked()

    def explain_sql(self, statement: str, *details: str) -> str:
        """Return the plans of a query, an INSERT or a statement set.

        Args:
            statement: The statement.
            details: Details as in EXPLAIN, such as CHANGELOG_MODE or JSON_EXECUTION_PLAN.
        """
        return statements.explain_text(self, statement, *details)

    def create_statement_set(self) -> StatementSet:
        """Return an empty statement set, for INSERTs that run together as one job."""
        return StatementSet(self)

    # --- tables ----------------------------------------------------------------------------------
    def from_path(self, path: str) -> Table:
        """Return a registered table or view, by its name as written in SQL."""
        return self.sql_query(f"SELECT * FROM {path}")

    def create_temporary_view(self, path: str, table: Table) -> None:
        """Register a query as a temporary view."""
        self.execute_sql(f"CREATE TEMPORARY VIEW {path} AS {table.query}")

    def drop_temporary_view(self, path: str) -> None:
        self.execute_sql(f"DROP TEMPORARY VIEW {path}")

    def list_tables(self) -> list[str]:
        """Return the names of the tables and views of the current database."""
        return [row[0] for row in self.execute_sql("SHOW TABLES").collect()]

    def list_views(self) -> list[str]:
        return [row[0] for row in self.execute_sql("SHOW VIEWS").collect()]

    # --- functions -------------------------------------------------------------------------------
    def create_temporary_function(self, path: str, function: object) -> None:
        """Register a user-defined function.

        Args:
            path: Name of the function.
            function: Result of firesteel.functions.python's udf, udtf or udaf, an AggregateFunction, or the
                text `module.name`.
        """
        self._register("temporary catalog", path, function)

    def create_temporary_system_function(self, name: str, function: object) -> None:
        """Register a user-defined function that hides a built-in function of that name.

        Args:
            name: Name of the function.
            function: The function, as for `create_temporary_function`.
        """
        self._register("temporary system", name, function)

    def drop_temporary_function(self, path: str) -> bool:
        """Drop a user-defined function and return whether it existed."""
        return self.catalog.functions.drop("temporary catalog", path.rpartition(".")[2], if_exists=True)

    def drop_temporary_system_function(self, name: str) -> bool:
        return self.catalog.functions.drop("temporary system", name, if_exists=True)

    def list_user_defined_functions(self) -> list[str]:
        """Return the names of the user-defined functions."""
        return self.catalog.functions.names()

    def _register(self, kind: str, path: str, function: object) -> None:
        from firesteel.session.functions import register

        register(self, kind, path, function)

    # --- DataFrames ------------------------------------------------------------------------------
    def to_changelog_stream(self, table: Table) -> DataFrame:
        """Return the changes of a table as a streaming DataFrame; see session/changelog.py."""
        from firesteel.session.changelog import to_changelog_stream

        return to_changelog_stream(self, table)

    def from_changelog_stream(
        self, frame: DataFrame, *, primary_key: list[str] | None = None, rowtime: str | None = None,
        watermarks: WatermarkStrategy | None = None,
    ) -> Table:  # fmt: skip
        """Return the changes in a DataFrame as a table; see session/changelog.py.

        Args:
            frame: The DataFrame. Without a column `_change_type`, every row is an insert.
            primary_key: Names of the columns of the primary key.
            rowtime: Name of the row time column; it needs `watermarks`.
            watermarks: Strategy that generates the watermarks of `rowtime`.
        """
        from firesteel.session.changelog import from_changelog_stream
        from firesteel.session.row_time import row_time

        return from_changelog_stream(self, frame, primary_key or [], row_time(rowtime, watermarks))

    # --- for the terminal ------------------------------------------------------------------------
    def parse(self, text: str) -> list[Statement]:
        """Return the parsed statements of a script. Raises ParseError if one of them is wrong."""
        return parse_script(text)

    def split(self, text: str) -> list[str]:
        """Return the texts of the statements of a script, without parsing the statements."""
        return [text[r.start : r.end] for r in split_script(text)]

    def split_in_place(self, text: str) -> list[str]:
        """Return the texts of the statements of a script, each at its place in the script.

        In each text, blanks and line ends stand for the script before the statement. So offsets, lines and
        columns in the text are those of the script.
        """
        return [_in_place(text, r.start) + text[r.start : r.end] for r in split_script(text)]

    def expect(self, text: str) -> None:
        """Register the statements of a script before it runs.

        The folder in the checkpoint that belongs to a statement depends on all statements of the script.
        """
        for piece in self.split(text):
            with suppress(FiresteelError):  # a wrong statement raises its error when it runs
                self.known_statements.expect(self.catalog, self.parse(piece), piece)

    def keep_script(self, text: str) -> None:
        """Set the script that is stored in the checkpoint of each statement that runs from now on."""
        from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript

        self.kept_script = KeptScript.of(text, self.options, self.functions_folder)

    def is_complete(self, text: str) -> bool:
        """Return whether a terminal can run the text, since its last statement ends with a semicolon.

        A comment may follow. A semicolon in a string, a comment or a quoted name does not end a statement.
        False if more lines are needed.
        """
        return is_complete(text)

    def execute(self, statement: Statement, text: str, watch: Watch | None = None) -> TableResult:
        """Run a parsed statement and return its result.

        Args:
            statement: The statement.
            text: The text that it was parsed from.
            watch: Function that is called with the job's progress.
        """
        return statements.execute(self, statement, text, watch)

    def explain_statement(
        self, statement: Statement, text: str, *, code: bool = False, trace_rules: bool = False
    ) -> str | None:
        """Return the plans of a query or INSERT. Run any other statement, since later queries may need it.

        Args:
            statement: The statement.
            text: The text that it was parsed from.
            code: Whether to add the code that the workers run.
            trace_rules: Whether the result begins with the plans after each program of the optimizer.

        Returns:
            The plans, or None for a statement that was run.
        """
        from firesteel.session.explain.code import explain_code
        from firesteel.session.explain.rules import explain_rules

        if isinstance(statement, Explain):
            statement = statement.statement
        if not isinstance(statement, (Query, Insert, StatementSetStatement)):
            self.execute(statement, text)
            return None
        explained = Explain(statement.range, statement, ("CHANGELOG_MODE",))
        plans = "".join(row[0] for row in self.execute(explained, text).collect())
        if trace_rules:
            plans = f"{explain_rules(self, statement, text)}\n{plans}"
        return f"{plans}\n{explain_code(self, statement, text)}" if code else plans


def _in_place(text: str, start: int) -> str:
    """Return a prefix of blanks and line ends that is as long as `text[:start]` and has as many lines.

    A statement after the prefix has the offset, line and column of `start` in `text`.
    """
    lines, column = text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1
    return " " * (start - lines - column) + "\n" * lines + " " * column
