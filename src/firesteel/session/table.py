"""Table, a query that can be run, explained or written into a table, and StatementSet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firesteel.errors import UsageError
from firesteel.plan.tree import Field
from firesteel.session.context import Environment
from firesteel.session.html import html_schema
from firesteel.session.planning import bind_text
from firesteel.session.result import TableResult
from firesteel.session.statements import execute_text, explain_text
from firesteel.types.sql import quoted_name

if TYPE_CHECKING:
    import pandas as pd


class Table:
    """A query over the tables of an environment (PyFlink: Table). It holds no rows."""

    def __init__(self, environment: Environment, query: str) -> None:
        self._environment = environment
        self.query = query.strip().rstrip(";")

    def checked(self) -> Table:
        """Check the query and return this table. Raises SqlError if the query is wrong."""
        self.get_schema()
        return self

    def get_schema(self) -> tuple[Field, ...]:
        """Return the names and types of the columns."""
        return bind_text(self._environment, self.query).schema

    def execute(self) -> TableResult:
        """Run the query and return its result, whose changes can be read while the query runs."""
        return execute_text(self._environment, self.query)

    def execute_insert(self, table_path: str) -> TableResult:
        """Start an INSERT of this query into a table. The result's `wait()` waits for the end of the job."""
        return execute_text(self._environment, f"INSERT INTO {table_path} {self.query}")

    def explain(self, *details: str) -> str:
        """Return the plans as EXPLAIN prints them."""
        return explain_text(self._environment, self.query, *details)

    def to_pandas(self) -> pd.DataFrame:
        """Run the query and return its final rows as a DataFrame. Raises UsageError if it is unbounded."""
        return self.execute().to_pandas()

    def __repr__(self) -> str:
        columns = ", ".join(f"{column.name} {column.type}" for column in self.get_schema())
        return f"<Table: {columns}>"

    def _repr_html_(self) -> str:
        """Return the columns as HTML, for a notebook. The query does not run."""
        return html_schema(self.get_schema(), self.query)

    def print_schema(self) -> None:
        """Print the columns and their types."""
        columns = ",\n".join(f"  {quoted_name(c.name)} {c.type}" for c in self.get_schema())
        print(f"(\n{columns}\n)")


class StatementSet:
    """INSERTs that run together (PyFlink: StatementSet)."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._inserts: list[str] = []

    def add_insert_sql(self, statement: str) -> StatementSet:
        self._inserts.append(statement.strip().rstrip(";"))
        return self

    def add_insert(self, table_path: str, table: Table) -> StatementSet:
        return self.add_insert_sql(f"INSERT INTO {table_path} {table.query}")

    def _text(self) -> str:
        if not self._inserts:
            raise UsageError("the statement set is empty", hint="add an INSERT first")
        return "STATEMENT SET BEGIN\n" + "".join(f"{insert};\n" for insert in self._inserts) + "END"

    def explain(self, *details: str) -> str:
        return explain_text(self._environment, self._text(), *details)

    def execute(self) -> TableResult:
        """Start all INSERTs as one job, return its result and empty the set."""
        result = execute_text(self._environment, f"EXECUTE {self._text()}")
        self._inserts.clear()
        return result
