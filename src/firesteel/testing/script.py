"""A script under test: its definitions are run, its queries are planned and run on test rows only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from firesteel.catalog.schema import View
from firesteel.changelog import ChangelogMode
from firesteel.errors import FiresteelError
from firesteel.job.spec import JobSpec
from firesteel.plan.nodes.physical import TableSourceScan
from firesteel.plan.properties.changelog_modes import source_mode
from firesteel.plan.tree import walk
from firesteel.session.context import Call
from firesteel.session.create_as import create
from firesteel.session.environment import TableEnvironment
from firesteel.session.graph.job_graph import Origins
from firesteel.session.jobs import job_of
from firesteel.session.planning import Plans, plan
from firesteel.sql.parser import parse_query, parse_script
from firesteel.sql.statements import (
    CreateTable,
    Explain,
    Insert,
    Query,
    SetOption,
    Show,
    Statement,
    StatementSet,
)
from firesteel.types.sql import quoted_name

ZONE = "table.local-time-zone"


@dataclass(frozen=True)
class Target:
    """The query or INSERT of a script that a test runs.

    Attributes:
        name: Path of the sink, name of the view, or `query`.
        statement: The statement.
        text: The text that it was parsed from.
        in_set: Whether the statement is one of a statement set.
    """

    name: str
    statement: Query | Insert
    text: str
    in_set: bool = False


@dataclass(frozen=True)
class Planned:
    """A target with its plans and its job.

    Attributes:
        target: The target.
        plans: Its plans.
        job: Its job.
        origins: The job's operators, each with the node of the physical plan that it runs.
        modes: Changelog mode of each table that the target reads, by the table's path.
    """

    target: Target
    plans: Plans
    job: JobSpec
    origins: Origins
    modes: Mapping[str, ChangelogMode]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the output columns."""
        if isinstance(self.target.statement, Insert):
            return self.job.sinks[0].names
        return tuple(column.name for column in self.plans.logical.schema)


@dataclass
class Script:
    """A script whose definitions have been run.

    Attributes:
        name: File name for errors.
        environment: The session.
        targets: Queries and INSERTs of the script, in order.
    """

    name: str
    environment: TableEnvironment
    targets: list[Target] = field(default_factory=list)

    @classmethod
    def load(
        cls, name: str, text: str, folder: str, options: Mapping[str, str], default_zone: str | None = "UTC"
    ) -> Script:
        """Run the definitions of a script, and return it.

        Args:
            name: File name for errors.
            text: The text.
            folder: Folder in which modules of functions are searched.
            options: Options to set before the script runs, by key.
            default_zone: Time zone if neither the options nor the script set one; None for the machine's.

        Raises:
            FiresteelError: A statement is wrong.
        """
        zone = {} if default_zone is None else {ZONE: default_zone}
        with in_file(name):
            environment = TableEnvironment.create(configuration={**zone, **options})
            environment.functions_folder = folder
            script = cls(name, environment)
            for statement in parse_script(text):
                script._take(statement, text, options)
        return script

    def _take(self, statement: Statement, text: str, options: Mapping[str, str]) -> None:
        if isinstance(statement, (Explain, Show)):
            return
        if isinstance(statement, CreateTable) and statement.query is not None:
            statement = create(Call(self.environment, text), statement)
        if isinstance(statement, SetOption) and statement.key in options:
            return  # A value in `options` replaces the one that the script sets.
        if isinstance(statement, Query):
            self.targets.append(Target("query", statement, text))
        elif isinstance(statement, (Insert, StatementSet)):
            in_set = isinstance(statement, StatementSet)
            inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
            for insert in inserts:
                path = self.environment.catalog.path(insert.table.parts)
                self.targets.append(Target(".".join(path), insert, text, in_set))
        else:
            self.environment.execute(statement, text)

    def planned(self, target: Target) -> Planned:
        """Plan a query or INSERT of the script, and return its plans and its job.

        Args:
            target: The query or INSERT.

        Raises:
            FiresteelError: The query is wrong or not supported.
        """
        is_query = isinstance(target.statement, Query)
        environment = self.environment
        with in_file(self.name):
            try:
                plans = plan(environment, target.statement, target.text, collect=is_query)
                names = tuple(column.name for column in plans.logical.schema) if is_query else None
                origins: Origins = []
                job = job_of(environment, [plans.physical], names, origins)
            except FiresteelError as error:
                if error.range is None:
                    error.range = target.statement.range
                error.located(target.text)
                raise
            scans = (node for node in walk(plans.physical) if isinstance(node, TableSourceScan))
            modes = {".".join(scan.table.path): source_mode(scan.table) for scan in scans}
        return Planned(target, plans, job, origins, modes)

    def find(self, name: str | None) -> Target | None:
        """Return the INSERT into a table, or the query `SELECT * FROM` a view; None if not found.

        Args:
            name: Name of the table or view as in SQL. None stands for the only INSERT or query of the
                script. Then the function returns None if the script has none or several.
        """
        if name is None:
            return self.targets[0] if len(self.targets) == 1 else None
        path = self.path(name)
        for target in self.targets:
            if target.name == ".".join(path):
                return target
        entry = self.environment.catalog.find(tuple(name.split(".")))
        if isinstance(entry, View):
            return query(f"SELECT * FROM {'.'.join(map(quoted_name, path))}", name)
        return None

    def path(self, name: str) -> tuple[str, ...]:
        """Return the full path of a table's name."""
        return tuple(self.environment.catalog.path(tuple(name.split("."))))


def query(text: str, name: str = "query") -> Target:
    """Parse a query that is not part of a script, and return it as a target. Raises ParseError."""
    return Target(name, parse_query(text), text)


@contextmanager
def in_file(name: str) -> Iterator[None]:
    """Context that puts a file's name in front of the messages of errors that are raised in it."""
    try:
        yield
    except FiresteelError as error:
        if not error.message.startswith(f"{name}: "):
            error.message = f"{name}: {error.message}"
        raise
