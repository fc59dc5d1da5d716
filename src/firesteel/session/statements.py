"""Execution of statements: one handler for each kind, listed in the table at the end.

Texts of errors and answers: Flink's operations (`CreateTableOperation`, `ShowTablesOperation`, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from firesteel.bind.statements.ddl import bind_create_table
from firesteel.bind.statements.views import bind_create_view
from firesteel.catalog.schema import Table, View
from firesteel.errors import FiresteelError, NotSupportedError, SqlError, ValidationError
from firesteel.explain.sections import explain_all
from firesteel.rules.changelog.resolve_updates import update_risk
from firesteel.session import alter, create_as, databases, job_statements, jobs, show
from firesteel.session.alter import with_traits
from firesteel.session.checkpoints import statement_text
from firesteel.session.context import Call, Environment, Watch
from firesteel.session.job_statements import registered
from firesteel.session.planning import plan, plan_all
from firesteel.session.result import OK, RowsResult, TableResult, TextResult
from firesteel.sql import catalog_statements as catalog_sql
from firesteel.sql import statements as sql
from firesteel.sql.parser import parse_statement


def execute(
    environment: Environment, statement: sql.Statement, text: str, watch: Watch | None = None
) -> TableResult:
    """Run a parsed statement and return its result. A FiresteelError gets `text`, to quote the wrong part."""
    handler = _HANDLERS.get(type(statement))
    try:
        if handler is None:
            raise NotSupportedError(f"the statement {type(statement).__name__}", range=statement.range)
        return handler(Call(environment, text, watch), statement)
    except FiresteelError as error:
        if error.range is None and isinstance(error, (SqlError, NotSupportedError)):
            error.range = statement.range  # Rules and connectors do not know the position.
        raise error.located(text) from error.__cause__


def execute_text(environment: Environment, text: str) -> TableResult:
    """Parse and run one statement."""
    return execute(environment, parse_statement(text), text)


def explain_text(environment: Environment, text: str, *details: str) -> str:
    """Return the plans that EXPLAIN prints for a query, an INSERT or a statement set.

    Raises:
        ValidationError: The text is another kind of statement.
    """
    parsed = parse_statement(text)
    if not isinstance(parsed, (sql.Query, sql.Insert, sql.StatementSet)):
        raise ValidationError(
            "only a query, an INSERT or a statement set can be explained", range=parsed.range, sql=text
        )
    explained = sql.Explain(parsed.range, parsed, tuple(detail.upper() for detail in details))
    return "".join(row[0] for row in execute(environment, explained, text).collect())


# --- definitions ---------------------------------------------------------------------------------
def _create_table(call: Call, statement: sql.CreateTable) -> TableResult:
    if statement.query is not None:
        return _insert(call, create_as.create(call, statement))
    table = bind_create_table(statement, call.environment.bind_context(call.text))
    call.environment.catalog.create(with_traits(table), statement.if_not_exists, statement.table.range)
    return OK


def _create_view(call: Call, statement: sql.CreateView) -> TableResult:
    view = bind_create_view(statement, call.environment.bind_context(call.text))
    call.environment.catalog.create(view, statement.if_not_exists, statement.view.range)
    return OK


def _create_function(call: Call, statement: sql.CreateFunction) -> TableResult:
    from firesteel.session.functions import create_function

    create_function(call.environment, statement)
    return OK


def _drop(call: Call, statement: sql.Drop) -> TableResult:
    catalog = call.environment.catalog
    if statement.kind == "FUNCTION":
        from firesteel.session.functions import drop_function

        drop_function(call.environment, statement)
    else:
        catalog.drop(
            statement.kind,
            statement.name.parts,
            if_exists=statement.if_exists,
            temporary=statement.temporary,
            range=statement.name.range,
        )
    return OK


# --- options -------------------------------------------------------------------------------------
def _set(call: Call, statement: sql.SetOption) -> TableResult:
    if statement.key is None:
        return show.options(call.environment.options)
    assert statement.value is not None
    call.environment.set_option(statement.key, statement.value)
    return OK


def _reset(call: Call, statement: sql.ResetOption) -> TableResult:
    call.environment.configuration.reset(statement.key)
    return OK


# --- SHOW and DESCRIBE ---------------------------------------------------------------------------
def _show(call: Call, statement: sql.Show) -> TableResult:
    catalog = call.environment.catalog
    if statement.what == "COLUMNS":
        return show.describe(_entry(call, statement.name), statement.pattern, statement.negated)
    if statement.what in ("CREATE TABLE", "CREATE VIEW"):
        return _show_create(call, statement)
    if statement.what == "CREATE CATALOG":
        return databases.show_create_catalog(call, statement)
    if statement.what == "PARTITIONS":
        return databases.show_partitions(call, statement)
    if statement.what == "FULL MODULES":
        return show.full_modules()
    lists: dict[str, tuple[str, Callable[[], list[str]]]] = {
        "TABLES": ("table name", lambda: catalog.names(databases.place_of(call, statement))),
        "VIEWS": ("view name", lambda: catalog.view_names(databases.place_of(call, statement))),
        "CATALOGS": ("catalog name", catalog.catalog_names),
        "DATABASES": ("database name", lambda: databases.show_databases(call, statement)),
        "CURRENT CATALOG": ("current catalog name", lambda: [catalog.current_catalog]),
        "CURRENT DATABASE": ("current database name", lambda: [catalog.current_database]),
        "MODULES": ("module name", lambda: ["core"]),
        "FUNCTIONS": ("function name", lambda: show.functions(catalog)),
        "USER FUNCTIONS": ("function name", catalog.functions.names),
        "PROCEDURES": ("procedure name", lambda: databases.no_procedures(statement)),
        **{what: (title, list) for what, title in _NEVER_ANY},
    }
    title, found = lists[statement.what]
    kept = show.like(found(), statement.pattern, statement.negated, statement.ignore_case)
    return show.names(title, kept)


_NEVER_ANY = (
    ("JARS", "jars"),
    ("MODELS", "model name"),
    ("MATERIALIZED TABLES", "materialized table name"),
)


def _show_create(call: Call, statement: sql.Show) -> RowsResult:
    name, kind = statement.name, statement.what.removeprefix("CREATE ")
    assert name is not None
    entry = call.environment.catalog.find(name.parts)
    if entry is None:
        raise ValidationError(
            f"Could not execute SHOW CREATE {kind}. {kind.capitalize()} with identifier "
            f"{alter.quoted_path(call, name)} does not exist.",
            range=name.range,
        )
    if isinstance(entry, View) != (kind == "VIEW"):
        raise show.only_for(kind, entry)
    return show.create_view(entry) if isinstance(entry, View) else show.create_table(entry)


def _describe(call: Call, statement: sql.Describe) -> TableResult:
    return show.describe(_entry(call, statement.table))


def _entry(call: Call, name: sql.Name | None) -> Table | View:
    """Return the table or view called `name`. Raises ValidationError, with Flink's text, if there is none."""
    assert name is not None
    catalog = call.environment.catalog
    found = catalog.find(name.parts)
    if found is None:
        shown = ".".join(catalog.path(name.parts))
        raise ValidationError(
            f"Tables or views with the identifier '{shown}' doesn't exist.", range=name.range
        )
    return found


# --- queries -------------------------------------------------------------------------------------
def _query(call: Call, statement: sql.Query) -> TableResult:
    with registered(call, statement) as record:
        plans = plan(call.environment, statement, call.text, collect=True)
        text = statement_text(statement, call.text)
        return jobs.run_query(call, plans, text, record)


def _insert(call: Call, statement: sql.Insert) -> TableResult:
    return _insert_all(call, statement, (statement,))


def _statement_set(call: Call, statement: sql.StatementSet) -> TableResult:
    return _insert_all(call, statement, statement.inserts)


def _insert_all(call: Call, statement: sql.Statement, inserts: tuple[sql.Insert, ...]) -> TableResult:
    with registered(call, statement) as record:
        plans = [each.physical for each in plan_all(call.environment, inserts, call.text)]
        text = statement_text(statement, call.text)
        return jobs.run_inserts(call, plans, text, record)


def explain(call: Call, statement: sql.Explain) -> TextResult:
    """Run EXPLAIN and return the plans of a query, an INSERT, a statement set or CREATE TABLE AS."""
    inner = statement.statement
    if isinstance(inner, sql.CreateTable):
        with create_as.created(call, inner) as insert:
            plans = plan_all(call.environment, (insert,), call.text)
    else:
        explained = inner.inserts if isinstance(inner, sql.StatementSet) else (inner,)
        plans = plan_all(call.environment, explained, call.text)
    pairs = [(p.logical, p.physical) for p in plans]
    configuration = call.environment.configuration
    risk_of = partial(update_risk, configuration=configuration)
    return TextResult(explain_all(pairs, set(statement.details), configuration, risk_of))


_HANDLERS: dict[type[sql.Statement], Callable[[Call, Any], TableResult]] = {
    sql.CreateTable: _create_table,
    sql.CreateView: _create_view,
    sql.CreateFunction: _create_function,
    sql.Drop: _drop,
    sql.Use: databases.use,
    catalog_sql.CreateDatabase: databases.create_database,
    catalog_sql.AlterDatabase: databases.alter_database,
    catalog_sql.DropDatabase: databases.drop_database,
    catalog_sql.CreateCatalog: databases.create_catalog,
    catalog_sql.AlterCatalog: databases.alter_catalog,
    catalog_sql.DropCatalog: databases.drop_catalog,
    catalog_sql.DescribeCatalog: databases.describe_catalog,
    catalog_sql.AlterTable: alter.alter_table,
    catalog_sql.AlterView: alter.alter_view,
    catalog_sql.AnalyzeTable: alter.analyze_table,
    catalog_sql.ChangeRows: alter.change_rows,
    sql.SetOption: _set,
    sql.ResetOption: _reset,
    sql.Show: _show,
    sql.Describe: _describe,
    sql.Query: _query,
    sql.Insert: _insert,
    sql.StatementSet: _statement_set,
    sql.Explain: explain,
    catalog_sql.ShowJobs: job_statements.show_jobs,
    catalog_sql.DescribeJob: job_statements.describe_job,
    catalog_sql.StopJob: job_statements.stop_job,
}
