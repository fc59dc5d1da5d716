"""TableEnvironment: the way in from Python. Method names are PyFlink's where it has one."""

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
    """Runs SQL; what its statements need is in session/context.py."""

    @classmethod
    def create(
        cls, spark: SparkSession | Spark | None = None, *, configuration: Mapping[str, str] | None = None
    ) -> TableEnvironment:
        """An environment on the given Spark, or on a local one of its own.

        Raises ValidationError for a configuration value that its option does not take.
        """
        return cls(configuration or {}, spark)

    def get_config(self) -> Configuration:
        """The configuration: get(key, default), set(key, value)."""
        return self.configuration

    # --- SQL -------------------------------------------------------------------------------------
    def execute_sql(self, statement: str) -> TableResult:
        """Run one statement. An INSERT runs in the background: `wait()` for its end.

        Raises SqlError where the statement is wrong, NotSupportedError where Firesteel cannot do it yet.
        """
        return statements.execute_text(self, statement)

    def sql_query(self, query: str) -> Table:
        """A query as a table, checked but not run."""
        return Table(self, query).checked()

    def explain_sql(self, statement: str, *details: str) -> str:
        """The plans of a query or INSERT; details as in EXPLAIN: CHANGELOG_MODE, JSON_EXECUTION_PLAN."""
        return statements.explain_text(self, statement, *details)

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
        """Register a function of the user's: what firesteel.functions.python's udf or udaf made, an
        AggregateFunction, or the text `module.name`."""
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

    def from_changelog_stream(
        self, frame: DataFrame, *, primary_key: list[str] | None = None, rowtime: str | None = None,
        watermarks: WatermarkStrategy | None = None,
    ) -> Table:  # fmt: skip
        """A table of the changes in a DataFrame; see session/changelog.py. rowtime: the column that is to be
        the row time, with `watermarks` to say how far it has come."""
        from firesteel.session.changelog import from_changelog_stream
        from firesteel.session.row_time import row_time

        return from_changelog_stream(self, frame, primary_key or [], row_time(rowtime, watermarks))

    # --- for the terminal ------------------------------------------------------------------------
    def parse(self, text: str) -> list[Statement]:
        """The statements of a script. Raises ParseError."""
        return parse_script(text)

    def split(self, text: str) -> list[str]:
        """Return the texts of the statements of a script, which may be wrong inside."""
        return [text[r.start : r.end] for r in split_script(text)]

    def split_in_place(self, text: str) -> list[str]:
        """Return the texts of the statements of a script, each behind as many blanks and line ends as stand
        before it: offsets, lines and columns in it are those of the script."""
        return [_in_place(text, r.start) + text[r.start : r.end] for r in split_script(text)]

    def expect(self, text: str) -> None:
        """The script that is going to run: its statements find their checkpoints by all of them."""
        for piece in self.split(text):
            with suppress(FiresteelError):  # it will be told when it is run
                self.known_statements.expect(self.catalog, self.parse(piece), piece)

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


def _in_place(text: str, start: int) -> str:
    """As many characters as there are before `start`, that end at its line and column."""
    lines, column = text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1
    return " " * (start - lines - column) + "\n" * lines + " " * column
