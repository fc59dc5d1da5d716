"""Firesteel's answers to the statements of a script, with the requests that ask Flink the same."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from firesteel.catalog.schema import Table
from firesteel.changelog import KIND, SHORT, field
from firesteel.errors import FiresteelError
from firesteel.plan.nodes import physical
from firesteel.plan.properties.keys import upsert_keys
from firesteel.plan.tree import Node, walk
from firesteel.plan.varying import varying_call
from firesteel.sensitive import redacted
from firesteel.session.context import Call
from firesteel.session.create_as import create
from firesteel.session.environment import TableEnvironment
from firesteel.session.planning import plan_all
from firesteel.spark.in_process.host import InProcessJob, MicroBatch
from firesteel.sql import catalog_statements as catalog_sql
from firesteel.sql import statements as sql
from firesteel.testing.flink import requests
from firesteel.testing.flink.requests import Asked
from firesteel.testing.flink.stand_ins import StandIns, definition
from firesteel.testing.script import Planned, Script, Target
from firesteel.testing.verify.inputs import read_inputs
from firesteel.testing.verify.rows_left import as_table
from firesteel.types.sql import APPROXIMATE, SqlType
from firesteel.types.text import render

_LOOKING = (
    *(sql.Show, sql.Describe),
    *(catalog_sql.ShowJobs, catalog_sql.DescribeJob, catalog_sql.StopJob, catalog_sql.DescribeCatalog),
)
"""Statements that are neither run nor compared."""
_MINI_BATCH = "table.exec.mini-batch.enabled"
_PARALLELISM = "table.exec.resource.default-parallelism"
_ONE_SPLIT = 32 << 20
"""Maximum size in bytes of a local file that Flink reads as one split."""
_SHOWN = 60
"""Maximum number of characters of a statement in a report."""


def passes_on(key: str) -> bool:
    """Return whether an option is set on Flink, too: it changes plans or rows, not how the job runs."""
    return key.startswith("table.") and key != _PARALLELISM


class OwnAnswers:
    """A session that runs a script statement by statement. After an error, it runs the next statement.

    Args:
        name: File name of the script.
        text: The script.
        modules: Folder of the modules of functions.
        options: Options to set, by key.
        folder: Folder for the files that replace tables which Flink cannot read (StandIns).
        has_jars: Whether Flink gets jars with connectors.
    """

    def __init__(
        self, name: str, text: str, modules: str, options: Mapping[str, str], folder: Path, *, has_jars: bool
    ) -> None:
        self._text = text
        environment = TableEnvironment.create(configuration=options)
        environment.functions_folder = modules
        self._environment = environment
        self._script = Script(name, environment)
        self._stand_ins = StandIns(self._script, folder, has_jars=has_jars)

    def all(self) -> list[Asked]:
        """Run the script, and return its statements with Firesteel's answers."""
        found: list[Asked] = []
        for piece in self._environment.split_in_place(self._text):
            try:
                statements = self._environment.parse(piece)
            except FiresteelError as error:
                found.append(self._unparsed(piece, error))
                continue
            for statement in statements:
                found += self._asked(statement)
        return found

    # --- one statement ---------------------------------------------------------------------------
    def _asked(self, statement: sql.Statement) -> list[Asked]:
        """Run a statement, and return Firesteel's answers with the requests for Flink's answers.

        For a statement set, return an answer with its plans, and one for each INSERT. For a SHOW or another
        statement that is not compared, return []. For any other statement, return one answer.
        """
        if isinstance(statement, _LOOKING):
            return []
        if isinstance(statement, sql.Query):
            return [self._query(statement, statement)]
        if isinstance(statement, sql.Insert):
            return [self._query(statement, _query_of(statement))]
        if isinstance(statement, sql.StatementSet):
            return [
                self._plans(statement),
                *(self._query(each, _query_of(each)) for each in statement.inserts),
            ]
        if isinstance(statement, sql.Explain):
            return [self._plans(statement.statement, at=statement)]
        if isinstance(statement, sql.CreateTable) and statement.query is not None:
            return self._create_as(statement)
        return [self._definition(statement)]

    def _definition(self, statement: sql.Statement) -> Asked:
        asked = self._new(statement, is_definition=True)
        asked.requests = [self._flinks(statement)] if self._is_for_flink(statement) else []
        try:
            self._environment.execute(statement, self._text)
        except FiresteelError as error:
            asked.own.error = error.message
        return asked

    def _query(self, statement: sql.Query | sql.Insert, query: sql.Query) -> Asked:
        asked = self._new(statement)
        asked.requests = [requests.plan(self._sql(statement))]
        try:
            plans = self._physical((statement,))
            if not self._has_stand_ins(asked, plans):
                return asked
            asked.own.plan = self._explained(statement)
            if (name := varying_call(plans[0])) is not None:
                asked.notes.append(f"the rows are not compared: each run gives {name} another value")
                return asked
            asked.requests.append(requests.rows(self._sql(query)))
            self._add_rows(asked, query)
        except FiresteelError as error:
            asked.own.error = error.message
        return asked

    def _plans(
        self,
        statement: sql.Query | sql.Insert | sql.StatementSet | sql.CreateTable,
        at: sql.Statement | None = None,
    ) -> Asked:
        """Return the request and Firesteel's answer for the plans of a statement, without rows.

        Args:
            statement: The statement to explain.
            at: Statement whose line and text the report shows, such as an EXPLAIN; None for `statement`.
        """
        asked = self._new(at or statement)
        asked.requests = [requests.plan(_for_explain(self._sql(statement)))]
        try:
            if not isinstance(statement, sql.CreateTable):
                each = statement.inserts if isinstance(statement, sql.StatementSet) else (statement,)
                if not self._has_stand_ins(asked, self._physical(each)):
                    return asked
            asked.own.plan = self._explained(statement)
        except FiresteelError as error:
            asked.own.error = error.message
        return asked

    def _create_as(self, statement: sql.CreateTable) -> list[Asked]:
        """Create the table of a CREATE TABLE AS, and return a list with its query, which is compared.

        The `setup` of the query creates the table in Flink.
        """
        assert statement.query is not None
        query = sql.Query(statement.query.range, statement.query)
        asked = self._query(query, query)
        asked.line, asked.text = self._place(statement)
        with suppress(FiresteelError):
            insert = create(Call(self._environment, self._text), statement)
            table = self._environment.catalog.find(insert.table.parts)
            if isinstance(table, Table):
                asked.setup.append(requests.run(definition(table)))
        return [asked]

    def _unparsed(self, piece: str, error: FiresteelError) -> Asked:
        """Return the request for a statement that Firesteel cannot parse.

        Flink only plans a query, an INSERT or a statement set, and executes any other statement.

        Args:
            piece: Text of the statement, after as many line ends as precede it in the script.
            error: Firesteel's error.
        """
        line, text = piece[: len(piece) - len(piece.lstrip())].count("\n") + 1, piece.strip()
        asked = Asked(line, _short(text))
        asked.own.error = error.message
        first = text.upper().split(None, 1)[0]
        is_query = first.startswith(("SELECT", "WITH", "VALUES", "(", "INSERT", "EXECUTE", "BEGIN"))
        asked.requests = [requests.plan(_for_explain(text)) if is_query else requests.run(text)]
        return asked

    # --- the parts of an answer -------------------------------------------------------------------
    def _has_stand_ins(self, asked: Asked, plans: Sequence[Node]) -> bool:
        """Replace the tables of a statement that Flink cannot read or write. Return whether this succeeds.

        If not, set `asked.left_out` to the reason, and ask Flink nothing.
        """
        try:
            self._stand_ins.put(asked, plans)
        except FiresteelError as error:
            asked.left_out, asked.requests = error.message, []
        return asked.left_out is None

    def _physical(self, statements: Sequence[sql.Query | sql.Insert]) -> list[Node]:
        try:
            return [each.physical for each in plan_all(self._environment, statements, self._text)]
        except FiresteelError as error:
            raise error.located(self._text) from None

    def _explained(self, statement: sql.Query | sql.Insert | sql.StatementSet | sql.CreateTable) -> str:
        explain = sql.Explain(statement.range, statement, ("CHANGELOG_MODE",))
        return "".join(row[0] for row in self._environment.execute(explain, self._text).collect())

    def _add_rows(self, asked: Asked, query: sql.Query) -> None:
        planned = self._script.planned(Target("query", query, self._text))
        inputs = read_inputs(self._script, planned, None)
        job = InProcessJob(planned.job, at_once=True)
        rows = {chain: each.projected() for chain, each in inputs.items()}
        now = time.time_ns() // 1_000_000
        types = planned.job.sinks[0].types
        changes = as_table(list(job.run(MicroBatch(rows, now, ends=planned.job.bounded))), types)
        zone = self._environment.time_zone
        cells = [render(changes.column(field(i)), kind, zone) for i, kind in enumerate(types)]
        kinds = (SHORT[kind] for kind in changes.column(KIND).to_pylist())
        asked.own.rows = [list(row) for row in zip(kinds, *cells, strict=True)]
        asked.names = planned.names
        asked.key = _key(planned)
        asked.approximate = tuple(i for i, kind in enumerate(types) if _is_approximate(kind))
        asked.compares_changes = self._is_in_order(planned.plans.physical)

    def _is_in_order(self, root: Node) -> bool:
        """Return whether both engines give the changes of each key the same order in every run.

        They do if mini-batch is off, each operator has at most one input, and each table is one local file.
        """
        if self._environment.configuration.get(_MINI_BATCH):
            return False
        nodes = list(walk(root))
        scans = [node for node in nodes if isinstance(node, physical.TableSourceScan)]
        return all(len(node.children) <= 1 for node in nodes) and all(map(_is_one_file, scans))

    # --- texts --------------------------------------------------------------------------------------
    def _new(self, statement: sql.Statement, *, is_definition: bool = False) -> Asked:
        line, text = self._place(statement)
        return Asked(line, text, is_definition=is_definition)

    def _place(self, statement: sql.Statement) -> tuple[int, str]:
        line, _ = statement.range.line_and_column(self._text)
        return line, _short(self._sql(statement))

    def _sql(self, statement: sql.Statement) -> str:
        return self._text[statement.range.start : statement.range.end]

    def _is_for_flink(self, statement: sql.Statement) -> bool:
        if isinstance(statement, (sql.SetOption, sql.ResetOption)):
            return isinstance(statement, sql.ResetOption) or passes_on(statement.key or "")
        return True

    def _flinks(self, statement: sql.Statement) -> requests.Request:
        if isinstance(statement, sql.SetOption):
            return {"do": "set", "key": statement.key, "value": statement.value}
        if isinstance(statement, sql.ResetOption):
            return {"do": "reset", "key": statement.key}
        return requests.run(self._sql(statement))


def _query_of(insert: sql.Insert) -> sql.Query:
    return sql.Query(insert.query.range, insert.query)


def _for_explain(text: str) -> str:
    """Return a statement as EXPLAIN takes it: a statement set without EXECUTE."""
    words = text.split(None, 1)
    return words[1] if words[0].upper() == "EXECUTE" else text


def _short(text: str) -> str:
    one_line = " ".join(redacted(text).split())
    return one_line if len(one_line) <= _SHOWN else f"{one_line[:_SHOWN].rstrip()}..."


def _key(planned: Planned) -> tuple[int, ...]:
    """Return the positions of the columns of the shortest upsert key of a query, () if it has none."""
    keys = sorted(map(sorted, upsert_keys(planned.plans.physical)), key=lambda key: (len(key), key))
    return tuple(keys[0]) if keys else ()


def _is_approximate(kind: SqlType) -> bool:
    return kind.root in APPROXIMATE or any(map(_is_approximate, kind.children))


def _is_one_file(scan: physical.TableSourceScan) -> bool:
    """Return whether a table is at most one local file, of at most `_ONE_SPLIT` bytes."""
    options = dict(scan.table.options)
    path = Path(options.get("path", "").removeprefix("file://"))
    if options.get("connector") != "filesystem" or not path.exists():
        return False
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return len(files) <= 1 and sum(each.stat().st_size for each in files) <= _ONE_SPLIT
